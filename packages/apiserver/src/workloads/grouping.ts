/**
 * Groups objects by words, such as their controller or their node. It is updated with each change, so that no controller
 * needs to read all objects.
 */
import type { KubernetesObject } from "@treadle/apimachinery";

export class Grouping {
  readonly #wordsOf: (object: KubernetesObject) => readonly string[];
  /** Objects by word and key. */
  readonly #groups = new Map<string, Map<string, KubernetesObject>>();

  constructor(wordsOf: (object: KubernetesObject) => readonly string[]) {
    this.#wordsOf = wordsOf;
  }

  /** Returns the objects of a word, in the order in which they got it. */
  of(word: string): readonly KubernetesObject[] {
    return [...(this.#groups.get(word)?.values() ?? [])];
  }

  /** Records a change. `before` is absent for a new object, `now` for a deleted one. */
  replace(key: string, before: KubernetesObject | undefined, now: KubernetesObject | undefined): void {
    const words = now === undefined ? [] : this.#wordsOf(now);
    for (const word of before === undefined ? [] : this.#wordsOf(before)) if (!words.includes(word)) this.#remove(word, key);
    for (const word of words) {
      const group = this.#groups.get(word);
      if (group === undefined)
        this.#groups.set(word, new Map([[key, now as KubernetesObject]])); // only what is there has words
      else group.set(key, now as KubernetesObject);
    }
  }

  #remove(word: string, key: string): void {
    const group = this.#groups.get(word);
    group?.delete(key);
    if (group?.size === 0) this.#groups.delete(word);
  }
}
