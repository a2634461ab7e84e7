/** What a command knows of its terminal. Commands write only here, so that tests run them without one. */
import { once } from "node:events";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { EXIT } from "../exit-codes.ts";
import { foreignCode } from "./foreign-code.ts";
import type { Prompter } from "./prompter.ts";

/** The surroundings of a command: output, width, colours, environment, time and Ctrl-C. */
export interface Terminal {
  /** Writes to the standard output, as given. */
  out(text: string): void;
  /** Writes to the standard error output, as given. */
  err(text: string): void;
  /**
   * Calls `work`, which runs code of the user. What that code prints goes to the standard error output, so that the output stays one
   * document. Ctrl-C ends the wait for it.
   */
  apart<T>(work: () => Promise<T>): Promise<T>;
  /** Reads the standard input to its end. @defaultValue there is none */
  input?(): Promise<string>;
  /** Width in columns. `undefined`: the output goes into a pipe or a file, so lines are not broken. */
  readonly columns: number | undefined;
  /** Whether the output may have colours. */
  readonly hasColors: boolean;
  /** Asks the user. `undefined`: no user can answer, because the input or the output is no terminal. */
  readonly prompter: (() => Promise<Prompter>) | undefined;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Is aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The time of the machine, in milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after a time, or rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** npm sends the Ctrl-C of a terminal to its program again, at once. That is not a second one. In milliseconds. */
const REPEATED_MS = 200;

/**
 * Returns the terminal of the process. Ctrl-C aborts its signal once; the second one ends the process, because Node has no listener then.
 * `NO_COLOR` and `TERM=dumb` switch colours off: Node's `hasColors()` obeys them.
 */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    const onSignal = (): void => {
      if (interrupted.signal.aborted) return;
      interrupted.abort(new Error(`ended by ${name}`));
      setTimeout(() => process.off(name, onSignal), REPEATED_MS).unref();
    };
    process.on(name, onSignal);
  }
  // `treadle tree ... | head` closes the pipe. That is no failure.
  stdout.on("error", endWithoutOutput);
  // Nobody reads the messages any more; the answer may still be read.
  stderr.on("error", () => undefined);
  // Node leaves it out for a pipe, against its types.
  const isTerminal = Boolean(stdout.isTTY);
  return {
    out: (content) => void stdout.write(content),
    err: (content) => void stderr.write(content),
    async apart(work) {
      const own = Object.getOwnPropertyDescriptor(stdout, "write");
      stdout.write = stderr.write.bind(stderr);
      try {
        return await foreignCode(work, { signal: interrupted.signal, err: (text) => void stderr.write(text) });
      } finally {
        if (own === undefined) Reflect.deleteProperty(stdout, "write");
        else Object.defineProperty(stdout, "write", own);
      }
    },
    input: () => text(addAbortSignal(interrupted.signal, stdin)),
    get columns() {
      return isTerminal ? stdout.columns : undefined;
    },
    hasColors: isTerminal && stdout.hasColors(),
    // A build server may have a terminal, and no user who answers.
    prompter: isTerminal && stdin.isTTY && (env["CI"] ?? "") === "" ? () => clackPrompter(interrupted) : undefined,
    env,
    signal: interrupted.signal,
    nowMs: () => Date.now(),
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  };
}

/** Loaded by commands that ask only. */
async function clackPrompter(interrupted: AbortController): Promise<Prompter> {
  const { prompterOf } = await import("./prompter.ts");
  return prompterOf(await import("@clack/prompts"), () => interrupted.abort(new Error("ended by Ctrl-C")));
}

/** Returns what the work returns, or rejects when the signal is aborted. For work that knows no signal: it goes on until the process ends. */
export async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await Promise.race([work, aborted(signal)]);
}

/** Rejects when the signal is aborted. */
async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}

/** Ends the process with this code when its output is written: code that a command loaded may hold timers and sockets. */
export function endProcess(code: number): void {
  process.exitCode = code;
  process.stdout.write("", (error) => {
    if (error instanceof Error) endWithoutOutput(error);
    process.stderr.write("", () => process.exit(code));
  });
}

/** A closed pipe is an end that the reader wants. On a full disk a part of the output is missing, which must not look like a success. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`treadle: cannot write the output: ${error.code === "ENOSPC" ? "the disk is full" : error.message}\n`);
  process.exit(EXIT.failed);
}
