/** The type of a printer, which makes the cells of a row from an object. */
import type { JsonObject } from "../internal/json.ts";

/** Cells in the order of the kind's columns, including those of wide tables. */
export type Cells = readonly unknown[];

export interface Printing {
  /** Time for the calculation of ages, in milliseconds. */
  readonly nowMs: number;
  /** metadata.name. */
  readonly name: string;
  /** Formatted time since the creation. */
  readonly age: string;
}

export type Printer = (object: JsonObject, printing: Printing) => Cells;
