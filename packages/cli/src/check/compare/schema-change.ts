/** A change in a schema, and the comparison of plain values. */
import { isDeepStrictEqual } from "node:util";
import type { ChangeId } from "../change-ids.ts";
import type { Breaks } from "../problem.ts";

/** A difference between two schemas. */
export interface SchemaChange {
  readonly id: ChangeId;
  readonly breaks: Breaks;
  /** Empty for the object itself. */
  readonly path: string;
  readonly message: string;
  /** Empty where nothing has to be done. */
  readonly remedy: string;
}

export function equal(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}
