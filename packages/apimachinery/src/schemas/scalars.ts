/** Scalars that Kubernetes stores as a number or a string. */
import type { z } from "zod";
import { intOrStringSchema, quantitySchema } from "./to-zod.ts";

/** Returns the schema of a quantity, such as `500m`, `2Gi` or `1`. The server stores it as it was sent: a number stays a number. */
export function quantity(): z.ZodType<string | number, string | number> {
  return quantitySchema();
}

/** Returns the schema of an integer or a string, such as a port by number or name. */
export function intOrString(): z.ZodType<string | number, string | number> {
  return intOrStringSchema();
}
