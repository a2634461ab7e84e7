/**
 * From the first start of an operator, whose Secret has no certificate yet, to the first answered admission call: over sockets, from the
 * start of the process. The API server in memory speaks TLS, and calls the operator by TLS once it finds the CA. Beside it, in turns: the
 * same operator without webhooks until its manager has started, and a second start, which finds the certificates. Goal: under 1.5 s.
 *
 * The operator runs what is built (`npm run check -- build`), as in a container. Its processor time is shown as well, on which other programs of a busy
 * machine have less influence. `RUNS` in the environment changes the number of runs.
 */
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isApiError, type Kind } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { webhookManifests } from "../src/index.ts";
import { Site, site } from "./programs/kinds.ts";

const RUNS = Number(process.env["RUNS"] ?? 9);
const GOAL_MS = 1_500;
const POLL_MS = 5;

const root = new URL("../../..", import.meta.url).pathname;
execFileSync("turbo", ["run", "build", "--filter=@treadle/webhooks", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
});

interface Took {
  readonly ms: number;
  /** Processor time of the operator. */
  readonly cpuMs: number;
}

const directory = await mkdtemp(join(tmpdir(), "treadle-bench-"));
const modes = ["without webhooks", "first start", "second start"] as const;
const found = new Map(modes.map((mode) => [mode, [] as Took[]]));
for (let run = 0; run <= RUNS; run++)
  // The first run reads the files from the disk.
  for (const [mode, took] of await measure()) if (run > 0) found.get(mode)?.push(took);
await rm(directory, { recursive: true });

console.log(`medians of ${RUNS} runs, from the start of the process (in parentheses least and most), and processor time of the operator:`);
const [plainMs, firstMs] = [medianOf("without webhooks", "ms"), medianOf("first start", "ms")];
console.log(`without webhooks, to a started manager: ${shown("without webhooks")}`);
console.log(
  `first start, to the first answered admission call: ${shown("first start")}; ${(firstMs / plainMs).toFixed(2)} times without webhooks`,
);
console.log(`second start, which finds the certificates: ${shown("second start")}`);
console.log(`goal of the first start: ${GOAL_MS} ms: ${firstMs < GOAL_MS ? "reached" : "MISSED"}`);

/** Measures each mode once, with a new API server. */
async function measure(): Promise<readonly (readonly [(typeof modes)[number], Took])[]> {
  const server = createApiServer({ resources: [Site] });
  const front = await serveHttps(server, { auth: { token: "bench-token" } });
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, front.kubeconfig());
  const user = createClient({ transport: server.transport(), fieldManager: "deployer", retry: false });
  const port = await freePort();
  const kinds: readonly Kind[] = [Secret, CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const manifest of webhookManifests([site], { name: "bench", url: `https://127.0.0.1:${port}` })) {
    const kind = kinds.find((each) => each.kind === manifest.kind);
    if (kind !== undefined) await user.apply(kind, manifest, { force: true });
  }
  try {
    const plain = await timed(["none"], async (child) => void (await once(child, "message")));
    const answered = async (): Promise<void> => {
      for (;;) {
        const object = { metadata: { name: "a", namespace: "default" }, spec: { lines: [] } };
        const failure = await user.create(Site, object, { dryRun: true }).then(() => undefined, failureOf);
        if (failure === undefined) return;
        await sleep(POLL_MS);
      }
    };
    const first = await timed([String(port)], answered);
    const second = await timed([String(port)], answered);
    return [
      ["without webhooks", plain],
      ["first start", first],
      ["second start", second],
    ];
  } finally {
    await front.close();
    await server.close();
  }

  async function timed(args: readonly string[], isDone: (child: ChildProcess) => Promise<void>): Promise<Took> {
    const beganMs = performance.now();
    const child = fork(new URL("./programs/first.mjs", import.meta.url), [kubeconfig, ...args], { execArgv: [] });
    const ended = once(child, "exit");
    const hasEnded = await Promise.race([isDone(child).then(() => false), ended.then(() => true)]);
    const ms = performance.now() - beganMs;
    if (hasEnded) throw new Error("the operator has ended: see its error above");
    const cpuMs = cpuMsOf(child.pid ?? 0);
    child.kill("SIGKILL");
    await ended;
    return { ms, cpuMs };
  }
}

/** Until the operator answers, and the API server has its CA, the call fails. */
function failureOf(error: unknown): string {
  if (isApiError(error) && error.status === 500) return error.message;
  throw error;
}

function medianOf(mode: (typeof modes)[number], part: keyof Took): number {
  const values = (found.get(mode) ?? []).map((took) => took[part]).toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function shown(mode: (typeof modes)[number]): string {
  const all = (found.get(mode) ?? []).map(({ ms }) => ms);
  const range = `${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)}`;
  return `${medianOf(mode, "ms").toFixed(0)} ms (${range}), processor ${medianOf(mode, "cpuMs").toFixed(0)} ms`;
}

/** User and system time, in the ticks of 10 ms of `/proc`; NaN on another system than Linux. */
function cpuMsOf(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo; // It listens on TCP.
  await new Promise<void>((resolve) => void listener.close(() => resolve()));
  return port;
}
