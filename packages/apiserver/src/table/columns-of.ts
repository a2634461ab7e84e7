/** The columns of a kind's table: those of its CRD or of the built-in kind, or else name and time of creation. */
import type { Served } from "../storage/registry.ts";
import { type Column, CREATED_TEXT, DEFAULT_COLUMNS, NAME, NAME_TEXT } from "./column.ts";
import { COLUMNS } from "./columns.ts";

export function columnsOf({ type, version }: Served): readonly Column[] {
  if (!type.isCustom) return builtIn().get(type.id) ?? DEFAULT_COLUMNS;
  return [NAME, ...(version.printerColumns ?? []).map(({ column }) => column)];
}

let parsed: ReadonlyMap<string, readonly Column[]> | undefined;

function builtIn(): ReadonlyMap<string, readonly Column[]> {
  if (parsed !== undefined) return parsed;
  const columns = new Map<string, Column[]>();
  let current: Column[] = [];
  for (const line of COLUMNS.split("\n")) {
    if (line.startsWith("# ")) {
      current = [];
      columns.set(line.slice(2), current);
    } else current.push(readColumn(line));
  }
  parsed = columns;
  return columns;
}

function readColumn(line: string): Column {
  const [name = "", type = "", format = "", priority = "", ...rest] = line.split("|");
  const text = rest.join("|").replaceAll("\\n", "\n");
  const description = text === "@name" ? NAME_TEXT : text === "@created" ? CREATED_TEXT : text;
  return { name, type, format, description, priority: Number(priority) };
}
