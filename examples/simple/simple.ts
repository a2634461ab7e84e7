/** The resource: one declaration gives the types, the CRD, its columns in `kubectl get`, and what `kubectl explain` says. */
import { defineResource, type ObjectOf } from "treadle";
import { z } from "zod";

export const Simple = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "Simple",
  plural: "simples",
  scope: "Namespaced",
  description: "Divides one integer by another.",
  spec: z.object({
    dividend: z.int32().describe("What is divided"),
    divisor: z.int32().describe("By what it is divided; 0 is an error that only a change of the spec can mend"),
  }),
  status: z.object({
    quotient: z.int32().describe("dividend / divisor, rounded towards zero"),
    remainder: z.int32().describe("What is left; has the sign of the dividend"),
  }),
  printerColumns: [
    { name: "Quotient", path: "status.quotient" },
    { name: "Remainder", path: "status.remainder" },
  ],
});
export interface Simple extends ObjectOf<typeof Simple> {}
