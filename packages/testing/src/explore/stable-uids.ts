/** Uids that are the same in every run, so that values made of them (labels with a hash) are the same as well. */
import { createHash } from "node:crypto";

export class StableUids {
  readonly #counts = new Map<string, number>();

  /** Returns the uid of the next object with this kind and key. */
  next(kind: string, key: string): string {
    const id = `${kind} ${key}`;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const hash = createHash("sha256").update(`${id} ${count}`).digest("hex");
    return `00000000-0000-4000-8${hash.slice(0, 3)}-${hash.slice(3, 15)}`;
  }
}
