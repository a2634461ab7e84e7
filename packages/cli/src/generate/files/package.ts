/** The package of a module: it names the operator and its version. */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CliError } from "../../cli-error.ts";
import { isRecord, textAt } from "../../json.ts";

/** What of a package.json counts. */
export interface ProgramPackage {
  /** The name without its scope; empty: none. */
  readonly name: string;
  readonly version: string;
}

/** Returns the package of a module: that of the nearest package.json with a name. @throws CliError for one that cannot be read */
export async function packageOf(module: string): Promise<ProgramPackage> {
  for (let folder = dirname(resolve(module)); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    const text = await readFile(file, "utf8").catch(() => undefined);
    const given = text === undefined ? undefined : parsed(text, file);
    const name = textAt(given, "name");
    if (name !== "") return { name: name.replace(/^@[^/]*\//, ""), version: textAt(given, "version") || "0.0.0" };
    if (dirname(folder) === folder) return { name: "", version: "0.0.0" };
  }
}

function parsed(text: string, file: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}
