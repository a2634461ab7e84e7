/**
 * Watches folders in development. The version of a watched folder changes a moment after its files have changed, so that renderings
 * that depend on it are called again.
 *
 * Guarantees
 * - Nothing is watched before the first listener, and after the last one.
 * - Changes that follow each other closely are one change.
 *
 * Caveats: changes before the first listener are not noticed. Changes while there is no listener count when there is one again. The kernel may limit the number of watched folders; that is no error.
 */
import { type FSWatcher, watch } from "node:fs";
import { type Clock, systemClock } from "@treadle/apimachinery";
import type { LiveInput } from "@treadle/dependents/unstable/render";

/** Time without a change after which the version changes, in milliseconds. Editors and compilers write several files. */
const QUIET_MS = 100;

/** Folders whose changes are counted. */
export class WatchedFolders implements LiveInput {
  readonly #folders: () => readonly string[];
  readonly #clock: Pick<Clock, "after">;
  readonly #listeners = new Set<() => void>();
  #watchers: readonly FSWatcher[] = [];
  #timer: { cancel(): void } | undefined;
  #version = 0;
  #wasOpen = false;

  /**
   * @param folders returns the folders. It is called again after each change.
   * @param clock the clock of the quiet time
   */
  constructor(folders: () => readonly string[], clock: Pick<Clock, "after"> = systemClock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  /** The number of changes. */
  get version(): number {
    return this.#version;
  }

  onChange(listener: () => void): () => void {
    // Each call is a listener of its own, also if the function is the same.
    const each = (): void => listener();
    this.#listeners.add(each);
    if (this.#listeners.size === 1) {
      // The files may have changed while there was no listener.
      if (this.#wasOpen) this.#version += 1;
      this.#wasOpen = true;
      this.#open();
    }
    return () => {
      this.#listeners.delete(each);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  #open(): void {
    this.#watchers = this.#folders().flatMap((folder) => {
      try {
        const watcher = watch(folder, { recursive: true, persistent: false }, () => this.#changed());
        // Such as a folder that was deleted: the next rendering reports it.
        watcher.on("error", () => {
          watcher.close();
          this.#changed();
        });
        return [watcher];
      } catch {
        return [];
      }
    });
  }

  #close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #changed(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(QUIET_MS, () => {
      this.#version += 1;
      // The folder may have been replaced.
      this.#close();
      if (this.#listeners.size > 0) this.#open();
      this.#notify();
    });
  }

  #notify(): void {
    // A listener may add others, which have seen the new version.
    const listeners = Array.from(this.#listeners);
    for (const listener of listeners) listener();
  }
}
