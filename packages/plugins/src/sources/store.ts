/**
 * A folder of unpacked programs, each in a folder with the digest of its archive as name. Beside the program is its own digest, so a program
 * is checked before each start. A folder gets its name when it is complete; one that is incomplete is never used.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, mkdtemp, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { codeOf } from "./program.ts";
import { otherWriters } from "./trust.ts";

/** Writes the program to `file`, with `scratch` for other files, and returns its SHA-256. */
export type Fill = (file: string, scratch: string) => Promise<string>;

const DIGEST = "program.sha256";

/**
 * Returns the path of the program `name` from the archive with `digest`. `fill` makes it if it is missing or damaged.
 * @param folder made with the mode 0700 if it is missing
 */
export async function stored(folder: string | undefined, digest: string, name: string, fill: Fill): Promise<string> {
  const root = await privateFolder(folder);
  const home = join(root, digest);
  const file = join(home, name);
  if (await isWhole(home, name)) return file;
  const scratch = await mkdtemp(join(root, ".part-"));
  try {
    const part = join(scratch, "program");
    await mkdir(part, { mode: 0o700 });
    await writeFile(join(part, DIGEST), await fill(join(part, name), scratch), { flush: true });
    await sync(part);
    // What is there is damaged. Another process may have replaced it meanwhile; then its program is as good.
    await rm(home, { recursive: true, force: true });
    await rename(part, home).catch(async (error: unknown) => {
      if (!(await isWhole(home, name))) throw error;
    });
    await sync(root);
    return file;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Makes the folder if it is missing. @throws Error if others may write it */
async function privateFolder(given: string | undefined): Promise<string> {
  const folder = given ?? (await defaultFolder());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = await realpath(folder);
  const problem = await otherWriters(root);
  if (problem !== undefined) throw new Error(`${problem}, or set the option folder to one that only the operator may write`);
  return root;
}

/** That of the user's cache. A container has often none that can be written; then one among the temporary files. */
async function defaultFolder(): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "treadle", "plugins");
  try {
    await mkdir(cache, { recursive: true, mode: 0o700 });
    return cache;
  } catch {
    return join(tmpdir(), `treadle-plugins-${process.getuid?.() ?? "user"}`);
  }
}

/** Whether the program is there as it was written. */
async function isWhole(home: string, name: string): Promise<boolean> {
  try {
    const file = join(home, name);
    if (!(await lstat(file)).isFile()) return false;
    const hash = createHash("sha256");
    await pipeline(createReadStream(file), hash);
    return (await readFile(join(home, DIGEST), "utf8")) === hash.digest("hex");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Writes a folder's entries to the disk. Windows cannot. */
async function sync(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
