/** Heartbeats: periodic changes by other writers, for which a pass must not wait until they end. */

/** A change by another writer, by path. */
export interface Change {
  readonly path: string;
  /** Whether the change always voids the pass; any other change may be a heartbeat. */
  readonly isDecisive: boolean;
}

/** Recognises heartbeats: changes that are not decisive, at the place of the changes that ended the passes before. */
export class Heartbeats {
  /** Made for the first change, because most objects have none. */
  #inARow: Map<string, number> | undefined;
  #passes = 0;

  /** The number of passes in a row that ended because another writer wrote. */
  get passesInARow(): number {
    return this.#passes;
  }

  /** Returns the changes without those that ended the last two passes. A pass that waited until they stop would never end. */
  without(changes: readonly Change[]): readonly Change[] {
    return changes.filter(({ path, isDecisive }) => isDecisive || (this.#inARow?.get(path) ?? 0) < ENDED_IN_A_ROW);
  }

  /** Notes the end of a pass, and the changes that ended it; undefined if it finished. */
  passEnded(by: readonly Change[] | undefined): void {
    this.#passes = by === undefined ? 0 : this.#passes + 1;
    if (by === undefined && this.#inARow === undefined) return;
    const inARow = (this.#inARow ??= new Map());
    const paths = new Set((by ?? []).map(({ path }) => path));
    for (const [path, times] of inARow) if (times < ENDED_IN_A_ROW && !paths.has(path)) inARow.delete(path);
    for (const path of paths) inARow.set(path, (inARow.get(path) ?? 0) + 1);
  }
}

/** A change that ended so many passes in a row is a heartbeat in the next one. */
const ENDED_IN_A_ROW = 2;
