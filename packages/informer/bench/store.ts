/**
 * Measures the cost of an informer: the heap for each cached object of 5 KB, the longest time for which an initial sync keeps
 * the event loop, and reads. Run in this folder: `node --expose-gc --conditions=@treadle/source bench/store.ts [objects]`
 */
import { PerformanceObserver } from "node:perf_hooks";
import { kind, systemClock, systemRandom, type UntypedObject } from "@treadle/apimachinery";
import type { Client, WatchEvent } from "@treadle/client";
import { createInformer } from "../src/index.ts";
import { dropManagedFields } from "../src/internal/freeze.ts";
import { pod } from "./parts/pod.ts";

const COUNT = Number(process.argv[2] ?? 20_000);
const Pod = kind({ group: "", version: "v1", kind: "Pod" });

/** Lines of JSON in chunks of 64 KB, each in its own turn of the event loop, as a socket gives them. */
async function* watch(signal: AbortSignal | undefined): AsyncGenerator<WatchEvent<UntypedObject>> {
  let chunk = 0;
  for (let i = 0; i < COUNT; i++) {
    const line = JSON.stringify({ type: "ADDED", object: pod(i) });
    chunk += line.length;
    if (chunk > 65_536) {
      chunk = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield JSON.parse(line) as WatchEvent<UntypedObject>; // It was made above.
  }
  yield { type: "BOOKMARK", object: { metadata: { resourceVersion: "9000000", annotations: { "k8s.io/initial-events-end": "true" } } } };
  await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const client = {
  list: () => Promise.reject(new Error("not used")),
  watch: async (_: unknown, options: { signal?: AbortSignal }) => watch(options.signal),
};
// Only what the informer calls.
const informer = createInformer({
  client: client as unknown as Pick<Client, "list" | "watch">,
  kind: Pod,
  clock: systemClock,
  random: systemRandom,
  onWarning: () => undefined,
});

let gcMs = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) gcMs = Math.max(gcMs, entry.duration);
}).observe({ entryTypes: ["gc"] });
let longestMs = 0;
let last = performance.now();
let isOver = false;
const turn = (): void => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - last);
  last = now;
  if (!isOver) setImmediate(turn);
};

pod(0);
const size = JSON.stringify(pod(12_345)).length;
const kept = JSON.stringify(dropManagedFields(pod(12_345))).length;
const before = heap();
const startedAt = performance.now();
last = startedAt;
turn();
informer.start();
await informer.synced();
const tookMs = performance.now() - startedAt;
isOver = true;
await new Promise((resolve) => setTimeout(resolve, 20));
const perObject = (heap() - before) / COUNT;

const readAt = performance.now();
for (let i = 0; i < 1_000_000; i++) informer.get({ namespace: `ns-${i % 50}`, name: "pod-77" });
const readNs = performance.now() - readAt;
const listAt = performance.now();
for (let i = 0; i < 1000; i++) informer.list({ namespace: "ns-7" });
const listUs = performance.now() - listAt;

const report = {
  objects: informer.progress().objects,
  "bytes of JSON each": size,
  "without managedFields": kept,
  "heap bytes each": Math.round(perObject),
  "sync ms (making the JSON included)": Math.round(tookMs),
  "longest turn ms": Number(longestMs.toFixed(1)),
  "longest garbage collection ms": Number(gcMs.toFixed(1)),
  "get ns": Math.round(readNs),
  [`list of ${COUNT / 50} us`]: Number(listUs.toFixed(1)),
};
console.log(JSON.stringify(report, null, 2));
await informer.stop();
