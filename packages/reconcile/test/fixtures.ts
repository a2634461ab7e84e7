/** Kinds and builders that the engine's tests share. */
import { defineResource, kind, type ObjectOf, type WriteOf } from "@treadle/apimachinery";
import { z } from "zod";

export const Widget = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ size: z.int32().default(1), note: z.string().optional() }),
  status: z.object({ count: z.int32().optional(), parts: z.record(z.string(), z.string()).optional(), other: z.string().optional() }),
});
export interface Widget extends ObjectOf<typeof Widget> {}

/** Somebody else's CRD: its status keeps what it knows, and that is neither observedGeneration nor steps. */
export const Foreign = kind({ group: "foreign.example.com", version: "v1", kind: "Foreign", plural: "foreigns" });

export const FINALIZER = "test.treadle.dev/widgets.test.treadle.dev";

export function widget(
  given: {
    readonly name?: string;
    readonly spec?: WriteOf<typeof Widget>["spec"];
    readonly annotations?: Record<string, string>;
    readonly finalizers?: string[];
  } = {},
): WriteOf<typeof Widget> {
  const { name = "a", spec = {}, ...metadata } = given;
  return { metadata: { name, namespace: "default", ...metadata }, spec } as WriteOf<typeof Widget>;
}

export const boom: Error = new Error("boom");
