/** Uids that an object has in every run: what is made of one (labels with a hash of it) is then the same, too. */
import { createHash } from "node:crypto";

export class StableUids {
  readonly #counts = new Map<string, number>();

  /** Of the next object of this identity. */
  next(kind: string, key: string): string {
    const id = `${kind} ${key}`;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const hash = createHash("sha256").update(`${id} ${count}`).digest("hex");
    return `00000000-0000-4000-8${hash.slice(0, 3)}-${hash.slice(3, 15)}`;
  }
}
