/** What the benchmarks reconcile: an object of about 1 KB, one step, conditions. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";

import { z } from "zod";

export const Widget = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32(), text: z.string().default("") }),
  status: z.object({ seen: z.int32().optional() }),
});
export interface Widget extends ObjectOf<typeof Widget> {}
