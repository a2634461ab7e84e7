/** Runs code of the user in the process of a command. What that code does to the process must not look like a success. */
import { writeSync } from "node:fs";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";

/** A program that loads for so long waits for something, in milliseconds. */
const SLOW_MS = 10_000;

/** What the code needs of the command. */
export interface ForeignCodeOptions {
  /** Ends the wait for the code. */
  readonly signal: AbortSignal;
  /** Shows a line to the user. */
  err(text: string): void;
}

/**
 * Waits for `work`, which runs code of the user. An exception that the code does not catch, in a timer for example, is an error of the work.
 * If the code ends the process, or waits for what nothing will do, the exit code is 2, and a message says so.
 */
export async function foreignCode<T>(work: () => Promise<T>, { signal, err }: ForeignCodeOptions): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let isIdle = false;
  const onException = (error: unknown): void => {
    // A program with a listener decides itself what happens.
    if (process.listenerCount("uncaughtException") > 1) return;
    reject(
      new CliError(`the program failed while it was loaded: ${error instanceof Error ? error.message : String(error)}`, { cause: error }),
    );
  };
  const onIdle = (): void => void (isIdle = true);
  const onExit = (code: number): void => {
    writeSync(2, `treadle: ${endText(isIdle ? undefined : code)}\n`);
    process.exitCode = EXIT.failed;
  };
  const onAbort = (): void => reject(signal.reason as Error);
  const slow = setTimeout(
    () => err("The program still loads after 10 s: does it wait for a cluster, or for a file? Ctrl-C ends the command.\n"),
    SLOW_MS,
  );
  slow.unref();
  process.on("uncaughtException", onException).once("beforeExit", onIdle).once("exit", onExit);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work(), failed]);
  } finally {
    clearTimeout(slow);
    process.off("uncaughtException", onException).off("beforeExit", onIdle).off("exit", onExit);
    signal.removeEventListener("abort", onAbort);
  }
}

/** `code` is that of `process.exit()`; undefined: nothing was left to do. */
function endText(code: number | undefined): string {
  if (code === undefined)
    return "the program never finishes loading: an `await` at the top of a module waits for something that does not happen";
  return `the program ended the process with process.exit(${code}) while it was loaded: set process.exitCode instead, or name a module that only exports the handlers`;
}
