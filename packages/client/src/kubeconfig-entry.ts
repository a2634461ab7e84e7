/** Entries of kubeconfig files and their fields. */
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError } from "./config-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A named entry and its file. */
export interface KubeconfigEntry {
  readonly file: string;
  readonly name: string;
  readonly fields: Fields;
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
  return value === undefined || isAbsolute(value) ? value : join(dirname(entry.file), value);
}
