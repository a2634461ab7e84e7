/**
 * Schemas with values, and the recorded responses of kube-apiserver (server-answers.json), against which the model is tested.
 * To record again with another cluster: `node test/record-answers.ts KUBECONFIG`.
 */
import { z } from "zod";

export interface Answer {
  readonly name: string;
  readonly value: unknown;
  /** The stored spec; absent when the object was refused. */
  readonly stored?: unknown;
}

/** Schemas of the field `f`, each with values. */
export const CASES: Readonly<Record<string, { readonly field: z.ZodType; readonly values: readonly unknown[] }>> = {
  "minimum 0": { field: z.number().min(0), values: [-1, -0.5, 0, 0.5, 1] },
  float32: { field: z.float32(), values: [0, 1, -5, 1.5, 1e39] },
  "maximum 1e19": { field: z.number().max(1e19), values: [0, 1, 1.5, 1e18, 1e20] },
  "minimum 0.5": { field: z.number().min(0.5), values: [0, 0.4, 0.5, 1] },
  "below 1.5": { field: z.number().lt(1.5), values: [1, 1.4, 1.5, 2] },
  "above -0.5": { field: z.number().gt(-0.5), values: [-1, -0.5, 0] },
  "between, exclusive": { field: z.number().gt(0).lt(2), values: [0, 0.5, 1, 2] },
  "multiple of 3": { field: z.number().multipleOf(3), values: [0, 1.5, 3, 4, 4.5, -6] },
  "multiple of 2 and 3": { field: z.int().multipleOf(2).multipleOf(3), values: [2, 3, 6, 0] },
  int: { field: z.int(), values: [0, 1.5, 2 ** 53 - 1, 2 ** 53] },
  int32: { field: z.int32(), values: [2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1] },
  "integer between fractions": { field: z.int().min(0.5).lt(2.5), values: [0, 1, 2, 3] },
  "int-or-string": { field: z.union([z.int().min(0.5), z.string().max(2)]), values: [0, 1, "ab", "abc", 1.5, true] },
  "nullable enum": { field: z.enum(["a", "b.c"]).nullable(), values: ["a", "b.c", "bxc", null] },
  ipv6: { field: z.ipv6(), values: ["::", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7::8", "fe80::1%eth0"] },
  base64: { field: z.base64(), values: ["", "YQ==", "YQ"] },
  "length in characters": { field: z.string().min(1).max(2), values: ["", "a", "ab", "abc"] },
  patterns: {
    field: z
      .string()
      .regex(/^[\w-.]+$/)
      .regex(/\d$/),
    values: ["a-b.1", "a", "!1", "1"],
  },
  "defaults inside": {
    field: z.object({ a: z.int32().default(1), b: z.string().optional() }).prefault({}),
    values: [{}, { a: 2, c: 3 }, { b: 1 }],
  },
  "map of objects": {
    field: z.record(z.string(), z.object({ n: z.int32().default(4) })),
    values: [{ k: {} }, { k: { n: 1, x: 2 } }, { k: 1 }],
  },
  "free form": { field: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }), values: [null, 1, { a: [1] }, "x"] },
  "list bounds": { field: z.array(z.string()).min(1).max(2), values: [[], ["a"], ["a", "b", "c"], [1]] },
};
