/** Objects by words that are made of each: who controls it, where it runs. Kept up to date with every change, so that nobody has to go through all. */
import type { KubernetesObject } from "@treadle/apimachinery";

export class Grouping {
  readonly #wordsOf: (object: KubernetesObject) => readonly string[];
  /** By word and key. */
  readonly #groups = new Map<string, Map<string, KubernetesObject>>();

  constructor(wordsOf: (object: KubernetesObject) => readonly string[]) {
    this.#wordsOf = wordsOf;
  }

  /** In the order in which they came to have the word. */
  of(word: string): readonly KubernetesObject[] {
    return [...(this.#groups.get(word)?.values() ?? [])];
  }

  /** Takes in a change: `before` is undefined of a new object, `now` of one that is gone. */
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
