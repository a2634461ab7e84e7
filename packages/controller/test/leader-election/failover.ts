/**
 * Real processes that take over from each other, on the cluster of a kubeconfig: the leader is killed, told to stop, or
 * paused beyond its lease and woken, again and again, and the cluster's own history is asked who wrote without holding the lease.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { crdOf, isNotFound, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Lease } from "@treadle/apimachinery/kinds";
import { type Client, connect } from "@treadle/client";
import { Widget, widget } from "../widget.ts";
import { startAudit, violations } from "./audit.ts";

export type Ending = "SIGKILL" | "SIGTERM" | "SIGSTOP";

export interface FailoverOptions {
  readonly kubeconfig: string;
  /** How the leader of each round ends. */
  readonly rounds: readonly Ending[];
  readonly leaseDurationMs?: number;
  readonly log?: (line: string) => void;
}

export interface FailoverReport {
  /** From the signal to the first write of the next leader; `lateMs` is for how long the machine kept this process, or the next leader, from running. */
  readonly takeovers: readonly { readonly ending: Ending; readonly ms: number; readonly lateMs: number }[];
  readonly writes: number;
  readonly problems: readonly string[];
}

const LEASE = { name: "failover", namespace: "default" } as const;
const NAMES = ["a", "b", "c"] as const;
const PROGRAM = fileURLToPath(new URL("../programs/replica.ts", import.meta.url));
/** How long a leader that was told to stop may be followed by nobody. */
const RELEASED_MS = 1_000;

/** A leader that knows of its end ends at once; this is for one that does not. */
const ENDS_WITHIN_MS = 20_000;

export async function runFailover({
  kubeconfig,
  rounds,
  leaseDurationMs = 5_000,
  log = () => {},
}: FailoverOptions): Promise<FailoverReport> {
  // Nothing is far away here, but the machine may be busy.
  const times = { leaseDurationMs, renewDeadlineMs: leaseDurationMs * 0.8, retryPeriodMs: leaseDurationMs / 8 };
  const client = await connect({ kubeconfig });
  const replicas = new Set<Replica>();
  let born = 0;
  const start = (): Replica => {
    const replica = new Replica({ kubeconfig, leaderElection: { ...LEASE, ...times, identity: `replica-${born++}` } });
    replicas.add(replica);
    return replica;
  };
  try {
    await furnish(client);
    const audit = await startAudit(client, LEASE);
    const problems: string[] = [];
    const paused = new Map<string, number>();
    const takeovers: FailoverReport["takeovers"][number][] = [];
    let leader = start();
    await leader.said("became leader");
    // One more than it takes: while it takes over the next one starts.
    start();
    start();
    for (const ending of rounds) {
      const standbys = [...replicas].filter((replica) => replica !== leader);
      await Promise.race(standbys.map((standby) => standby.said("standing by")));
      const lag = startLag();
      const written = audit.writeOfAnother(leader.identity);
      const signalledAt = performance.now();
      leader.child.kill(ending);
      if (ending === "SIGSTOP") paused.set(leader.identity, NAMES.length);
      const { who, at } = await Promise.race([written, ...standbys.map((standby) => standby.failed())]);
      const lateMs = Math.round(lag()) + (standbys.find(({ identity }) => identity === who)?.lateMsSince(signalledAt) ?? 0);
      const taken = { ending, ms: Math.round(at - signalledAt), lateMs };
      takeovers.push(taken);
      const limitMs = (ending === "SIGTERM" ? 0 : leaseDurationMs) + RELEASED_MS + taken.lateMs;
      log(`${ending}: ${who} wrote ${taken.ms} ms after it`);
      if (taken.ms > limitMs) problems.push(`after ${ending} nobody wrote for ${taken.ms} ms: more than ${limitMs} ms`);
      problems.push(...(await ended(leader, ending)));
      replicas.delete(leader);
      const next = standbys.find(({ identity }) => identity === who);
      if (next === undefined) throw new Error(`${who} wrote, which is none of ${standbys.map(({ identity }) => identity).join(", ")}`);
      leader = next;
      start();
    }
    await audit.stop();
    const writes = audit.entries.filter(({ type }) => type === "write").length;
    return { takeovers, writes, problems: [...problems, ...violations(audit.entries, paused)] };
  } finally {
    for (const { child } of replicas) child.kill("SIGKILL");
    await clear(client);
    await client.close();
  }
}

/** How a leader must end. */
async function ended(leader: Replica, ending: Ending): Promise<readonly string[]> {
  // It wakes as a leader that it is not any more.
  if (ending === "SIGSTOP") leader.child.kill("SIGCONT");
  const code = await Promise.race([leader.exit, delay(ENDS_WITHIN_MS, "nothing", { ref: false })]);
  leader.child.kill("SIGKILL");
  const wanted = { SIGKILL: "SIGKILL", SIGTERM: 0, SIGSTOP: 1 }[ending];
  if (code !== wanted) return [`${leader.identity} ended with ${code} after ${ending}, not with ${wanted}:\n${leader.errors().join("\n")}`];
  const isTold = ending !== "SIGSTOP" || leader.lines.some((line) => line.includes("lost the leadership of Lease default/failover"));
  return isTold ? [] : [`${leader.identity} does not say that it lost its leadership`];
}

class Replica {
  readonly identity: string;
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly exit: Promise<number | NodeJS.Signals | null>;
  readonly #listeners = new Set<() => void>();
  readonly #late: { readonly at: number; readonly ms: number }[] = [];

  constructor({ kubeconfig, leaderElection }: { readonly kubeconfig: string; readonly leaderElection: { readonly identity: string } }) {
    this.identity = leaderElection.identity;
    this.child = spawn(process.execPath, ["--conditions=@treadle/source", PROGRAM, JSON.stringify(leaderElection)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on("line", (line) => {
          const late = /^late (\d+)$/.exec(line)?.[1];
          if (late !== undefined) return void this.#late.push({ at: performance.now(), ms: Number(late) });
          this.lines.push(line);
          for (const listener of this.#listeners) listener();
        });
    this.exit = once(this.child, "close").then(([code, signal]) => code ?? signal);
  }

  /** Resolves when it has said `text`; rejects when it ends without. */
  async said(text: string): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.lines.some((line) => line.includes(text))) resolve();
      };
      this.#listeners.add(look);
      look();
    });
    await Promise.race([heard, this.failed()]);
  }

  /** For how long since then it could not run, all together. */
  lateMsSince(since: number): number {
    return this.#late.reduce((sum, { at, ms }) => sum + Math.max(0, Math.min(ms, at - since)), 0);
  }

  /** What it logged as wrong. */
  errors(): readonly string[] {
    return this.lines
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":"warn"'))
      .map((line) => line.slice(0, 1_000));
  }

  /** Rejects when the process ends. */
  async failed(): Promise<never> {
    const code = await this.exit;
    throw new Error(`${this.identity} ended with ${code}:\n${this.errors().join("\n")}\n${this.lines.slice(-10).join("\n")}`);
  }
}

/** By how much timers of this process were late at most, until the returned function is called. */
function startLag(): () => number {
  const [everyMs, slackMs] = [20, 10];
  let last = performance.now();
  let late = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    late = Math.max(late, now - last - everyMs - slackMs);
    last = now;
  }, everyMs);
  return () => {
    clearInterval(timer);
    return late;
  };
}

async function furnish(client: Client): Promise<void> {
  await clear(client);
  await client.create(CustomResourceDefinition, crdOf(Widget));
  for (const name of NAMES) await client.create(ConfigMap, { metadata: { name: `failover-${name}`, namespace: "default" } });
  for (const name of NAMES)
    for (let tries = 0; ; tries++)
      try {
        await client.create(Widget, widget(name));
        break;
      } catch (error) {
        // A CRD is served a moment after it was made.
        if (tries === 100) throw error;
        await delay(100);
      }
}

async function clear(client: Client): Promise<void> {
  const { metadata } = crdOf(Widget) as KubernetesObject;
  await client.delete(Lease, LEASE);
  for (const name of NAMES) await client.delete(ConfigMap, { name: `failover-${name}`, namespace: "default" });
  await client.delete(CustomResourceDefinition, { name: metadata.name });
  for (let tries = 0; tries < 100; tries++) {
    const left = await client.get(CustomResourceDefinition, { name: metadata.name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (left === undefined) return;
    await delay(100);
  }
}
