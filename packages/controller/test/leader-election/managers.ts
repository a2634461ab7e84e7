/** Replicas of one operator against one in-memory API server, in virtual time. */
import { type FakeClock, fakeClock, seededRandom, type Transport } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { AnyHandler } from "@treadle/reconcile";
import { onTestFinished } from "vitest";
import { createManager, type Manager, type ManagerOptions, type Runnable } from "../../src/index.ts";
import { Gadget, Widget } from "../widget.ts";

export interface Member {
  readonly manager: Manager;
  readonly log: { readonly level: string; readonly text: string }[];
  /** `PATCH /apis/...`, but reads and what concerns leases. */
  readonly writes: string[];
  readonly reads: string[];
  readonly passes: string[];
  /** What {@link Manager.run} came to. */
  outcome: unknown;
}

export interface Team {
  readonly clock: FakeClock;
  readonly server: ApiServer;
  readonly user: Client;
  /** Resolves when it runs, or does not. */
  join(options: ManagerOptions & TeamOptions): Promise<Member>;
  lease(name?: string): Promise<Lease | undefined>;
}

interface TeamOptions {
  readonly handlers: readonly AnyHandler[];
  readonly runnables?: readonly Runnable[];
  /** Stands between the replica and the server. */
  readonly intercept?: (transport: Transport) => Transport;
}

export const LEASE = "widgets.test.treadle.dev";

export function team(): Team {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), resources: [Widget, Gadget] });
  const user = createClient({ transport: server.transport(), clock, fieldManager: "user" });
  const members: Member[] = [];
  onTestFinished(async () => {
    const ended = Promise.allSettled(members.map(({ manager }) => manager.stop()));
    await clock.advance(60_000);
    await ended;
    await server.close();
  });
  return {
    clock,
    server,
    user,
    lease: (name = LEASE) => user.get(Lease, { name, namespace: "default" }),
    async join({ handlers, runnables = [], intercept, ...options }) {
      const [log, writes, reads, passes]: [Member["log"], string[], string[], string[]] = [[], [], [], []];
      const direct = server.transport();
      const counted: Transport = {
        request(request) {
          const text = `${request.method} ${request.path.split("?")[0]}`;
          if (!text.includes("/leases")) (request.method === "GET" ? reads : writes).push(text);
          return direct.request(request);
        },
        close: () => direct.close(),
      };
      const line = (level: string) => (_: object, text: string) => void log.push({ level, text });
      const manager = createManager({
        client: ({ onExchange }) =>
          createClient({ transport: intercept?.(counted) ?? counted, clock, random: seededRandom(2), onExchange }),
        clock,
        random: seededRandom(members.length + 3),
        probes: false,
        metrics: false,
        signals: false,
        log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
        onPass: ({ ref }) => void passes.push(ref.name),
        leaderElection: { identity: `m${members.length}` },
        ...options,
      });
      for (const handler of handlers) manager.add(handler);
      for (const runnable of runnables) manager.add(runnable);
      const member: Member = { manager, log, writes, reads, passes, outcome: "running" };
      members.push(member);
      const running = new Promise<void>((resolve) => {
        manager.onChange(() => manager.status().state !== "starting" && resolve());
      });
      const ended = manager.run().then(
        () => (member.outcome = "ended"),
        (error: unknown) => (member.outcome = error),
      );
      await Promise.race([running, ended]);
      await clock.advance(0);
      return member;
    },
  };
}

export function textsOf({ log }: Member, level: string): string[] {
  return log.filter((line) => line.level === level).map(({ text }) => text);
}
