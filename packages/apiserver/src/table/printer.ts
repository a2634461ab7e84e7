/** What a printer of a kind is: from an object to the cells of its row. */
import type { JsonObject } from "../internal/json.ts";

/** Cells in the order of the kind's columns, those of wide tables included. */
export type Cells = readonly unknown[];

export interface Printing {
  /** The time from which ages are counted. */
  readonly nowMs: number;
  /** metadata.name. */
  readonly name: string;
  /** Since the creation. */
  readonly age: string;
}

export type Printer = (object: JsonObject, printing: Printing) => Cells;
