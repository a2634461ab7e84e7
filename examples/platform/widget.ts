/** A kind that the platform brings to the cluster. Its users create Widgets, too. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const Widget = defineResource({
  group: "widgets.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  description: "A part of a tenant's page.",
  spec: z.object({ title: z.string().default("") }),
});
export interface Widget extends ObjectOf<typeof Widget> {}
