/**
 * From an event to the status that answers it, at 200 changes a second over HTTP, and what a pass that changes nothing
 * costs a whole controller: queue, pass, metrics. Run by `npm run bench`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { keyOf } from "@treadle/apimachinery";
import { connect, type Exchange } from "@treadle/client";
import { createManager } from "../src/index.ts";
import { Widget, widgets } from "./programs/kind.ts";

const PER_SECOND = 200;
const SECONDS = Number(process.env["SECONDS"] ?? 15);
const OBJECTS = 500;

const child = fork(new URL("./programs/server.ts", import.meta.url), { execArgv: ["--conditions=@treadle/source"] });
const [server] = (await once(child, "message")) as [string];
const config = { source: "bench", server, credentials: async () => ({}) };
const user = await connect({ config, fieldManager: "user" });

/** When the change was asked for, and when its event came, by key and size. */
const changes = new Map<string, { sentAt: number; cameAt?: number }>();
const [fromSent, fromEvent]: [number[], number[]] = [[], []];
let requests = 0;
let finished = 0;
let onFinished: (() => void) | undefined;
const manager = createManager({
  client: (wish) =>
    connect({
      config,
      ...wish,
      onExchange: (exchange: Exchange) => {
        requests++;
        wish.onExchange(exchange);
      },
    }),
  probes: false,
  metrics: { port: 0 },
  host: "127.0.0.1",
  logLevel: "warn",
  signals: false,
  onPass: ({ ref }) => {
    finished++;
    const now = performance.now();
    const object = manager.informers?.get(Widget)?.get(ref);
    const change = changes.get(`${keyOf(ref)} ${object?.status?.seen}`);
    if (change !== undefined) {
      fromSent.push(now - change.sentAt);
      if (change.cameAt !== undefined) fromEvent.push(now - change.cameAt);
      changes.delete(`${keyOf(ref)} ${object?.status?.seen}`);
    }
    onFinished?.();
  },
});
await manager.add(widgets).start();

const text = "x".repeat(800);
for (let i = 0; i < OBJECTS; i++) await user.create(Widget, { metadata: { name: `w${i}`, namespace: "default" }, spec: { size: 0, text } });
manager.informers?.get(Widget)?.onEvent(({ object }) => {
  const change = changes.get(`${keyOf(object.metadata)} ${object.spec.size}`);
  if (change !== undefined) change.cameAt = performance.now();
});

const startedAt = performance.now();
const total = PER_SECOND * SECONDS;
for (let i = 0; i < total; i++) {
  const name = `w${i % OBJECTS}`;
  const size = i + 1;
  const waitMs = startedAt + (i * 1000) / PER_SECOND - performance.now();
  if (waitMs > 1) await sleep(waitMs);
  changes.set(`default/${name} ${size}`, { sentAt: performance.now() });
  void user.patch(Widget, { name, namespace: "default" }, { type: "merge", body: { spec: { size } } });
}
await sleep(1_000);
console.log(`${total} changes at ${PER_SECOND}/s over HTTP, ${changes.size} without an answer`);
console.log(`  from the change being sent to its status being stored: ${spread(fromSent)}`);
console.log(`  from its event to its status being stored:             ${spread(fromEvent)}`);

const controller = manager.controllers[0];
if (controller === undefined) throw new Error("there is one");
const before = requests;
await passes(20_000);
const slices: number[] = [];
for (let slice = 0; slice < 10; slice++) {
  const passesAt = performance.now();
  await passes(10_000);
  slices.push((performance.now() - passesAt) / 10);
}
slices.sort((a, b) => a - b);
console.log(
  `a pass that changes nothing, with queue and metrics: ${slices[0]?.toFixed(1)} us, median ${slices[5]?.toFixed(1)} us (goal 20); requests: ${requests - before}`,
);
await manager.stop();
await user.close();
child.disconnect();

/** So many passes, a key queued again as soon as its pass is over. */
async function passes(count: number): Promise<void> {
  const end = finished + count;
  await new Promise<void>((resolve) => {
    let queued = 0;
    const next = (): void => {
      if (finished >= end) resolve();
      else if (queued < count) controller?.enqueue({ name: `w${queued++ % OBJECTS}`, namespace: "default" });
    };
    onFinished = next;
    for (let i = 0; i < 50; i++) next();
  });
  onFinished = undefined;
}

function spread(values: number[]): string {
  values.sort((a, b) => a - b);
  const at = (share: number): string =>
    `${(values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN).toFixed(2)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} (n = ${values.length})`;
}
