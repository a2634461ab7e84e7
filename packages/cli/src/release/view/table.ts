/** Tables: columns where they fit, and a block of lines for each row in a narrow terminal. Pure. */
import { painter, shortened, type Tone, widthOf, wrapped } from "../../terminal/layout.ts";

/** A cell of a table. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** A row, and a text below it. */
export interface TableRow {
  readonly cells: readonly Cell[];
  readonly note?: string | undefined;
}

export interface TableOptions {
  /** `undefined`: lines are not broken. */
  readonly columns: number | undefined;
  readonly hasColors: boolean;
}

/** Returns the table with a line break at its end. */
export function tableText(headers: readonly string[], rows: readonly TableRow[], options: TableOptions): string {
  const { columns } = options;
  const widths = headers.map((header, i) => Math.max(widthOf(header), ...rows.map(({ cells }) => widthOf(cells[i]?.text ?? ""))));
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  const isNarrow = columns !== undefined && total > columns;
  const lines = isNarrow ? rows.flatMap((row) => block(headers, row, options)) : wide(headers, rows, { widths, options });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function wide(
  headers: readonly string[],
  rows: readonly TableRow[],
  { widths, options }: { readonly widths: readonly number[]; readonly options: TableOptions },
): readonly string[] {
  const paint = painter(options.hasColors);
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(
        ({ text, tone }, i) => (tone === undefined ? text : paint(tone, text)) + " ".repeat(Math.max(0, (widths[i] ?? 0) - widthOf(text))),
      )
      .join("  ")
      .trimEnd();
  return [line(headers.map((text) => ({ text, tone: "title" }))), ...rows.flatMap((row) => [line(row.cells), ...noteLines(row, options)])];
}

function block(headers: readonly string[], row: TableRow, options: TableOptions): readonly string[] {
  const { columns = 40, hasColors } = options;
  const paint = painter(hasColors);
  const [first = { text: "" }, ...rest] = row.cells;
  const label = Math.max(...headers.slice(1).map(widthOf));
  const lines = rest.flatMap(({ text, tone }, i) => {
    if (text === "") return [];
    const head = `  ${(headers[i + 1] ?? "").toLowerCase().padEnd(label)}  `;
    const shown = shortened(text, Math.max(8, columns - head.length));
    return [`${head}${tone === undefined ? shown : paint(tone, shown)}`];
  });
  return [shortened(first.text, columns), ...lines, ...noteLines(row, options)];
}

function noteLines({ note }: TableRow, { columns, hasColors }: TableOptions): readonly string[] {
  if (note === undefined || note === "") return [];
  return [painter(hasColors)("quiet", wrapped(note, columns, { first: "  ", rest: "  " }))];
}
