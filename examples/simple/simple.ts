/** The resource. One declaration gives the types, the CRD, the columns of `kubectl get` and the texts of `kubectl explain`. */
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
    dividend: z.int32().describe("The number to divide"),
    divisor: z.int32().describe("The number to divide by; 0 is an error that only a change of the spec can fix"),
  }),
  status: z.object({
    quotient: z.int32().describe("dividend / divisor, rounded towards zero"),
    remainder: z.int32().describe("The rest of the division; has the sign of the dividend"),
  }),
  printerColumns: [
    { name: "Quotient", path: "status.quotient" },
    { name: "Remainder", path: "status.remainder" },
  ],
});
export interface Simple extends ObjectOf<typeof Simple> {}
