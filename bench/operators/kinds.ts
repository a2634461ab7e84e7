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

/** Some 5 KB that are only held: a list as long as that of a large pod's variables. */
export const Blob = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Blob",
  scope: "Namespaced",
  spec: z.object({ entries: z.array(z.object({ name: z.string(), value: z.string(), weight: z.int32() })) }),
  status: z.object({}),
});
export interface Blob extends ObjectOf<typeof Blob> {}
