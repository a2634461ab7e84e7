/** Reads the files that a layout is compared with. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { CliError } from "../../cli-error.ts";

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
