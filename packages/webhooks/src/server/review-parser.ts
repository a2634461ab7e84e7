/**
 * Parses a ConversionReview while its bytes arrive. `JSON.parse` of 42 MB (10,000 objects) blocks the event loop for 350 ms. Here each
 * object of `request.objects` is cut out of the stream and parsed alone: 20 % more time in total, and no step is longer than a
 * chunk with its objects. The text of a parsed object is released. Measured by `bench/long-conversion.ts`.
 */
import { isObject } from "../json.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** The brackets around an object of `{ "request": { "objects": [`. */
const LIST = "{{[";
const LIST_DEPTH = LIST.length;

/** A parser of one text. The objects of every list at the depth of `request.objects` are parsed alone. */
export class ReviewParser {
  readonly #objects: unknown[] = [];
  /** The text around the objects. In place of each object it has the object's index. */
  readonly #outside: Buffer[] = [];
  /** The text of the current object. */
  #inside: Buffer[] = [];
  #depth = 0;
  /** The open brackets, up to the depth of the list. */
  #open = "";
  #isInObject = false;
  #isInText = false;
  #isEscaped = false;

  /** Reads the next bytes. @throws SyntaxError for an object that is not JSON */
  push(chunk: Buffer): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isInText) this.#goOn(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (byte === OPEN_BRACE && this.#depth === LIST_DEPTH && this.#open === LIST) {
          this.#begin(chunk.subarray(from, at));
          from = at;
        }
        if (this.#depth < LIST_DEPTH) this.#open = this.#open.slice(0, this.#depth) + String.fromCharCode(byte);
        this.#depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth--;
        if (this.#isInObject && this.#depth === LIST_DEPTH) {
          this.#end(chunk.subarray(from, at + 1));
          from = at + 1;
        }
      }
    }
    (this.#isInObject ? this.#inside : this.#outside).push(chunk.subarray(from));
  }

  /** Returns the review. @throws SyntaxError for a text that is not JSON */
  result(): unknown {
    if (this.#isInObject) throw new SyntaxError("the text ends within an object");
    const review: unknown = JSON.parse(textOf(this.#outside));
    // The review was parsed here, so no other code reads it yet.
    const parts = (isObject(review) ? Object.values(review).filter(isObject) : []) as readonly Record<string, unknown>[];
    for (const part of parts)
      for (const [name, value] of Object.entries(part)) if (Array.isArray(value)) part[name] = this.#restored(value);
    return review;
  }

  /** Within a text only its end matters. */
  #goOn(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #begin(before: Buffer): void {
    this.#outside.push(before, Buffer.from(`{"at":${this.#objects.length}}`));
    this.#isInObject = true;
  }

  #end(last: Buffer): void {
    this.#objects.push(JSON.parse(textOf([...this.#inside, last])));
    this.#inside = [];
    this.#isInObject = false;
  }

  /** A list with its objects. Other values of the list were never cut out. */
  #restored(list: readonly unknown[]): unknown[] {
    return list.map((value) => (isObject(value) ? this.#objects[value["at"] as number] : value)); // Every object of the list was cut out.
  }
}

function textOf(parts: readonly Buffer[]): string {
  const [only] = parts;
  return (parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString("utf8");
}
