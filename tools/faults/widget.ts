/** What the operator under faults reconciles. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { z } from "zod";

/** Reads the ConfigMap and the Secret of its name, and says in its status what it saw. */
export const Widget = defineResource({
  group: "faults.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ value: z.string() }),
  status: z.object({ value: z.string().optional(), text: z.string().optional(), secret: z.string().optional() }),
});
export interface Widget extends ObjectOf<typeof Widget> {}

/** The name of the objects that are never deleted, and changed last. */
export const FIRST = "w0";
/** The name of the objects that are changed first, and deleted at the end of each series of writes. */
export const LAST = "w8";
