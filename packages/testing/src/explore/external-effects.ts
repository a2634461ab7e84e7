/** What an operator does outside of the cluster, as its author's fake of the outside tells it. */
import { AsyncLocalStorage } from "node:async_hooks";

/** The external effects of a run, in order. */
export interface ExternalEffects {
  /**
   * Notes that something happened that must not happen twice: `effects.record("create bucket a")`. Call it where the fake
   * does the thing. @throws Error in a process that was killed: what it would do, it cannot do any more
   */
  record(what: string): void;
  readonly all: readonly string[];
}

/** Which process code runs in. */
export interface ProcessScope {
  readonly isDead: boolean;
}

const scopes = new AsyncLocalStorage<ProcessScope>();

/** Runs `work` as part of a process, and all that it starts. */
export function inProcess<T>(scope: ProcessScope, work: () => T): T {
  return scopes.run(scope, work);
}

export class EffectLog implements ExternalEffects {
  readonly all: string[] = [];
  readonly #note: (what: string) => void;

  /** @param note told of each, too */
  constructor(note: (what: string) => void) {
    this.#note = note;
  }

  record(what: string): void {
    if (scopes.getStore()?.isDead === true) throw new Error(`the process was killed before: ${what}`);
    this.all.push(what);
    this.#note(what);
  }
}
