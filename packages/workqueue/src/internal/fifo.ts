/**
 * A doubly linked list. The elements carry the links, so that each can be removed in constant time. (Taking the first element
 * of a `Set` skips the holes of all elements that were taken before.)
 */

/** An element of at most one list at a time. */
export interface Linked<T> {
  next: T | undefined;
  previous: T | undefined;
}

export class Fifo<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  push(element: T): void {
    element.previous = this.#last;
    element.next = undefined;
    if (this.#last === undefined) this.#first = element;
    else this.#last.next = element;
    this.#last = element;
    this.#size++;
  }

  /** `element` must be in this list. */
  remove(element: T): void {
    const { next, previous } = element;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    element.next = undefined;
    element.previous = undefined;
    this.#size--;
  }
}
