/** Where a function of a profile is in the sources. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallFrame } from "./cpu-profile.ts";

/** Names a function and its place. */
export type PlaceOf = (frame: CallFrame) => string;

/**
 * Returns a function that shows "name file:line", with paths relative to `root`. A source map beside a compiled file leads to the source,
 * and to the name where a bundle has a shorter one.
 */
export function placesIn(root: string): PlaceOf {
  const maps = new Map<string, SourceMap | undefined>();
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName || "(anonymous)";
    if (url === "") return name;
    if (!url.startsWith("file:")) return `${name} ${url}`;
    const file = fileURLToPath(url);
    if (!maps.has(file)) maps.set(file, mapBeside(file));
    // Node returns the name as well; its types lack it.
    const found: ReturnType<SourceMap["findEntry"]> & { readonly name?: string } =
      maps.get(file)?.findEntry(lineNumber, columnNumber) ?? {};
    if (!("originalSource" in found)) return `${name} ${relative(root, file)}:${lineNumber + 1}`;
    const source = found.originalSource.startsWith("file:") ? fileURLToPath(found.originalSource) : found.originalSource;
    const path = relative(root, resolve(dirname(file), source));
    return `${found.name ?? name} ${path}:${found.originalLine + 1}`;
  };
}

/** A file without a map, or with one that is not JSON, is its own source. */
function mapBeside(file: string): SourceMap | undefined {
  if (!existsSync(`${file}.map`)) return undefined;
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
