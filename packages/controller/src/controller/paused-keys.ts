/** The paused objects of a controller, as their last passes found them: for the log, once each, and for a gauge. */
import type { Logger, PassResult } from "@treadle/reconcile";

export class PausedKeys {
  readonly #controller: string;
  readonly #log: Logger;
  readonly #keys = new Set<string>();

  constructor(controller: string, log: Logger) {
    this.#controller = controller;
    this.#log = log;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Forgets an object that is not reconciled any more. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** Notes the end of a pass of `key`. */
  note(key: string, { isPaused, outcome }: Pick<PassResult, "isPaused" | "outcome">): void {
    if (isPaused === true) {
      if (this.#keys.has(key)) return;
      this.#keys.add(key);
      this.#log.info({ controller: this.#controller, object: key }, textOf(outcome));
    } else if (this.#keys.delete(key) && outcome.type !== "gone" && outcome.type !== "left") {
      this.#log.info({ controller: this.#controller, object: key }, "no longer paused");
    }
  }
}

function textOf(outcome: PassResult["outcome"]): string {
  if (outcome.type !== "stop" || outcome.reason === "paused")
    return "paused by its annotation: not modified until the annotation is removed";
  return outcome.step === "pause"
    ? `paused by the function of pause(): not modified until it returns no reason: ${outcome.reason}`
    : `paused by a step: not modified until it returns no reason: ${outcome.reason}`;
}
