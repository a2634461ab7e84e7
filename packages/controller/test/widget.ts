/** The kinds that the tests reconcile. */
import { defineResource, type ObjectOf, type WriteOf } from "@treadle/apimachinery";
import { z } from "zod";

export const Widget = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ size: z.int32().default(1), secret: z.string().optional(), select: z.string().optional() }),
  status: z.object({ seen: z.int32().optional(), text: z.string().optional() }),
});
export interface Widget extends ObjectOf<typeof Widget> {}

export const Gadget = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Gadget",
  scope: "Namespaced",
  spec: z.object({ widget: z.string().optional() }),
  status: z.object({ seen: z.int32().optional() }),
});
export interface Gadget extends ObjectOf<typeof Gadget> {}

export function widget(name: string, spec: WriteOf<typeof Widget>["spec"] = {}, namespace = "default"): WriteOf<typeof Widget> {
  return { metadata: { name, namespace }, spec } as WriteOf<typeof Widget>;
}
