/**
 * Scanner and recursive-descent parser for the text form of label selectors. It accepts the same texts as the API server,
 * such as empty values, `in` as a label name, and `(,a)`. It refuses the others with the same error texts.
 */
import { labelKeyProblems } from "../names.ts";

/** An operator of a label selector. */
export type LabelOperator = "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One term of a label selector. */
export interface LabelRequirement {
  /** Key of the label. */
  readonly key: string;
  /** How the label is compared with the values. */
  readonly operator: LabelOperator;
  /** Values; empty for `exists` and `!`, one value for `=`, `!=`, `gt` and `lt`. */
  readonly values: readonly string[];
}

type TokenType = "identifier" | "end" | "error" | "word-operator" | "symbol";

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

/** Parses `text`. `fail` makes the error to throw; `build` checks and makes one requirement. */
export function parseRequirements(
  text: string,
  fail: (message: string) => Error,
  build: (key: string, operator: LabelOperator, values: readonly string[]) => LabelRequirement,
): readonly LabelRequirement[] {
  const cursor = new Cursor(scan(text), fail);
  const found: LabelRequirement[] = [];
  for (;;) {
    const next = cursor.peek();
    if (next.type === "end") return found;
    if (next.type !== "identifier" && next.text !== "!") throw fail(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    found.push(requirementAt(cursor, fail, build));
    const after = cursor.take();
    if (after.type === "end") return found;
    if (after.text !== "," || after.type !== "symbol") throw fail(`found '${after.text}', expected: ',' or 'end of string'`);
    const follower = cursor.peek();
    if (follower.type !== "identifier" && follower.text !== "!") throw fail(`found '${follower.text}', expected: identifier after ','`);
  }
}

class Cursor {
  readonly #tokens: readonly Token[];
  readonly #fail: (message: string) => Error;
  #position = 0;

  constructor(tokens: readonly Token[], fail: (message: string) => Error) {
    this.#tokens = tokens;
    this.#fail = fail;
  }

  /** The next token. `in` and `notin` are operators only where an operator is allowed. */
  peek(place: "value" | "operator" = "value"): Token {
    const token = this.#tokens[this.#position] ?? END;
    return place === "value" && token.type === "word-operator" ? { type: "identifier", text: token.text } : token;
  }

  take(place: "value" | "operator" = "value"): Token {
    const token = this.peek(place);
    this.#position++;
    return token;
  }

  /** The error for the requirement being read. */
  refuse(message: string): Error {
    return this.#fail(`unable to parse requirement: ${message}`);
  }
}

const END: Token = { type: "end", text: "" };

function requirementAt(
  cursor: Cursor,
  fail: (message: string) => Error,
  build: (key: string, operator: LabelOperator, values: readonly string[]) => LabelRequirement,
): LabelRequirement {
  const made = (key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement => {
    try {
      return build(key, operator, values);
    } catch (error) {
      throw error instanceof Error ? cursor.refuse(error.message) : fail(String(error));
    }
  };
  let token = cursor.take();
  const negated = token.text === "!" && token.type === "symbol";
  if (negated) token = cursor.take();
  if (token.type !== "identifier") throw cursor.refuse(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const wrong = labelKeyProblems(key);
  if (wrong.length > 0) throw cursor.refuse(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong.join("; ")}`);
  // Tokens after a negated key belong to the next term.
  if (negated) return made(key, "!", []);
  if (isEndOfTerm(cursor.peek())) return made(key, "exists", []);
  const operator = operatorAt(cursor);
  return made(key, operator, operator === "in" || operator === "notin" ? setAt(cursor) : [valueAt(cursor)]);
}

function isEndOfTerm(token: Token): boolean {
  return token.type === "end" || (token.type === "symbol" && token.text === ",");
}

function operatorAt(cursor: Cursor): LabelOperator {
  const token = cursor.take("operator");
  const operator = token.type === "word-operator" || token.type === "symbol" ? OPERATORS.get(token.text) : undefined;
  if (operator === undefined) throw cursor.refuse(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "="],
  ["==", "="],
  ["!=", "!="],
  ["in", "in"],
  ["notin", "notin"],
  [">", "gt"],
  ["<", "lt"],
]);

function valueAt(cursor: Cursor): string {
  if (isEndOfTerm(cursor.peek())) return "";
  const token = cursor.take();
  if (token.type !== "identifier") throw cursor.refuse(`found '${token.text}', expected: identifier`);
  return token.text;
}

/** Reads `(a,b)`. A missing value before, between or after commas is the empty string, and `()` is one empty string. */
function setAt(cursor: Cursor): readonly string[] {
  const open = cursor.take();
  if (open.text !== "(" || open.type !== "symbol") throw cursor.refuse(`found '${open.text}' expected: '('`);
  const first = cursor.peek();
  if (isSymbol(first, ")")) {
    cursor.take();
    return [""];
  }
  if (first.type !== "identifier" && !isSymbol(first, ",")) throw cursor.refuse(`found '${first.text}', expected: ',', ')' or identifier`);
  const values: string[] = [];
  let isValueDue = true;
  for (;;) {
    const token = cursor.take();
    if (isSymbol(token, ")")) {
      if (isValueDue) values.push("");
      return values;
    }
    if (isSymbol(token, ",")) {
      if (isValueDue) values.push("");
      isValueDue = true;
    } else if (!isValueDue) {
      throw cursor.refuse(`found '${token.text}', expected: ',' or ')'`);
    } else if (token.type !== "identifier") {
      throw cursor.refuse(`found '${token.text}', expected: ',', or identifier`);
    } else {
      values.push(token.text);
      isValueDue = false;
    }
  }
}

function isSymbol(token: Token, text: string): boolean {
  return token.type === "symbol" && token.text === text;
}

function scan(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^[ \t\r\n]+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const symbol = /^(?:==|!=|[=!(),<>])/.exec(rest)?.[0];
    const word = symbol ?? /^[^ \t\r\n=!(),<>]+/.exec(rest)?.[0] ?? rest;
    tokens.push({ type: symbol !== undefined ? "symbol" : word === "in" || word === "notin" ? "word-operator" : "identifier", text: word });
    at += word.length;
  }
  return [...tokens, END];
}
