/** Entries of kubeconfig files, and the reading of their fields. */
import { dirname, isAbsolute, join } from "node:path";
import { ConfigError } from "./config-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A named entry and the file that it is from. */
export interface KubeconfigEntry {
  readonly file: string;
  readonly name: string;
  readonly fields: Fields;
}

/** The text in a field; nothing when it is absent or empty. @throws ConfigError when it is something else. */
export function textField(entry: KubeconfigEntry, field: string): string | undefined {
  const value = entry.fields[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new ConfigError({ source: entry.file, problem: `${field} of "${entry.name}" is not a text`, fix: "put it in quotes" });
}

/** The path in a field, relative to the entry's file. */
export function pathField(entry: KubeconfigEntry, field: string): string | undefined {
  const value = textField(entry, field);
  return value === undefined || isAbsolute(value) ? value : join(dirname(entry.file), value);
}
