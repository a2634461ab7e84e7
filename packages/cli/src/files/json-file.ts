/** Reads a file of JSON, such as package.json. */
import { existsSync, readFileSync } from "node:fs";
import { CliError } from "../cli-error.ts";
import { isRecord, type Json } from "../json.ts";

/** Returns the object in a file, an empty one for another value, and `undefined` without the file. @throws CliError if it is no JSON */
export function readJsonFile(path: string): Json | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Some editors of Windows write a mark of the byte order, which package managers accept.
    const value: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
    return isRecord(value) ? value : {};
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
