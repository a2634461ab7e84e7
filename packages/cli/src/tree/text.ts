/** A tree as text: in columns where they fit, in two lines for each object in a narrow terminal. */
import { duration, painter, shortened, type Tone, widthOf, wrapped } from "../terminal/layout.ts";
import { type ObjectTree, type Row, rowsOf } from "./rows.ts";

/** How to write text. */
export interface TreeTextOptions {
  /** Width of the terminal. `undefined`: lines are not broken. */
  readonly columns: number | undefined;
  readonly hasColors: boolean;
  /** Now, for ages. */
  readonly nowMs: number;
}

const TONES: Readonly<Record<string, Tone>> = { Ready: "good", Pending: "waiting", Failed: "bad", Unknown: "waiting" };

/** Returns the tree as text, with a line break at its end. */
export function treeText(tree: ObjectTree, options: TreeTextOptions): string {
  const rows = rowsOf(tree);
  const cells = rows.map((row) => cellsOf(row, options.nowMs));
  const widths = [0, 1, 2].map((index) => Math.max(...cells.map((each) => widthOf(each[index] ?? ""))));
  const total = widths.reduce((sum, each) => sum + each + 2, -2);
  const isNarrow = options.columns !== undefined && total > options.columns;
  const lines = rows.flatMap((row, index) => {
    const own = cells[index] ?? ["", "", ""];
    return isNarrow ? narrow(row, own, options) : wide(row, own, { widths, options });
  });
  const unread = tree.unread
    .slice(0, 8)
    .map(({ what, why }) => wrapped(`${what}: ${why}.`, options.columns, { first: "  - ", rest: "    " }));
  return [...lines, ...(unread.length === 0 ? [] : ["", "Not read, so the tree may be incomplete:", ...unread]), ""].join("\n");
}

type Cells = readonly [label: string, state: string, age: string];

function cellsOf({ prefix, label, state }: Row, nowMs: number): Cells {
  const name = `${prefix}${label}`;
  if (state === undefined) return [name, "", ""];
  const { health, reason, since } = state;
  return [name, reason === health ? health : `${health} (${reason})`, since === undefined ? "" : duration(nowMs - Date.parse(since))];
}

function wide(
  row: Row,
  [label, state, age]: Cells,
  { widths: [first = 0, second = 0], options }: { readonly widths: readonly number[]; readonly options: TreeTextOptions },
): readonly string[] {
  const paint = painter(options.hasColors);
  const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));
  const tone = TONES[row.state?.health ?? ""];
  const shownState = tone === undefined ? state : paint(tone, state);
  const line = `${pad(label, first)}  ${shownState}${" ".repeat(Math.max(0, second - widthOf(state)))}  ${age}`.trimEnd();
  return [line, ...messageLines(row, options)];
}

function narrow(row: Row, [label, state, age]: Cells, options: TreeTextOptions): readonly string[] {
  const { columns = 40, hasColors } = options;
  const paint = painter(hasColors);
  const tone = TONES[row.state?.health ?? ""];
  const name = `${row.prefix}${shortened(label.slice(row.prefix.length), Math.max(8, columns - widthOf(row.prefix)))}`;
  if (tone === undefined) return [name];
  const indent = `${row.hanging}  `;
  const text = shortened(`${state}${age === "" ? "" : ` ${age}`}`, Math.max(8, columns - widthOf(indent)));
  return [name, `${indent}${paint(tone, text)}`, ...messageLines(row, options)];
}

/** Why an object is not ready stands below it. */
function messageLines({ state, hanging }: Row, { columns, hasColors }: TreeTextOptions): readonly string[] {
  if (state === undefined || state.health === "Ready" || state.message === "") return [];
  const indent = `${hanging}  `;
  return [painter(hasColors)("quiet", wrapped(state.message, columns, { first: indent, rest: indent }))];
}
