/**
 * Plugins as files of a folder. A file counts when it was the same in two looks, at least a second apart, so a copy in progress is not
 * started. The same holds for its removal, so a file that is replaced is not removed for a moment.
 */
import { access, constants, lstat, readdir, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { sleep } from "@treadle/apimachinery";
import type { Origin, PluginSource, PluginSourceEnv } from "../connection.ts";
import { messageOf } from "../wire/texts.ts";
import { absolute, codeOf, type Launch, launch, originOf, type ProgramOptions } from "./source.ts";
import { otherWriters } from "./trust.ts";

/** Options of {@link folder}. */
export interface FolderOptions extends ProgramOptions {
  /** Whether links may lead out of the folder. @defaultValue false */
  readonly allowLinksOut?: boolean;
  /**
   * Whether other users may write the folder, its files and the folders above. Volumes of Kubernetes are often writable for all users of
   * their pod. @defaultValue false: these are refused
   */
  readonly allowOtherWriters?: boolean;
}

/** Time between two looks, in milliseconds. */
const LOOK_MS = 10_000;
/** Time after which something new is looked at again, in milliseconds. */
const SETTLE_MS = 1000;
/** The entry for the folder itself. No file has this name. */
const FOLDER = ".";
const EXTENSION = /\.(?:exe|[cm]?js|ts|py|sh)$/i;

/**
 * Makes a source of the executable files in a folder whose names do not begin with a dot. Each is started with the rights of the operator,
 * so it must be trusted as the operator is.
 *
 * The folder is looked at every 10 s. A changed file is started beside the old program, a removed one is stopped. Other files are reported
 * once. So is a missing folder; it is looked at again. The name of a plugin is the file's, without `.exe`, `.js`, `.mjs`, `.cjs`, `.ts`,
 * `.py` or `.sh`.
 *
 * Refused are links out of the folder, and files and folders that users other than root and the operator's may write. This holds for the
 * folders above as well; sticky ones such as /tmp are accepted there. See {@link FolderOptions} for exceptions.
 *
 * @param path absolute, or relative to the working folder
 * @throws TypeError for an empty path
 */
export function folder(path: string, options: FolderOptions = {}): PluginSource {
  return folderSource(path, options, launch);
}

/** {@link folder} with another way to start programs. */
export function folderSource(path: string, options: FolderOptions, start: Launch): PluginSource {
  const place: Place = { ...options, path: absolute(path, "./plugins"), start };
  return {
    title: `folder ${place.path}`,
    async start(env, signal) {
      const look = looker(place, env, signal);
      const hasWaited = (delayMs: number): Promise<boolean> =>
        sleep(env.clock, delayMs, signal).then(
          () => true,
          () => false,
        );
      let delayMs = await look();
      if (delayMs === SETTLE_MS && (await hasWaited(delayMs))) delayMs = await look();
      void (async () => {
        while (await hasWaited(delayMs)) delayMs = await look();
      })();
    },
  };
}

interface Place extends FolderOptions {
  readonly path: string;
  readonly start: Launch;
}

interface ProgramFile {
  readonly name: string;
  readonly file: string;
  readonly revision: string;
}

/** A program, or the sentence that explains why an entry is not one. */
type Found = ProgramFile | string;

/** Returns a function that looks once, reports what has settled, and returns the time until the next look. It never rejects. */
function looker(place: Place, env: PluginSourceEnv, signal: AbortSignal): () => Promise<number> {
  const accepted = new Map<string, Found>();
  let unsettled = new Map<string, string>();
  return async () => {
    const found = await foundIn(place, accepted);
    if (signal.aborted) return LOOK_MS;
    const changes = [...new Set([...accepted.keys(), ...found.keys()])]
      .map((entry) => ({ entry, before: accepted.get(entry), now: found.get(entry) }))
      .filter(({ before, now }) => keyOf(before) !== keyOf(now));
    const settled = changes.filter(({ entry, now }) => unsettled.get(entry) === keyOf(now));
    unsettled = new Map(changes.filter((change) => !settled.includes(change)).map(({ entry, now }) => [entry, keyOf(now)]));
    // First what is removed: another file may have its name now.
    for (const { before, now } of settled) if (typeof before === "object" && typeof now !== "object") env.withdraw(before.name);
    for (const { entry, now } of settled) {
      if (now === undefined) accepted.delete(entry);
      else accepted.set(entry, now);
      if (typeof now === "object") env.offer(programOf(now, place));
      if (typeof now === "string") env.log.warn({ source: place.path, ...(entry === FOLDER ? {} : { file: entry }) }, now);
    }
    return unsettled.size === 0 ? LOOK_MS : SETTLE_MS;
  };
}

/** What must be equal in two looks. */
function keyOf(found: Found | undefined = ""): string {
  return typeof found === "string" ? found : found.revision;
}

function programOf({ name, file, revision }: ProgramFile, place: Place): Origin {
  const { envNames, start } = place;
  const connect: Origin["connect"] = (env, signal) => start(file, { ...env, plugin: name, envNames }, signal);
  return originOf({ name, title: file, revision, connect }, place);
}

/** All entries of the folder without dot files. The folder itself is an entry if it has a problem. */
async function foundIn(place: Place, before: ReadonlyMap<string, Found>): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const names = new Map<string, string>();
  try {
    const root = await realpath(place.path);
    const writers = await writersOf(root, place);
    if (writers !== undefined) return new Map([[FOLDER, `no plugin is taken from ${place.path}: ${writers}`]]);
    for (const entry of (await readdir(root)).sort()) {
      if (entry.startsWith(".")) continue;
      const name = entry.replace(EXTENSION, "");
      const other = names.get(name);
      const at = other === undefined ? await fileAt(root, entry, place) : `it has the same name as ${other}: rename one of them`;
      found.set(entry, typeof at === "string" ? `${join(place.path, entry)} is not used as a plugin: ${at}` : { ...at, name });
      if (typeof at === "object") names.set(name, entry);
    }
    return found;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return new Map([[FOLDER, `the folder of plugins ${place.path} is missing: create it, or mount it`]]);
    // A folder that cannot be read is no reason to stop its programs.
    return new Map([...before, [FOLDER, `the folder of plugins ${place.path} cannot be read: ${messageOf(error)}`]]);
  }
}

/** The program at an entry, or why there is no program. */
async function fileAt(root: string, entry: string, place: Place): Promise<Omit<ProgramFile, "name"> | string> {
  try {
    const file = await realpath(join(root, entry));
    const path = relative(root, file);
    const isOutside = isAbsolute(path) || path.split(sep)[0] === "..";
    if (isOutside && place.allowLinksOut !== true)
      return `it is a link out of the folder, to ${file}: copy that file, or set allowLinksOut`;
    const stats = await lstat(file, { bigint: true });
    if (!stats.isFile()) return "it is not a regular file: move it out of the folder";
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isExecutable) return "it is not executable: run chmod +x, or move it out of the folder";
    const revision = [file, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
    return (await writersOf(file, place)) ?? { file, revision };
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}

async function writersOf(path: string, { allowOtherWriters }: Place): Promise<string | undefined> {
  const problem = allowOtherWriters === true ? undefined : await otherWriters(path);
  return problem === undefined ? undefined : `${problem}, or set allowOtherWriters`;
}
