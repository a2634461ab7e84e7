/** The listeners of a manager on its process. They are removed when the manager has stopped. */
import type { Logger } from "@treadle/reconcile";
import { isManagerError, ManagerError } from "../manager-error.ts";
import { errorFields, messageOf } from "../internal/error-text.ts";

/** What a manager does when something happens to its process. */
export interface ProcessHooks {
  /** The current log: settings that are read at the start may change it. */
  readonly log: () => Logger;
  /** Called at the first SIGINT or SIGTERM, after it was logged. */
  onSignal(): void;
  /** Called after the rejection was logged. The process will end with an exit code that is not 0. */
  onUnhandledRejection(error: ManagerError): void;
}

/** 128 + the number of the signal, as shells report it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Installs the listeners; a second signal ends the process immediately. Returns a function that removes them. */
export function installProcessHooks(hooks: ProcessHooks): () => void {
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) {
      hooks.log().warn({ signal }, `${signal} for the second time: ending immediately`);
      process.exit(EXIT_CODES[signal]);
    }
    isStopping = true;
    hooks.log().info({ signal }, `${signal}: stopping`);
    hooks.onSignal();
  };
  const onRejection = (reason: unknown): void => {
    hooks.log().error(errorFields(reason), "a promise was rejected and not handled; stopping");
    const text = `a promise was rejected and not handled: ${messageOf(reason)}`;
    process.exitCode = 1;
    hooks.onUnhandledRejection(new ManagerError("ERR_UNHANDLED_REJECTION", text, { cause: reason }));
  };
  const signals = Object.keys(EXIT_CODES) as StopSignal[]; // Of a literal, so these are its keys.
  for (const signal of signals) process.on(signal, onSignal as NodeJS.SignalsListener);
  process.on("unhandledRejection", onRejection);
  return () => {
    for (const signal of signals) process.off(signal, onSignal as NodeJS.SignalsListener);
    process.off("unhandledRejection", onRejection);
  };
}

/** How long after a failed `run()` its error may become an uncaught exception, in milliseconds. */
const UNCAUGHT_MS = 10_000;

/**
 * Logs the error of a failed `run()` as one line, if no code catches it, and ends the process with exit code 1, as Node
 * does. Node would print a stack trace, which is not a line of the log. Does nothing in a program with a listener of its
 * own for uncaught exceptions.
 */
export function logUncaught(log: Logger): void {
  if (process.listenerCount("uncaughtException") > 0) return;
  const onUncaught = (uncaught: unknown): void => {
    const { stack, ...fields } = errorFields(uncaught);
    // The message of a manager's error says what to do; where it was thrown helps nobody.
    if (isManagerError(uncaught)) log.error({ code: uncaught.code, ...fields }, "the operator has failed");
    else log.error({ ...fields, ...(stack === undefined ? {} : { stack }) }, "the operator has failed");
    process.exit(1);
  };
  process.on("uncaughtException", onUncaught);
  setTimeout(() => process.off("uncaughtException", onUncaught), UNCAUGHT_MS).unref();
}
