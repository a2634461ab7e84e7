/**
 * Reads JSON texts character by character, for what `JSON.parse` does not report: duplicate members, and errors with the
 * texts of Go's `encoding/json`, which the real server returns.
 */

/** Returns Go's error for a text that `JSON.parse` refused. */
export function jsonProblem(text: string): string {
  try {
    new Reader(text).document();
  } catch (error) {
    if (error instanceof JsonProblem) return error.message;
    throw error;
  }
  return "invalid JSON";
}

/**
 * Returns the paths of duplicate members, each once, in the order of the text. The text must be valid. `value` is its parsed
 * value, which makes the usual case fast.
 */
export function duplicateMembers(text: string, value: unknown): readonly string[] {
  // Each member has a quote and a colon in the text. If there are more of these than members, there may be duplicates.
  if (countColons(text) === countMembers(value)) return [];
  const reader = new Reader(text);
  reader.document();
  return [...reader.duplicates];
}

/** Returns the paths of all members of a valid text in their order. A duplicate member is listed at each of its places. */
export function memberPaths(text: string): readonly string[] {
  const reader = new Reader(text);
  reader.document();
  return reader.members;
}

/** Limit that protects the stack. Go refuses deeper texts, too, at a higher limit. */
const MAX_DEPTH = 2000;

class JsonProblem extends Error {
  override readonly name = "JsonProblem";
}

class Reader {
  readonly #text: string;
  readonly duplicates = new Set<string>();
  readonly members: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value("");
    this.#space();
    if (this.#at < this.#text.length) this.#refuse("after top-level value");
  }

  #value(path: string): void {
    if (++this.#depth > MAX_DEPTH) throw new JsonProblem("exceeded max depth");
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#object(path);
    else if (first === "[") this.#array(path);
    else if (first === '"') this.#string();
    else if (first === "-" || isDigit(first)) this.#number();
    else if (first === "t") this.#literal("true");
    else if (first === "f") this.#literal("false");
    else if (first === "n") this.#literal("null");
    else this.#refuse("looking for beginning of value");
    this.#depth--;
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#take("}")) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#refuse("looking for beginning of object key string");
      const key = this.#string();
      const at = path === "" ? key : `${path}.${key}`;
      if (seen.has(key)) this.duplicates.add(at);
      seen.add(key);
      this.members.push(at);
      this.#space();
      if (!this.#take(":")) this.#refuse("after object key");
      this.#value(at);
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) this.#refuse("after object key:value pair");
    }
  }

  #array(path: string): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (let i = 0; ; i++) {
      this.#value(`${path}[${i}]`);
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) this.#refuse("after array element");
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || character < " ") this.#refuse("in string literal");
      if (character === '"') break;
      if (character === "\\") this.#escape();
      this.#at++;
    }
    this.#at++;
    const raw = this.#text.slice(start, this.#at);
    return raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1); // a JSON string
  }

  #escape(): void {
    const character = this.#text[++this.#at];
    if (character === undefined || !'"\\/bfnrtu'.includes(character)) this.#refuse("in string escape code");
    if (character !== "u") return;
    for (let i = 0; i < 4; i++) if (!/[0-9a-f]/i.test(this.#text[++this.#at] ?? "")) this.#refuse("in \\u hexadecimal character escape");
  }

  #number(): void {
    this.#take("-");
    if (!isDigit(this.#text[this.#at])) this.#refuse("in numeric literal", " ");
    if (!this.#take("0")) this.#digits();
    if (this.#take(".")) {
      if (!isDigit(this.#text[this.#at])) this.#refuse("after decimal point in numeric literal", " ");
      this.#digits();
    }
    if (this.#take("e") || this.#take("E")) {
      if (!this.#take("+")) this.#take("-");
      if (!isDigit(this.#text[this.#at])) this.#refuse("in exponent of numeric literal", " ");
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at])) this.#at++;
  }

  #literal(word: string): void {
    for (const character of word) {
      if (this.#text[this.#at] !== character) this.#refuse(`in literal ${word} (expecting '${character}')`, " ");
      this.#at++;
    }
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Go's reader appends a blank to the text, so it sees a blank after a number or literal at the end. */
  #refuse(context: string, atEnd?: string): never {
    const character = this.#text.codePointAt(this.#at);
    // Go's reader works on bytes.
    const shown = character === undefined ? atEnd : Buffer.from(String.fromCodePoint(character)).toString("latin1", 0, 1);
    if (shown === undefined) throw new JsonProblem("unexpected end of JSON input");
    throw new JsonProblem(`invalid character ${goCharacter(shown)} ${context}`);
  }
}

function goCharacter(character: string): string {
  if (character === "'") return "'\\''";
  if (/[\x80-\xa0\xad]/.test(character)) return `'\\u00${character.charCodeAt(0).toString(16)}'`;
  const quoted = JSON.stringify(character).slice(1, -1);
  return `'${quoted === '\\"' ? '"' : quoted.replace(/^\\u00/, "\\x")}'`;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

/** Counts the colons that follow a quote. */
function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= 0x20) before--;
    if (text.charCodeAt(before) === 0x22) count++;
  }
  return count;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else
    for (const field in value) {
      const member = (value as Record<string, unknown>)[field];
      count += typeof member === "object" && member !== null ? 1 + countMembers(member) : 1;
    }
  return count;
}
