/** The values of a command line: files with `-f`, then `--set`, merged as Helm does. */
import { readFile } from "node:fs/promises";
import { readYaml } from "@treadle/dependents/unstable/render";
import { mergeParameters } from "@treadle/generators";
import { CliError } from "../../cli-error.ts";
import { isRecord } from "../../json.ts";
import { setValues } from "./set-flag.ts";

/** The flags that give values. */
export interface ValueFlags {
  readonly values?: readonly string[];
  readonly set?: readonly string[];
}

/** @throws CliError that names the file or the flag */
export async function valuesOf(
  { values: files = [], set = [] }: ValueFlags,
  input: () => Promise<string>,
): Promise<Record<string, unknown>> {
  const read = await Promise.all(files.map((file) => valuesIn(file, input)));
  return set.reduce((values, text) => setValues(values, text), mergeParameters({}, ...read));
}

async function valuesIn(file: string, input: () => Promise<string>): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = file === "-" ? await input() : await readFile(file, "utf8");
  } catch (error) {
    throw new CliError(`-f ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  let documents: readonly unknown[];
  try {
    documents = readYaml(text).map(({ value }) => value);
  } catch (error) {
    throw new CliError(`-f ${file} is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [value = {}, another] = documents;
  if (another !== undefined) throw new CliError(`-f ${file} has several documents; a file with values has one`);
  if (value === null) return {};
  if (!isRecord(value)) throw new CliError(`-f ${file} is no map of values; write KEY: VALUE lines`);
  return value;
}
