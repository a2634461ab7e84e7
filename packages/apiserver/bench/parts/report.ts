/** The rows of a benchmark's table. */
import { loadavg } from "node:os";

export interface Row {
  readonly what: string;
  /** Goal; empty for a figure that is only a comparison. */
  readonly goal: string;
  readonly measured: string;
  readonly isMet?: boolean;
  /** All measured values. */
  readonly raw: unknown;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns a quantile. @throws RangeError without values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new RangeError("there is no quantile of nothing");
  return value;
}

/** Returns the average number of running threads in the last minute. Other work on the machine makes the figures worse. */
export function machineLoad(): number {
  return Number((loadavg()[0] ?? 0).toFixed(1));
}

/** Prints the rows as a table, and all measured values as a line of JSON. */
export function print(rows: readonly (Row & { readonly load: number })[]): void {
  const table = [["what", "goal", "measured", "", "load"], ...rows.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of table) console.log(cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  console.log(`raw ${JSON.stringify(Object.fromEntries(rows.map(({ what, raw, load }) => [what, { load, raw }])))}`);
}

function cellsOf({ what, goal, measured, isMet, load }: Row & { readonly load: number }): readonly string[] {
  return [what, goal, measured, isMet === undefined ? "" : isMet ? "ok" : "MISSED", String(load)];
}
