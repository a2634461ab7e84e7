/** Reads and writes the files of a layout. */
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { CliError } from "../../cli-error.ts";
import type { Layout } from "../layouts/layout.ts";
import type { PlannedFile } from "./plan.ts";

/** Larger files are no manifests that a person reads. */
const MAX_BYTES = 10 * 2 ** 20;

/** Returns the texts of the files in a folder by their paths, with `/`. A folder that does not exist has none. @throws CliError for a file */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return new Map();
  if (!found.isDirectory()) throw new CliError(`${folder} is a file: name a folder with --out`);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const texts = new Map<string, string>();
  for (const path of paths.toSorted()) {
    if ((await stat(path)).size > MAX_BYTES) continue;
    texts.set(path.slice(join(folder, sep).length).split(sep).join("/"), await readFile(path, "utf8"));
  }
  return texts;
}

/** Writes what is missing or stale, and removes what is superfluous, with the folders that are empty then. */
export async function writeFolder(folder: string, { generated, once }: Layout, planned: readonly PlannedFile[]): Promise<void> {
  for (const { path, state } of planned) {
    const file = join(folder, path);
    if (state === "superfluous") {
      await rm(file);
      await removeEmpty(dirname(file), folder);
    }
    const text = generated.get(path) ?? once.get(path);
    if (text === undefined || (state !== "missing" && state !== "stale")) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root || (await readdir(folder)).length > 0) return;
  await rmdir(folder);
  await removeEmpty(dirname(folder), root);
}
