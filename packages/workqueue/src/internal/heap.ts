/**
 * A binary heap. The elements know their place in it, so that each can be moved or removed without a search.
 */

export interface Placed {
  /** Index in the heap; -1 outside of it. Written by the heap only. */
  place: number;
}

export class Heap<T extends Placed> {
  readonly #elements: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#elements[0];
  }

  get size(): number {
    return this.#elements.length;
  }

  push(element: T): void {
    this.#put(element, this.#elements.length);
    this.#rise(element);
  }

  /** Restores the heap after the order of `element` changed. `element` must be in the heap. */
  update(element: T): void {
    this.#rise(element);
    this.#sink(element);
  }

  remove(element: T): void {
    const last = this.#elements.pop();
    if (last !== undefined && last !== element) {
      this.#put(last, element.place);
      this.update(last);
    }
    element.place = -1;
  }

  clear(): void {
    for (const element of this.#elements) element.place = -1;
    this.#elements.length = 0;
  }

  #rise(element: T): void {
    for (;;) {
      const place = element.place;
      const parent = this.#elements[(place - 1) >> 1];
      if (place === 0 || parent === undefined || !this.#isBefore(element, parent)) return;
      this.#put(element, parent.place);
      this.#put(parent, place);
    }
  }

  #sink(element: T): void {
    for (;;) {
      const place = element.place;
      const left = this.#elements[2 * place + 1];
      const right = this.#elements[2 * place + 2];
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
      if (child === undefined || !this.#isBefore(child, element)) return;
      this.#put(element, child.place);
      this.#put(child, place);
    }
  }

  #put(element: T, place: number): void {
    this.#elements[place] = element;
    element.place = place;
  }
}
