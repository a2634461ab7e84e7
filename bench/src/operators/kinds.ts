/** The kinds of the benchmark: what the operators reconcile or hold, and what the harness makes. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

/** Asks for a ConfigMap with its text. */
export const Widget = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32(), text: z.string() }),
  status: z.object({}),
  dependents: true,
});
export interface Widget extends ObjectOf<typeof Widget> {}

/** Asks for a set of ten objects with its text. */
export const Stack = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Stack",
  scope: "Namespaced",
  spec: z.object({ text: z.string() }),
  status: z.object({}),
  dependents: true,
  stepState: true,
});
export interface Stack extends ObjectOf<typeof Stack> {}

/** Some 5 KB that are only held. The list is merged by name, as a pod's variables, so managedFields are more than two fifths of it. */
export const Blob = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Blob",
  scope: "Namespaced",
  spec: z.object({
    entries: z
      .array(z.object({ name: z.string(), value: z.string(), weight: z.int32() }))
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
  }),
  status: z.object({}),
});
export interface Blob extends ObjectOf<typeof Blob> {}
