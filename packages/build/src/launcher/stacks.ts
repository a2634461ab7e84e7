/** Stacks of errors name files and lines of the sources. A source map is read when the first stack needs it, and not kept. */
import { type Position, positionIn, type SourceMapText } from "./positions.ts";

const { readFileSync } = process.getBuiltinModule("node:fs");
const { fileURLToPath } = process.getBuiltinModule("node:url");

/** Places that are kept. A program throws at few of them. */
const KEPT = 2_000;

/** Makes V8 write the stacks of errors in this process with the places of the sources. */
export function mapStacks(root: string): void {
  const known = new Map<string, Position | undefined>();

  function find(file: string, line: number, column: number): Position | undefined {
    const key = `${file}:${line}:${column}`;
    if (known.has(key)) return known.get(key);
    if (known.size >= KEPT) known.clear();
    let found: Position | undefined;
    try {
      found = positionIn(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapText, line, column);
    } catch {
      // Without a map the place is that in the bundle.
    }
    known.set(key, found);
    return found;
  }

  function shown(site: NodeJS.CallSite): string {
    const text = String(site);
    const name = site.getFileName();
    const line = site.getLineNumber();
    const column = site.getColumnNumber();
    if (typeof name !== "string" || line === null || column === null) return text;
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    if (!file.startsWith(root)) return text;
    const found = find(file, line, column);
    return found === undefined ? text : text.replace(`${name}:${line}:${column}`, `${found.file}:${found.line}:${found.column}`);
  }

  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => `\n    at ${shown(site)}`).join("");
    return `${headOf(error)}${lines}`;
  };
}

/** As V8 writes it, also for an error whose name or message throws. */
function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "<error>";
  }
}
