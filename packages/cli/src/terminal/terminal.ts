/** What a command knows of its terminal. Commands write only here, so that tests run them without one. */
import { setTimeout as wait } from "node:timers/promises";

/** The surroundings of a command: output, width, colours, environment, time and Ctrl-C. */
export interface Terminal {
  /** Writes to the standard output, as given. */
  out(text: string): void;
  /** Writes to the standard error output, as given. */
  err(text: string): void;
  /** Width in columns. `undefined`: the output goes into a pipe or a file, so lines are not broken. */
  readonly columns: number | undefined;
  /** Whether the output may have colours. */
  readonly hasColors: boolean;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Is aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The time of the machine, in milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after a time, or rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The parts of the process that a terminal uses. */
export interface ProcessStreams {
  /** The standard output. */
  readonly stdout: Stream;
  /** The standard error output. */
  readonly stderr: Stream;
  /** Environment variables. */
  readonly env: NodeJS.ProcessEnv;
}

/** A stream of the process, as far as a terminal needs it. */
interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Returns the terminal of the process. Ctrl-C aborts its signal once; the second one ends the process, because Node has no listener then.
 * `NO_COLOR` and `TERM=dumb` switch colours off: Node's `hasColors()` obeys them.
 */
export function processTerminal({ stdout, stderr, env }: ProcessStreams = process): Terminal {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupted.abort(new Error(`ended by ${name}`)));
  // `treadle tree ... | head` closes the pipe. That is no failure.
  stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const isTerminal = stdout.isTTY === true;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    get columns() {
      return isTerminal ? (stdout.columns ?? 80) : undefined;
    },
    hasColors: isTerminal && stdout.hasColors?.() === true,
    env,
    signal: interrupted.signal,
    nowMs: () => Date.now(),
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  };
}
