/**
 * What a conversion costs: one review of 500 objects of 5 KB, to the hub and from it, where a part of each object is kept in the annotation.
 * Goal: no slice of the event loop is longer than 10 ms. The length is the processor time of the main thread, so that a busy machine does not
 * count, without the collections of garbage.
 *
 * `OBJECTS` and `ROUNDS` in the environment change the numbers.
 */
import { performance, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { defineResource, type KubernetesObject } from "@treadle/apimachinery";
import { z } from "zod";
import { converterOf } from "../src/conversion/converter.ts";
import { convertReview } from "../src/conversion/review.ts";

const OBJECTS = Number(process.env["OBJECTS"] ?? 500);
const ROUNDS = Number(process.env["ROUNDS"] ?? 20);

const rule = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
const backend = z.object({
  name: z.string(),
  host: z.string(),
  port: z.int32(),
  weight: z.int32().default(1),
  note: z.string().optional(),
});
const old = z.object({ name: z.string(), host: z.string(), port: z.int32(), note: z.string().optional() });
const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string(), backends: z.array(backend).meta(rule) }), status: z.object({ phase: z.string() }) },
    v1alpha1: { spec: z.object({ domain: z.string(), targets: z.array(old).meta(rule) }), status: z.object({ phase: z.string() }) },
  },
});
type Any = { readonly spec: any }; // oxlint-disable-line typescript/no-explicit-any -- a function for any version
const converter = converterOf({
  kind: Website,
  convert: {
    v1alpha1: {
      up: (site) => ({ spec: { host: (site as never as Any).spec.domain, backends: (site as never as Any).spec.targets } }),
      down: (site) => ({ spec: { domain: (site as never as Any).spec.host, targets: (site as never as Any).spec.backends } }),
    },
  },
});

const hubs = Array.from({ length: OBJECTS }, (_, i) => ({
  apiVersion: "web.example.com/v1",
  kind: "Website",
  metadata: { name: `site-${i}`, namespace: "default", uid: String(i) },
  spec: {
    host: `site-${i}.example.com`,
    backends: Array.from({ length: 40 }, (_, j) => ({
      name: `b-${j}`,
      host: `10.0.${i % 250}.${j}`,
      port: 8080,
      weight: j % 7,
      note: "x".repeat(40),
    })),
  },
  status: { phase: "Up" },
})) as unknown as readonly KubernetesObject[];
console.log(`${OBJECTS} objects of ${Math.round(JSON.stringify(hubs).length / OBJECTS)} bytes`);

const pauses: { readonly from: number; readonly ms: number }[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, ms: duration });
}).observe({ entryTypes: ["gc"] });

interface Slice {
  readonly from: number;
  readonly to: number;
  readonly cpuMs: number;
}

function ownMs({ from, to, cpuMs }: Slice): number {
  const collected = pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(to, pause.from + pause.ms) - Math.max(from, pause.from)), 0);
  return Math.max(0, cpuMs - collected);
}

async function round(
  objects: readonly KubernetesObject[],
  version: string,
): Promise<{ readonly cpuMs: number; readonly slices: readonly Slice[]; readonly out: readonly KubernetesObject[] }> {
  const slices: Slice[] = [];
  let isDone = false;
  let from = performance.now();
  let usage = process.threadCpuUsage();
  const watch = async (): Promise<void> => {
    while (!isDone) {
      await turn();
      const { user, system } = process.threadCpuUsage(usage);
      slices.push({ from, to: performance.now(), cpuMs: (user + system) / 1000 });
      from = performance.now();
      usage = process.threadCpuUsage();
    }
  };
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const env = { log: silent, signal: new AbortController().signal, onIgnored() {} };
  const request = { uid: "1", desiredAPIVersion: `web.example.com/${version}`, objects };
  const used = process.threadCpuUsage();
  usage = used;
  const watching = watch();
  const { response } = await convertReview(converter, { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request }, env);
  isDone = true;
  const { user, system } = process.threadCpuUsage(used);
  await watching;
  return { cpuMs: (user + system) / 1000, slices, out: response.convertedObjects };
}

for (const version of ["v1alpha1", "v1"]) {
  const from = version === "v1" ? (await round(structuredClone(hubs), "v1alpha1")).out : hubs;
  const runs = [];
  for (let i = 0; i < ROUNDS; i++) runs.push(await round(structuredClone(from), version));
  const times = runs.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  await sleep(50); // The observer is called a little later.
  // The first review includes compilation.
  const slices = runs
    .slice(1)
    .flatMap((run) => run.slices.map(ownMs))
    .sort((a, b) => a - b);
  const at = (part: number): string => (slices[Math.floor(slices.length * part)] ?? 0).toFixed(1);
  console.log(
    `to ${version}: ${times[Math.floor(times.length / 2)]?.toFixed(0)} ms of processor time a review, slices p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.99999)} ms`,
  );
}
