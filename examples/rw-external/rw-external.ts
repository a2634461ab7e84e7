/** The resource: it names the Secret to read and the Secret to write. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

/** A valid name of a Secret. The server refuses any other text, so a name is never mistaken for a path. */
const secretName = (): z.ZodString =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

export const RWExternal = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "RWExternal",
  plural: "rwexternals",
  scope: "Namespaced",
  description: "Divides the integers of one Secret and stores the result in another.",
  spec: z.object({
    inputSecret: secretName().describe("Secret with the keys dividend and divisor, in the same namespace"),
    outputSecret: secretName().optional().describe("Secret for the keys quotient and remainder; by default named like this object"),
  }),
  status: z.object({
    outputSecret: z.string().describe("Secret that holds the result"),
  }),
  printerColumns: [
    { name: "Input", path: "spec.inputSecret" },
    { name: "Output", path: "status.outputSecret" },
  ],
});
export interface RWExternal extends ObjectOf<typeof RWExternal> {}

/** The persistent name of the handler. Labels, the finalizer and the field manager contain it. */
export const NAME = "rwexternals.examples.treadle.dev";

/** Returns the name of the Secret with the result. */
export function outputOf({ metadata, spec }: RWExternal): string {
  return spec.outputSecret ?? metadata.name;
}
