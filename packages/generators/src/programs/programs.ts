/**
 * Runs Helm and Kustomize for renderers.
 *
 * Guarantees
 * - At most two programs run at once in an operator. Passes get their turn in the order in which they ask, and hold no worker meanwhile.
 * - A program gets nothing of the operator's environment, and no plugins.
 * - The time limit counts only while the program runs.
 *
 * Caveats: arguments are visible to all users of the machine, so values go in by standard input.
 */
import { createHash } from "node:crypto";
import type { Clock } from "@treadle/apimachinery";
import { onceFor, type RenderHost, RenderLater, Slots } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { type ChildEnd, MAX_STDOUT_BYTES, shownStderr, TIMEOUT_MS } from "./child.ts";
import { Finder, type FoundProgram, notStarted, type Program, runClean } from "./find.ts";
import { type PrivateFolder, privateFolder } from "./temporary.ts";

/** One run of a program. */
export interface ProgramCall {
  /** The arguments. Those of Kustomize begin with `build`, which is `kustomize` where kubectl runs. */
  readonly args: readonly string[];
  /** The text for standard input. @defaultValue none: the input is empty */
  readonly input?: string | Uint8Array;
  /** The working directory. @defaultValue an empty folder, which is removed after the run */
  readonly cwd?: string;
  /** Kills the program. Its reason is then the error. */
  readonly signal: AbortSignal;
}

/** What a program answered. */
export interface ProgramResult {
  /** All of standard output. */
  readonly stdout: string;
  /** The program that ran. */
  readonly program: FoundProgram;
}

/**
 * Runs a program to its end.
 * @throws ProgramFailed when it ends with another code than 0
 * @throws TerminalError with the code `ProgramMissing`, `TooSlow`, `TooMuchOutput` or `TmpdirUnusable`
 */
export type RunProgram = (program: Program, call: ProgramCall) => Promise<ProgramResult>;

/** A program that ended with another code than 0. The message has nothing of what it wrote. */
export class ProgramFailed extends Error {
  /** The name of the class. */
  override readonly name = "ProgramFailed";
  /** The name of the program. */
  readonly program: FoundProgram["name"];
  /** The exit code; `null`: a signal ended the program. */
  readonly exitCode: number | null;

  constructor(program: FoundProgram, given: { readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string }) {
    super(`${titleOf(program)} ended with ${given.exitCode ?? given.signal ?? "an unknown signal"}`);
    this.program = program.name;
    this.exitCode = given.exitCode;
    // Programs quote values in their errors. A log of this error must not show them.
    Object.defineProperty(this, "stderr", { value: given.stderr, enumerable: false });
  }

  /**
   * The end of standard error, at most 64 KiB, without what the host hides. It may still contain values of the input: show only the parts of
   * which you know that they contain none. It is not enumerable, so that no log contains it.
   */
  declare readonly stderr: string;
}

/**
 * Whether a program rejected its input, which it does with the exit code 1. Another end, such as by a signal or without memory, may not happen
 * again for the same input.
 */
export function isOfInput(error: unknown): error is ProgramFailed {
  return error instanceof ProgramFailed && error.exitCode === 1;
}

/** Options of {@link Programs}, for tests. */
export interface ProgramsOptions {
  /** The clock of the operator. */
  readonly clock: Clock;
  /** The clock of the time limit. @defaultValue the clock of the machine */
  readonly timeoutClock?: Pick<Clock, "after">;
  /** The environment with PATH and the variables of the programs. @defaultValue `process.env` */
  readonly env?: NodeJS.ProcessEnv;
  /** Where the folders of the programs are made. @defaultValue that of the process */
  readonly folder?: PrivateFolder;
}

/** How many programs run at once. */
const LIMIT = 2;

/** The programs of one operator. */
export class Programs {
  readonly #options: ProgramsOptions;
  readonly #slots: Slots;
  readonly #finder: Finder;
  readonly #folder: PrivateFolder;

  constructor(options: ProgramsOptions) {
    this.#options = options;
    this.#folder = options.folder ?? privateFolder;
    this.#slots = new Slots({ limit: LIMIT, clock: options.clock });
    this.#finder = new Finder({ clock: options.clock, folder: this.#folder, ...(options.env && { env: options.env }) });
  }

  /**
   * Calls `work` with a function that runs programs, one after the other, in one slot. A renderer that needs two programs takes one slot
   * for both, so that it never waits with half of its work done.
   * @throws RenderLater when no slot is free; the pass is triggered when one is
   */
  async inSlot<T>(host: RenderHost, work: (run: RunProgram) => Promise<T>): Promise<T> {
    const wake = host.waker();
    const slot = this.#slots.take(host.key, () => wake("a program can run"));
    if (slot === undefined) {
      // A slot that is kept for a pass that needs none any more would hold up all others.
      host.atEnd?.(this.#slots, () => this.#slots.leave(host.key));
      throw new RenderLater(`${LIMIT} programs run`);
    }
    try {
      return await work((program, call) => this.#run(host, program, call));
    } finally {
      slot.release();
    }
  }

  async #run(host: RenderHost, program: Program, call: ProgramCall): Promise<ProgramResult> {
    call.signal.throwIfAborted();
    const found = await this.#finder.find(program);
    const [first, ...rest] = call.args;
    const args = found.name === "kubectl" && first === "build" ? ["kustomize", ...rest] : call.args;
    const { timeoutClock } = this.#options;
    const end = await runClean(this.#folder, found.name, { ...call, args, file: found.file, ...(timeoutClock && { clock: timeoutClock }) });
    return { stdout: stdoutOf(end, { host, program, found }), program: found };
  }
}

interface Ran {
  readonly host: RenderHost;
  readonly program: Program;
  readonly found: FoundProgram;
}

function stdoutOf(end: ChildEnd, { host, program, found }: Ran): string {
  const name = titleOf(found);
  switch (end.type) {
    case "exited":
      if (end.code === 0) return end.stdout.toString();
      throw new ProgramFailed(found, {
        exitCode: end.code,
        signal: end.signal,
        stderr: shownStderr(end.stderr, (text) => host.hide(text)),
      });
    case "timeout":
      throw new TerminalError(`${name} ran for more than ${TIMEOUT_MS / 1000} s and was ended: a template may loop`, { code: "TooSlow" });
    case "too-much-output":
      throw new TerminalError(`${name} wrote more than ${MAX_STDOUT_BYTES / 2 ** 20} MiB and was ended`, { code: "TooMuchOutput" });
    case "not-started":
      throw notStarted(program, found.file, end.error);
  }
}

/** Identifies the programs among the shared values of an operator. */
const PROGRAMS: object = {};

/**
 * As {@link Programs.inSlot}, with the programs of the operator, and once for one rendering: a renderer that is called again, because
 * another part of the rendering had no slot, gets the same result. So a rendering of several parts ends although each of them waits.
 * @param inputs everything that the result follows from. It is not kept: a digest of it is.
 * @throws RenderLater when no slot is free, and what `work` throws
 */
export async function inSlot<T>(host: RenderHost, inputs: readonly unknown[], work: (run: RunProgram) => Promise<T>): Promise<T> {
  const key = createHash("sha256").update(JSON.stringify(inputs)).digest("hex");
  const programs = host.shared(PROGRAMS, () => new Programs({ clock: host.clock }));
  return await onceFor(host, key, () => programs.inSlot(host, work));
}

export { HELM, KUSTOMIZE, type FoundProgram, type Program } from "./find.ts";
export { privateFolder } from "./temporary.ts";

function titleOf({ name, version }: FoundProgram): string {
  return `${name === "kubectl" ? "kubectl kustomize" : name} ${version}`;
}
