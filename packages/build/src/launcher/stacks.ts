/** Stacks of errors name files and lines of the sources. A source map is read once for each stack with a new place, and not kept: it is large. */
import { type Position, positionIn, type SourceMapText } from "./positions.ts";

const { readFileSync } = process.getBuiltinModule("node:fs");
const { fileURLToPath } = process.getBuiltinModule("node:url");

/** Places that are kept. A program throws at few of them. */
const KEPT = 2_000;

/** Makes V8 write the stacks of errors in this process with the places of the sources. */
export function mapStacks(root: string): void {
  const known = new Map<string, Position | undefined>();

  function find(maps: Maps, file: string, line: number, column: number): Position | undefined {
    const key = `${file}:${line}:${column}`;
    if (known.has(key)) return known.get(key);
    if (known.size >= KEPT) known.clear();
    if (!maps.has(file)) maps.set(file, mapOf(file));
    const map = maps.get(file);
    // Without a map the place is that in the bundle.
    const found = map === undefined ? undefined : positionIn(map, line, column);
    known.set(key, found);
    return found;
  }

  function shown(maps: Maps, site: NodeJS.CallSite): string {
    const text = String(site);
    const name = site.getFileName();
    const line = site.getLineNumber();
    const column = site.getColumnNumber();
    if (typeof name !== "string" || line === null || column === null) return text;
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    if (!file.startsWith(root)) return text;
    const found = find(maps, file, line, column);
    // A function, because a path may hold the patterns of replace(), such as `$$`.
    return found === undefined ? text : text.replace(`${name}:${line}:${column}`, () => `${found.file}:${found.line}:${found.column}`);
  }

  Error.prepareStackTrace = (error, sites) => {
    const maps: Maps = new Map();
    const lines = sites.map((site) => `\n    at ${shown(maps, site)}`).join("");
    return `${headOf(error)}${lines}`;
  };
}

/** The maps that one stack needs, by the file of the bundle. */
type Maps = Map<string, SourceMapText | undefined>;

function mapOf(file: string): SourceMapText | undefined {
  try {
    return JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapText;
  } catch {
    return undefined;
  }
}

/** As V8 writes it, also for an error whose name or message throws. */
function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "<error>";
  }
}
