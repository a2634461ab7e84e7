/**
 * What `health()` costs for one object, over the table of objects that is compared with kstatus, and for the most expensive
 * kinds with their pods. Goal: 5 us an object. The ratio to JSON.parse of the same objects makes machines comparable.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { health } from "@treadle/apimachinery/health";

const ROUNDS = 500;

const path = join(import.meta.dirname, "../test/kstatus/objects.json");
const objects = (JSON.parse(readFileSync(path, "utf8")) as readonly { readonly object: object }[])
  .map(({ object }) => object)
  // Objects of a wrong shape cost an exception. No server stores them.
  .filter((object) => health(object).reason !== "InvalidObject");
const texts = objects.map((object) => JSON.stringify(object));

const deployment = objects.find(
  (object) => (object as { readonly kind: string }).kind === "Deployment" && health(object).type === "Pending",
);
const pods = Array.from({ length: 10 }, (_, i) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `web-${i}`, namespace: "ns" },
  status: {
    phase: "Pending",
    containerStatuses: [{ name: "main", state: { waiting: { reason: "ImagePullBackOff", message: "back-off" } } }],
  },
}));

/** Microseconds of the processor for one call, median of five runs: other programs on the machine do not count. */
function microseconds(count: number, run: () => void): number {
  const each = Array.from({ length: 6 }, () => {
    const started = process.cpuUsage();
    for (let i = 0; i < ROUNDS; i++) run();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / ROUNDS / count;
  });
  return each.slice(1).toSorted((a, b) => a - b)[2] ?? 0; // The first run warms up.
}

let pending = 0;
const one = microseconds(objects.length, () => {
  for (const object of objects) if (health(object).type === "Pending") pending++;
});
const parse = microseconds(texts.length, () => {
  for (const text of texts) if (JSON.parse(text) === undefined) pending++;
});
const withPods = microseconds(1, () => {
  if (health(deployment, { pods }).type === "Pending") pending++;
});
console.log(
  `health() of an object: ${one.toFixed(2)} us (goal 5), ${(one / parse).toFixed(2)} times JSON.parse of it; of a Deployment with ten pods: ${withPods.toFixed(1)} us`,
);
if (pending === 0) throw new Error("no object of the table is Pending"); // The results are used: no call is optimized away.
