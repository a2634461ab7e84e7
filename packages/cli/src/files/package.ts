/** The package of a module: its folder is the project, and it names the operator and its version. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { textAt } from "../json.ts";
import { readJsonFile } from "./json-file.ts";

/** What of a package.json counts. */
export interface ProgramPackage {
  /** The name without its scope; empty: none. */
  readonly name: string;
  readonly version: string;
}

/** Returns the package of a module: that of the nearest package.json with a name. @throws CliError for one that cannot be read */
export function packageOf(module: string): ProgramPackage {
  for (const folder of foldersAbove(module)) {
    const given = readJsonFile(join(folder, "package.json"));
    const name = textAt(given, "name");
    if (name !== "") return { name: name.replace(/^@[^/]*\//, ""), version: textAt(given, "version") || "0.0.0" };
  }
  return { name: "", version: "0.0.0" };
}

/** Returns the folder of the project of a module: the nearest one with a package.json, else that of the module. */
export function projectFolderOf(module: string): string {
  return foldersAbove(module).find((folder) => existsSync(join(folder, "package.json"))) ?? dirname(resolve(module));
}

/** The nearest first. */
function foldersAbove(path: string): readonly string[] {
  const folder = dirname(resolve(path));
  return folder === resolve(path) ? [] : [folder, ...foldersAbove(folder)];
}
