/**
 * A line of objects that wait for tokens, first come first served. A Fenwick tree over the places answers "how many tokens are
 * claimed ahead of this place" in O(log n), also after objects in the middle have left.
 */

/** A place is where an object waits in a line. */
export interface Place {
  /** The line of the place. */
  readonly line: Line;
  /** The tokens that the object needs when it returns. */
  tokens: number;
  /** The time at which the object was told to return. */
  turnMs: number;
  /** The tokens that are set aside: `tokens`, or 0 after the object missed its turn. Written by the line only. */
  claim: number;
  /** The index of the place. Written by the line only. */
  at: number;
}

/** The time after which the tokens of an object that did not return are free for others. It keeps its place. */
export const MISSED_AFTER_MS = 500;

const MIN_CAPACITY = 16;

/** A line of waiting objects. */
export class Line {
  #places: (Place | undefined)[] = [];
  #tree: number[] = Array.from({ length: MIN_CAPACITY + 1 }, () => 0);
  #total = 0;
  /** No place before this index has a claim. */
  #first = 0;

  /** The tokens that all places claim. */
  get total(): number {
    return this.#total;
  }

  /** Adds a place at the end. */
  add(tokens: number, turnMs: number): Place {
    if (this.#places.length === this.#tree.length - 1) this.#compact();
    const place: Place = { line: this, tokens, turnMs, claim: 0, at: this.#places.length };
    this.#places.push(place);
    this.keep(place, tokens, turnMs);
    return place;
  }

  /** Sets the need and the turn of a place, and sets its tokens aside (again). */
  keep(place: Place, tokens: number, turnMs: number): void {
    place.tokens = tokens;
    place.turnMs = turnMs;
    this.#claim(place, tokens);
    this.#first = Math.min(this.#first, place.at);
  }

  /** Removes a place. */
  remove(place: Place): void {
    this.#claim(place, 0);
    this.#places[place.at] = undefined;
  }

  /** Returns the tokens that places before this one claim. */
  ahead(place: Place): number {
    let sum = 0;
    for (let index = place.at; index > 0; index -= index & -index) sum += this.#tree[index] ?? 0;
    return sum;
  }

  /** Frees the tokens of objects that did not return for their turn. */
  passMissed(nowMs: number): void {
    for (; this.#first < this.#places.length; this.#first++) {
      const place = this.#places[this.#first];
      if (place === undefined) continue;
      if (place.turnMs + MISSED_AFTER_MS >= nowMs) return;
      this.#claim(place, 0);
    }
  }

  #claim(place: Place, tokens: number): void {
    const change = tokens - place.claim;
    if (change === 0) return;
    place.claim = tokens;
    this.#total += change;
    this.#put(place.at, change);
  }

  #put(at: number, change: number): void {
    for (let index = at + 1; index < this.#tree.length; index += index & -index) this.#tree[index] = (this.#tree[index] ?? 0) + change;
  }

  /** Removes the gaps, and doubles the room: so that the cost for each place stays constant. */
  #compact(): void {
    this.#places = this.#places.filter((place) => place !== undefined);
    this.#tree = Array.from({ length: Math.max(MIN_CAPACITY, 2 * this.#places.length) + 1 }, () => 0);
    this.#first = 0;
    for (const [at, place] of this.#places.entries()) {
      if (place === undefined) continue;
      place.at = at;
      this.#put(at, place.claim);
    }
  }
}
