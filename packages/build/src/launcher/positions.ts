/** Finds the place in the sources for a place in a bundle, without keeping the source map in memory. */

/** A place in a file: line and column from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The parts of a source map that matter here. */
export interface SourceMapText {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES: readonly number[] = Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));

/** The place in the sources for a place in the file of the map: that of the last mapping before it in its line. */
export function positionIn({ sources, mappings }: SourceMapText, line: number, column: number): Position | undefined {
  // Column in the bundle, then source, line and column there: each is the difference to the one before.
  const state = [0, 0, 0, 0];
  let found: Position | undefined;
  let at = 0;
  let row = 1;
  while (at < mappings.length && row <= line) {
    const char = mappings[at];
    if (char === ";") {
      row++;
      state[0] = 0;
      at++;
    } else if (char === ",") at++;
    else {
      let field = 0;
      for (; at < mappings.length && mappings[at] !== "," && mappings[at] !== ";"; field++) {
        let value = 0;
        let shift = 0;
        let digit: number;
        do {
          digit = VALUES[mappings.charCodeAt(at++)] ?? 0;
          value |= (digit & 31) << shift;
          shift += 5;
        } while (digit >= 32 && at < mappings.length);
        if (field < state.length) state[field] = (state[field] ?? 0) + (value & 1 ? -(value >> 1) : value >> 1);
      }
      const [from = 0, source = 0, sourceLine = 0, sourceColumn = 0] = state;
      const file = sources[source];
      if (row === line && from < column && field > 1 && file !== undefined)
        found = { file, line: sourceLine + 1, column: sourceColumn + 1 };
    }
  }
  return found;
}
