/** What a manager listens to on its process while it runs; everything is taken back afterwards. */
import type { Logger } from "@treadle/reconcile";

export interface ProcessHooks {
  readonly log: Logger;
  /** The first SIGINT or SIGTERM. */
  onSignal(signal: NodeJS.Signals): void;
  onUnhandledRejection(reason: unknown): void;
}

/** 128 + the number of the signal, as shells report it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Installs the listeners; returns the way to remove them. */
export function installProcessHooks(hooks: ProcessHooks): () => void {
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) {
      hooks.log.warn({ signal }, `${signal} a second time: ending at once`);
      process.exit(EXIT_CODES[signal]);
    }
    isStopping = true;
    hooks.onSignal(signal);
  };
  const onRejection = (reason: unknown): void => hooks.onUnhandledRejection(reason);
  const signals = Object.keys(EXIT_CODES) as StopSignal[]; // Of a literal, so these are its keys.
  for (const signal of signals) process.on(signal, onSignal as NodeJS.SignalsListener);
  process.on("unhandledRejection", onRejection);
  return () => {
    for (const signal of signals) process.off(signal, onSignal as NodeJS.SignalsListener);
    process.off("unhandledRejection", onRejection);
  };
}
