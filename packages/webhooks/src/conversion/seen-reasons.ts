/** Remembers what was logged, so that an object which is read all the time has one line in the log. */

/** More objects than a person repairs by hand. The oldest is forgotten, and is logged again. */
const MAX_ENTRIES = 1_000;

/** Reasons by object that were logged. */
export class SeenReasons {
  readonly #seen = new Set<string>();

  /** Notes a reason, and returns whether it is new for the object. */
  isNew(object: string, reason: string): boolean {
    const key = `${object} ${reason}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    if (this.#seen.size <= MAX_ENTRIES) return true;
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      break;
    }
    return true;
  }
}
