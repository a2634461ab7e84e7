/** Starts and stops runnables. */
import { type Clock, orAborted } from "@treadle/apimachinery";
import { ManagerError } from "../manager-error.ts";
import type { Runnable, RunnableEnv } from "../runnable.ts";
import { messageOf } from "../internal/error-text.ts";
import { type Undo, unwind, within } from "../internal/promises.ts";

export interface RunnablesOptions {
  readonly clock: Clock;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** Remaining time for the stop of one runnable, in milliseconds. */
  readonly stopMs: () => number;
  /** Makes the services of a runnable. What it adds to the manager is removed by `undo`, after its stop. */
  readonly envOf: (runnable: Runnable, undo: Undo[]) => RunnableEnv;
}

/** Starts runnables one after another, and adds the stop of each to `undo`. @throws ManagerError ERR_RUNNABLE, or the signal's reason */
export async function startRunnables(runnables: readonly Runnable[], options: RunnablesOptions, undo: Undo[]): Promise<void> {
  const { signal, envOf } = options;
  for (const runnable of runnables) {
    signal.throwIfAborted();
    const added: Undo[] = [];
    undo.push(
      () => unwind(added),
      () => stopped(runnable, options),
    );
    // A start that waits for the stop of the manager would wait for itself.
    await orAborted(
      ran(runnable, "start", () => runnable.start(signal, envOf(runnable, added))),
      signal,
    );
  }
}

async function stopped(runnable: Runnable, { clock, stopMs }: RunnablesOptions): Promise<void> {
  const stopping = ran(runnable, "stop", () => runnable.stop?.());
  const ms = stopMs();
  if (await within(clock, ms, stopping)) return;
  stopping.catch(() => undefined); // The stop goes on without it.
  const message = `runnable ${nameOf(runnable)} did not stop within the remaining ${ms / 1000} s: make its stop() faster, or raise gracefulShutdownMs`;
  throw new ManagerError("ERR_SHUTDOWN_TIMEOUT", message);
}

async function ran(runnable: Runnable, verb: "start" | "stop", run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    throw new ManagerError("ERR_RUNNABLE", `cannot ${verb} runnable ${nameOf(runnable)}: ${messageOf(cause)}`, { cause });
  }
}

function nameOf({ name }: Runnable): string {
  return `"${name ?? "(unnamed)"}"`;
}
