/**
 * Sees that files were written. It watches their folders and not the files: editors save by a rename, after which a watch of the file would
 * follow the old one. A report of a folder is only a hint, because systems differ in what they report; the time and size of the files decide.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, sep } from "node:path";
import type { Clock, Timer } from "@treadle/apimachinery";
import { stampOf } from "./stamp.ts";

/** Options of {@link FileWatcher}. */
export interface FileWatcherOptions {
  readonly clock: Clock;
  /** The folder of the project. Folders above it are not watched. */
  readonly root: string;
  /** Called with the files that were written, changed or removed. One call for files that are written together. */
  onChange(paths: readonly string[]): void;
  /** Called when a folder cannot be watched, such as when the system allows no more watches. */
  onProblem(message: string): void;
  /** Watches one folder. @defaultValue that of Node */
  readonly watchFolder?: (folder: string, onEvent: () => void) => Pick<FSWatcher, "close">;
}

/** The pause after which a burst of writes is over, in milliseconds. */
const QUIET_MS = 50;

interface WatchedFolder {
  readonly watcher: Pick<FSWatcher, "close">;
  /** The number of the folder: one that was removed and made again has another one. */
  readonly inode: number;
}

/** Watches a set of files, which may not exist yet. */
export class FileWatcher {
  readonly #options: FileWatcherOptions;
  readonly #stamps = new Map<string, string>();
  readonly #folders = new Map<string, WatchedFolder>();
  #timer: Timer | undefined;
  #hasProblem = false;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
  }

  /** Forgets all files. */
  clear(): void {
    this.#stamps.clear();
  }

  /** Watches one more file or folder. @param stamp its state when it was read; another one now is a change */
  add(path: string, stamp: string = stampOf(path)): void {
    this.#stamps.set(path, stamp);
    this.#watchFoldersOf(path);
    if (stampOf(path) !== stamp) this.#look();
  }

  close(): void {
    this.#timer?.cancel();
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
    this.#stamps.clear();
  }

  /** The folders of the project above a file are watched as well: one may be removed, and made again. */
  #watchFoldersOf(path: string): void {
    const { root } = this.#options;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      this.#watchFolder(folder);
      if (!folder.startsWith(root + sep) || folder === dirname(folder)) return;
    }
  }

  #watchFolder(folder: string): void {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    const known = this.#folders.get(folder);
    if (known?.inode === inode && known !== undefined) return;
    known?.watcher.close();
    this.#folders.delete(folder);
    if (inode === undefined) return;
    const { watchFolder = nodeWatch } = this.#options;
    try {
      this.#folders.set(folder, { inode, watcher: watchFolder(folder, () => this.#look()) });
    } catch (error) {
      this.#failed(folder, error);
    }
  }

  /** One message is enough: what keeps one folder from being watched keeps the others, too. */
  #failed(folder: string, error: unknown): void {
    // Removed since it was looked at.
    if (this.#hasProblem || (error instanceof Error && "code" in error && error.code === "ENOENT")) return;
    this.#hasProblem = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.onProblem(`cannot watch ${folder}: ${why}. Edits there are not seen: start treadle dev again after them`);
  }

  /** Looks at the files when the burst is over. */
  #look(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(QUIET_MS, () => this.#changed());
  }

  #changed(): void {
    const changed: string[] = [];
    for (const [path, stamp] of this.#stamps) {
      const now = stampOf(path);
      this.#watchFoldersOf(path);
      if (now === stamp) continue;
      this.#stamps.set(path, now);
      changed.push(path);
    }
    if (changed.length > 0) this.#options.onChange(changed);
  }
}

function nodeWatch(folder: string, onEvent: () => void): FSWatcher {
  const watcher = watch(folder, onEvent);
  // On Windows a watched folder that is removed is an error.
  watcher.on("error", onEvent);
  return watcher;
}
