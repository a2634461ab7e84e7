/** The external effects of an operator: its actions outside of the cluster, as the fakes of a scenario record them. */
import { AsyncLocalStorage } from "node:async_hooks";

/** The external effects of a run, oldest first. */
export interface ExternalEffects {
  /**
   * Records an action that must not happen twice: `effects.record("create bucket a")`. Call it where the fake acts.
   * @throws Error in a killed process, so that its action does not happen
   */
  record(what: string): void;
  /** The effects of the run. */
  readonly all: readonly string[];
}

/** The process that code runs in. */
export interface ProcessScope {
  readonly isDead: boolean;
  kill(): void;
}

const scopes = new AsyncLocalStorage<ProcessScope>();

/** Runs `work`, and everything that it starts, as part of a process. */
export function inProcess<T>(scope: ProcessScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Returns the process that the calling code runs in; `undefined`: none. */
export function currentProcess(): ProcessScope | undefined {
  return scopes.getStore();
}

/** The effects of one run. */
export class EffectLog implements ExternalEffects {
  readonly all: string[] = [];
  readonly #note: (what: string) => void;

  /** @param note called with each effect */
  constructor(note: (what: string) => void) {
    this.#note = note;
  }

  record(what: string): void {
    if (scopes.getStore()?.isDead === true) throw new Error(`the process was killed before it could: ${what}`);
    this.all.push(what);
    this.#note(what);
  }
}
