/** What a manager listens to on its process while it runs; everything is taken back afterwards. */
import type { Logger } from "@treadle/reconcile";
import { ManagerError } from "../manager-error.ts";
import { errorFields, messageOf } from "../internal/error-text.ts";

export interface ProcessHooks {
  /** The log of the moment: settings that are read at the start may change it. */
  readonly log: () => Logger;
  /** The first SIGINT or SIGTERM; it was logged. */
  onSignal(): void;
  /** It was logged, and the process will end with an exit code that is not 0. */
  onUnhandledRejection(error: ManagerError): void;
}

/** 128 + the number of the signal, as shells report it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Installs the listeners; the second signal ends the process at once. Returns the way to remove them. */
export function installProcessHooks(hooks: ProcessHooks): () => void {
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) {
      hooks.log().warn({ signal }, `${signal} a second time: ending at once`);
      process.exit(EXIT_CODES[signal]);
    }
    isStopping = true;
    hooks.log().info({ signal }, `${signal}: stopping`);
    hooks.onSignal();
  };
  const onRejection = (reason: unknown): void => {
    const text = `a promise was rejected and nobody handled it: ${messageOf(reason)}`;
    hooks.log().error(errorFields(reason), `${text}; stopping`);
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
