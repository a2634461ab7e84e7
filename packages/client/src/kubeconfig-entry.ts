/** Entries of kubeconfig files and their fields. */
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError } from "./config-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A named entry and its file. */
export interface KubeconfigEntry {
  readonly file: string;
  readonly name: string;
  readonly fields: Fields;
  /** Whether the entry is from a text that is not a file, so that there is no folder for relative paths. @defaultValue false */
  readonly isText?: boolean;
}

/** The string in a field; `undefined` when it is absent or empty. @throws ConfigError for another type */
export function textField(entry: KubeconfigEntry, field: string): string | undefined {
  const value = entry.fields[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new ConfigError({ source: entry.file, problem: `${field} of "${entry.name}" is not a string`, fix: "put it in quotes" });
}

/** The path in a field. It may be relative to the file of the entry. */
export function pathField(entry: KubeconfigEntry, field: string): string | undefined {
  const value = textField(entry, field);
  if (value === undefined || isAbsolute(value)) return value;
  if (entry.isText !== true) return join(dirname(entry.file), value);
  throw new ConfigError({ source: entry.file, problem: `${field} of "${entry.name}" is a relative path`, fix: "write an absolute path" });
}
