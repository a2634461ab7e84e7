/** Heartbeats: changes by other writers that come again and again, and so are no reason to wait for a quiet moment. */

/** What another writer changed, by path. */
export interface Change {
  readonly path: string;
  /** It voids what the pass decided however often it happens; anything else may turn out to be a heartbeat. */
  readonly isDecisive: boolean;
}

/** Which changes are heartbeats: not decisive, and of the same place as what ended the passes before. */
export class Heartbeats {
  /** Made for the first change: most objects never see one. */
  #inARow: Map<string, number> | undefined;
  #passes = 0;

  /** Passes that ended one after the other because somebody else wrote. */
  get passesInARow(): number {
    return this.#passes;
  }

  /** The changes without those that ended the last two passes: a pass that waited for a quiet moment would never end. */
  without(changes: readonly Change[]): readonly Change[] {
    return changes.filter(({ path, isDecisive }) => isDecisive || (this.#inARow?.get(path) ?? 0) < ENDED_IN_A_ROW);
  }

  /** A pass is over, and these changes have ended it; none when it came to its end. */
  passEnded(by: readonly Change[] | undefined): void {
    this.#passes = by === undefined ? 0 : this.#passes + 1;
    if (by === undefined && this.#inARow === undefined) return;
    const inARow = (this.#inARow ??= new Map());
    const paths = new Set((by ?? []).map(({ path }) => path));
    for (const [path, times] of inARow) if (times < ENDED_IN_A_ROW && !paths.has(path)) inARow.delete(path);
    for (const path of paths) inARow.set(path, (inARow.get(path) ?? 0) + 1);
  }
}

/** What ended two passes in a row is a heartbeat to the third. */
const ENDED_IN_A_ROW = 2;
