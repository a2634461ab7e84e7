/**
 * Runs one child process with limits of time and output.
 *
 * Guarantees
 * - The child leads a process group. The whole group is killed at the timeout, with the signal, when it writes too much, when it
 *   exits before its own children, and when the operator exits.
 * - The result comes after the child has exited, so its files can be removed.
 * - The child has a lower priority than the operator.
 * - A child that does not read its input is not an error.
 *
 * Assumptions: the system has process groups. On Windows only the child itself is killed.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Clock, systemClock } from "@treadle/apimachinery";

/** The maximum size of standard output, in bytes. */
export const MAX_STDOUT_BYTES: number = 64 * 1024 * 1024;

/** The time for which a program may run, in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** The size of the end of standard error that is kept, in bytes. Half of it may be dropped again by {@link shownStderr}. */
const KEPT_STDERR_BYTES = 128 * 1024;

/** What runs, and with what. */
export interface ChildOptions {
  /** The absolute path of the program. */
  readonly file: string;
  /** The arguments. They are visible to all users of the machine. */
  readonly args: readonly string[];
  /** The text for standard input. @defaultValue none: the input is empty */
  readonly input?: string | Uint8Array;
  /** The working directory. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills the process group when it is aborted. */
  readonly signal?: AbortSignal;
  /** The clock of the timeout. @defaultValue the clock of the machine, since a real program takes real time */
  readonly clock?: Pick<Clock, "after">;
  /** Maximum time, in milliseconds. @defaultValue {@link TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /** Maximum size of standard output, in bytes. @defaultValue {@link MAX_STDOUT_BYTES} */
  readonly maxStdoutBytes?: number;
}

/** How a child ended. */
export type ChildEnd =
  | {
      readonly type: "exited";
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly stdout: Buffer;
      readonly stderr: Stderr;
    }
  | { readonly type: "timeout" }
  | { readonly type: "too-much-output" }
  | { readonly type: "not-started"; readonly error: NodeJS.ErrnoException };

/** The end of what a child wrote to standard error. It may contain secrets. */
export interface Stderr {
  readonly text: string;
  /** Whether the beginning is missing. */
  readonly isCut: boolean;
}

/** Runs a child process. Rejects only with the reason of the signal, after the child has exited. */
export async function runChild(options: ChildOptions): Promise<ChildEnd> {
  options.signal?.throwIfAborted();
  let child: ChildProcessByStdio<Writable, Readable, Readable>;
  try {
    child = spawn(options.file, options.args, {
      cwd: options.cwd,
      env: options.env,
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return { type: "not-started", error: error as NodeJS.ErrnoException }; // spawn() throws errors of the system only
  }
  return await new Watched(child, options).end;
}

/** Why a child was killed. */
type Stopped = Exclude<ChildEnd, { readonly type: "exited" }> | { readonly type: "aborted" };

class Watched {
  readonly end: Promise<ChildEnd>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  readonly #stderr = new Tail(KEPT_STDERR_BYTES);
  /** Why the child was killed, if it was. */
  #stopped: Stopped | undefined;

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, options: ChildOptions) {
    this.#child = child;
    this.#yieldProcessor();
    const { signal, clock = systemClock, timeoutMs = TIMEOUT_MS } = options;
    this.#read(options.maxStdoutBytes ?? MAX_STDOUT_BYTES);
    // A child that exits early, or never reads, breaks the pipe. Its exit code reports what happened.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    const onAbort = (): void => this.#stop({ type: "aborted" });
    const onExit = (): void => this.#kill();
    const timer = clock.after(timeoutMs, () => this.#stop({ type: "timeout" }));
    signal?.addEventListener("abort", onAbort, { once: true });
    process.on("exit", onExit);
    this.end = this.#ended()
      .finally(() => {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
        process.off("exit", onExit);
      })
      .then((end) => {
        if (end === undefined) throw signal?.reason;
        return end;
      });
  }

  /** Probes, the lease and the passes of other controllers come first. */
  #yieldProcessor(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has already ended, or the system does not allow it.
    }
  }

  #read(maxBytes: number): void {
    this.#child.stdout.on("data", (chunk: Buffer) => {
      if (this.#stopped !== undefined) return;
      this.#stdoutBytes += chunk.length;
      if (this.#stdoutBytes > maxBytes) this.#stop({ type: "too-much-output" });
      else this.#stdout.push(chunk);
    });
    this.#child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
  }

  /** Resolves when the child has exited and its output is read; `undefined`: the signal was aborted. */
  #ended(): Promise<ChildEnd | undefined> {
    const child = this.#child;
    return new Promise((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        if (child.pid === undefined) resolve({ type: "not-started", error });
      });
      // Its own children may hold its output open.
      child.once("exit", () => this.#kill());
      child.once("close", (code, signal) => {
        const stopped = this.#stopped;
        if (stopped !== undefined) resolve(stopped.type === "aborted" ? undefined : stopped);
        else resolve({ type: "exited", code, signal, stdout: Buffer.concat(this.#stdout), stderr: this.#stderr.read() });
      });
    });
  }

  #stop(why: Stopped): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#stdout.length = 0;
    this.#kill();
    // A process that left the group may hold them open.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.#child.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The group has no processes any more.
    }
  }
}

/** Keeps the last bytes of a stream. */
class Tail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * this.#maxBytes) this.#cut();
  }

  read(): Stderr {
    if (this.#bytes > this.#maxBytes) this.#cut();
    return { text: Buffer.concat(this.#chunks).toString(), isCut: this.#isCut };
  }

  #cut(): void {
    const rest = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#maxBytes));
    this.#chunks = [rest];
    this.#bytes = rest.length;
    this.#isCut = true;
  }
}

/**
 * Returns at most 64 KiB of the end of standard error, without what `hide` hides. Text is hidden before it is cut, so that no part of a
 * hidden text is left at the cut.
 */
export function shownStderr({ text, isCut }: Stderr, hide: (text: string) => string): string {
  const hidden = hide(text);
  return hidden.slice(-Math.min(KEPT_STDERR_BYTES / 2, isCut ? Math.floor(hidden.length / 2) : hidden.length)).trim();
}
