/** Reads and writes the files of a layout. */
import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../../cli-error.ts";
import { writeFiles } from "../../new/write.ts";
import type { Layout } from "../layouts/layout.ts";
import type { PlannedFile, Present } from "./plan.ts";

/** Larger files are no manifests that a person reads. */
const MAX_BYTES = 10 * 2 ** 20;

/** Folders with files of others, which may be many. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Returns what is in a folder, by paths with `/`. A folder that does not exist has nothing.
 *
 * @throws CliError for a file, and for what cannot be read
 */
export async function readFolder(folder: string): Promise<Present> {
  const present = { texts: new Map<string, string>(), obstacles: new Set<string>(), folders: new Set<string>() };
  try {
    const found = await stat(folder).catch(() => undefined);
    if (found === undefined) return present;
    if (!found.isDirectory()) throw new CliError(`${folder} is a file: name a folder with --out`);
    await readInto(present, folder, "");
    return present;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot read ${folder}: ${(error as Error).message}`, { cause: error });
  }
}

interface Reading {
  readonly texts: Map<string, string>;
  readonly obstacles: Set<string>;
  readonly folders: Set<string>;
}

async function readInto(present: Reading, folder: string, before: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = before + entry.name;
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      present.folders.add(path);
      if (!SKIPPED.has(entry.name)) await readInto(present, file, `${path}/`);
    } else if (await isText(entry, file)) present.texts.set(path, await readFile(file, "utf8"));
    else present.obstacles.add(path);
  }
}

/** A link may lead out of the folder, to a file of the user. */
async function isText(entry: Dirent, file: string): Promise<boolean> {
  return entry.isFile() && (await lstat(file)).size <= MAX_BYTES;
}

/** Writes what is missing or stale, all or nothing, and removes what is superfluous, with the folders that are empty then. */
export async function writeFolder(
  folder: string,
  { generated, once }: Layout,
  planned: readonly PlannedFile[],
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const texts = planned.flatMap(({ path, state }): [string, string | undefined][] => {
    if (state === "superfluous") return [[path, undefined]];
    const text = generated.get(path) ?? once.get(path);
    return text !== undefined && (state === "missing" || state === "stale") ? [[path, text]] : [];
  });
  if (texts.length === 0) return;
  writeFiles(folder, Object.fromEntries(texts), signal);
  for (const [path, text] of texts) if (text === undefined) await removeEmpty(dirname(join(folder, path)), folder);
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root || (await readdir(folder)).length > 0) return;
  await rmdir(folder);
  await removeEmpty(dirname(folder), root);
}
