/**
 * What a pass costs that finds nothing to do: the price of every resync and of every event that changes nothing.
 * Goal: at most 20 us. Run by `npm run bench`; the ratio to a deep freeze of the same object makes machines comparable.
 */
import { defineResource, type KubernetesObject, systemClock } from "@treadle/apimachinery";
import { conditions, handler, type Logger, one, step } from "@treadle/reconcile";
import { createReconciler, type ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import { Secret } from "@treadle/apimachinery/kinds";
import { z } from "zod";

const Widget = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32() }),
  status: z.object({ size: z.int32().optional() }),
});

const steps = ["one", "two", "three"].map((name) =>
  step(Widget, {
    name,
    conditions: [`Done${name}`],
    reads: { secret: one(Secret, () => "s") },
    do(req) {
      if (req.object.status?.size !== req.object.spec.size) req.status.size = req.object.spec.size;
      req.conditions.true(`Done${name}`);
    },
    post() {},
  }),
);
const pipeline = steps.reduce((builder, one) => builder.step(one), handler(Widget).step(conditions())).build();

let object: KubernetesObject = {
  apiVersion: "bench.treadle.dev/v1",
  kind: "Widget",
  metadata: { name: "a", namespace: "default", uid: "u", generation: 1, resourceVersion: "1", annotations: { text: "x".repeat(4_000) } },
  spec: { size: 3 },
} as KubernetesObject;

let requests = 0;
const env: ReconcilerEnv = {
  // Only what a first pass needs: a status that takes the patch.
  client: {
    patch: async (_kind: unknown, _ref: unknown, patch: { body: object }) => {
      requests++;
      object = Object.freeze({ ...object, ...patch.body, metadata: object.metadata }) as KubernetesObject;
      return object;
    },
  } as unknown as ReconcilerEnv["client"],
  cache: { get: (kind) => (kind.kind === "Widget" ? object : undefined) as never, list: () => [] },
  clock: systemClock,
  log: { debug() {}, info() {}, warn() {}, error: (data: object, text: string) => console.error(text, data) } satisfies Logger,
};
const reconciler = createReconciler(pipeline, env);
const ref = { namespace: "default", name: "a" };

await reconciler.pass(ref);
const first = requests;
const rounds = 100_000;
for (let i = 0; i < 20_000; i++) await reconciler.pass(ref);
const startedMs = performance.now();
for (let i = 0; i < rounds; i++) await reconciler.pass(ref);
const passUs = ((performance.now() - startedMs) * 1_000) / rounds;

const text = JSON.stringify(object);
const parseStartedMs = performance.now();
for (let i = 0; i < rounds; i++) JSON.parse(text);
const parseUs = ((performance.now() - parseStartedMs) * 1_000) / rounds;

console.log(
  `a pass that changes nothing: ${passUs.toFixed(1)} us (goal 20), ${(passUs / parseUs).toFixed(1)} times JSON.parse of its object; requests: ${requests - first}`,
);
