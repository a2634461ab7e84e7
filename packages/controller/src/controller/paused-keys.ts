/** Which objects of a controller are paused, as their last pass found them: for the log, once each, and a gauge. */
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

  /** The object is not looked after any more. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** A pass of `key` is over. */
  note(key: string, { isPaused, outcome }: Pick<PassResult, "isPaused" | "outcome">): void {
    if (isPaused === true) {
      if (this.#keys.has(key)) return;
      this.#keys.add(key);
      this.#log.info({ controller: this.#controller, object: key }, "paused by its annotation: left alone until that goes");
    } else if (this.#keys.delete(key) && outcome.type !== "gone" && outcome.type !== "left") {
      this.#log.info({ controller: this.#controller, object: key }, "not paused any more");
    }
  }
}
