/** Profiles of one operator's process, one for each row of the table. They are files in one folder. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ProfileAnswer, ProfileRequest } from "./messages.ts";

/** A file with a profile. */
export interface Profile {
  /** The row of the table, such as "converge". */
  readonly row: string;
  /** The name of the operator. */
  readonly operator: string;
  readonly file: string;
}

/** Where profiles are written, and which ones were. */
export interface ProfileFolder {
  readonly dir: string;
  readonly profiles: Profile[];
}

const PATIENCE_MS = 120_000;

/** Makes an operator's process load the profiler. NODE_OPTIONS reaches Node through a launcher, too. */
export const profilerEnv: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${new URL("./preload.ts", import.meta.url).href}`,
};

/** Asks the profiler in a process that was started with {@link profilerEnv} and a channel. */
export class Profiler {
  readonly #child: ChildProcess;
  readonly #operator: string;
  readonly #folder: ProfileFolder;

  constructor(child: ChildProcess, operator: string, folder: ProfileFolder) {
    this.#child = child;
    this.#operator = operator;
    this.#folder = folder;
  }

  /** Writes what the processor did since the last call, or since the start. Without a row nothing is written. */
  async cpu(row?: string): Promise<void> {
    if (row === undefined) return await this.#ask({ type: "cpu" });
    await this.#write(row, ".cpuprofile", (file) => ({ type: "cpu", file }));
  }

  /** Writes what is on the heap. Profiles of the processor do not see this work. */
  async heap(row: string): Promise<void> {
    await this.#write(row, ".heapsnapshot", (file) => ({ type: "heap", file }));
  }

  async #write(row: string, ending: string, request: (file: string) => ProfileRequest): Promise<void> {
    const file = join(this.#folder.dir, `${row}.${this.#operator}${ending}`);
    await this.#ask(request(file));
    this.#folder.profiles.push({ row, operator: this.#operator, file });
  }

  async #ask(request: ProfileRequest): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answered = once(this.#child, "message", { signal }) as Promise<[ProfileAnswer]>;
    this.#child.send(request);
    const [{ problem }] = await answered;
    if (problem !== undefined) throw new Error(`the profiler of ${this.#operator} failed: ${problem}`);
  }
}
