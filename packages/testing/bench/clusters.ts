/**
 * Test clusters that come and go in one process: what each costs, and whether anything of them stays. Run by `npm run bench`;
 * `CLUSTERS=2000` for more than 500.
 */
import { defineResource } from "@treadle/apimachinery";
import { conditions, handler, step } from "@treadle/reconcile";
import { z } from "zod";
import { startTestCluster } from "../src/index.ts";

const CLUSTERS = Number(process.env["CLUSTERS"] ?? 500);
const WARM_UP = 50;
/** Code, caches and the heap's own bookkeeping grow a little in any process; a cluster that stays would be 100 times as much. */
const GOAL_BYTES = 10_000;

const Widget = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32() }),
  status: z.object({ seen: z.int32().optional() }),
});

const widgets = handler(Widget)
  .step(conditions())
  .step(
    step(Widget, {
      name: "mirror",
      conditions: ["Mirrored"],
      do(req) {
        req.status.seen = req.object.spec.size;
        req.conditions.true("Mirrored");
      },
    }),
  )
  .build();

for (let i = 0; i < WARM_UP; i++) await live(i);
const [heapBefore, cpuBefore, startedAt] = [heapUsed(), process.cpuUsage(), performance.now()];
for (let i = 0; i < CLUSTERS; i++) await live(i);
const ms = (performance.now() - startedAt) / CLUSTERS;
const { user, system } = process.cpuUsage(cpuBefore);
const grownBytes = (heapUsed() - heapBefore) / CLUSTERS;
console.log(
  `a cluster with an operator and one object, from start to stop: ${ms.toFixed(1)} ms, ${((user + system) / CLUSTERS / 1000).toFixed(1)} ms of CPU`,
);
const verdict = grownBytes < GOAL_BYTES ? "ok" : "MISSED";
console.log(`heap that stays of each, over ${CLUSTERS}: ${Math.round(grownBytes)} bytes (goal: under ${GOAL_BYTES}) ${verdict}`);
console.log(`raw ${JSON.stringify({ clusters: CLUSTERS, ms, cpuMs: (user + system) / CLUSTERS / 1000, grownBytes, heapBefore })}`);

async function live(i: number): Promise<void> {
  await using cluster = await startTestCluster();
  const operator = await cluster.start(widgets);
  await cluster.create(Widget, { metadata: { name: "a" }, spec: { size: i } });
  await operator.settled();
}

function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("start node with --expose-gc, as `npm run bench` does");
  for (let i = 0; i < 4; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
