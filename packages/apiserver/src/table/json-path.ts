/**
 * The JSONPath of printer columns, as in k8s.io/client-go `util/jsonpath`: fields, indexes, slices, wildcards, unions,
 * recursive descent and filters. Missing keys have no values.
 */
import { isObject } from "../internal/json.ts";

/** Finds the values at a path, in order. @throws JsonPathError when a step does not fit its value */
export type JsonPath = (root: unknown) => readonly unknown[];

/** A path that cannot be parsed, or a value that it does not fit. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

type Step = (values: readonly unknown[]) => readonly unknown[];

/** Parses a path. @throws JsonPathError */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Parser(text).steps();
  return (root) => steps.reduce<readonly unknown[]>((values, step) => step(values), [root]);
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): readonly Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const step = this.#step();
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #step(): Step | undefined {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith("[?(")) return this.#filter(rest);
    if (rest.startsWith("..")) {
      this.#at += 2;
      return this.#text[this.#at] !== undefined && /[\p{L}\p{N}_]/u.test(this.#text[this.#at] ?? "")
        ? then(descend, this.#field())
        : descend;
    }
    const first = rest[0] ?? "";
    this.#at++;
    if (first === " " || first === "@" || first === "$") return undefined;
    if (first === "[") return this.#brackets(rest);
    if (first === ".") return this.#field();
    if (first === '"' || first === "'") return this.#quoted(first);
    if (/[-+\d]/.test(first)) return this.#number(rest);
    const word = /^[^\s.,[\]$@{}]+/.exec(rest)?.[0];
    if (word === undefined || !/^[\p{L}\p{N}_]/u.test(word)) throw new JsonPathError(`unrecognized character in action: ${first}`);
    this.#at += word.length - 1;
    if (word === "true" || word === "false") return () => [word === "true"];
    throw new JsonPathError(`unrecognized identifier ${word}`);
  }

  #field(): Step {
    const name = /^(?:\\.|[^\s.,[\]$@{}\\])*/su.exec(this.#text.slice(this.#at))?.[0] ?? "";
    this.#at += name.length;
    if (name === "*") return everything;
    const key = name.replaceAll("\\", "");
    return key === "" ? (values) => values : fieldStep(key);
  }

  #quoted(quote: string): Step {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length && (this.#text[end] !== quote || this.#text[end - 1] === "\\")) end++;
    if (end >= this.#text.length) throw new JsonPathError("unterminated quoted string");
    this.#at = end + 1;
    const value = this.#text.slice(start, end).replaceAll(/\\(.)/g, "$1");
    return () => [value];
  }

  #number(rest: string): Step {
    const text = /^[-+]?[\d.]*/.exec(rest)?.[0] ?? "";
    this.#at += text.length - 1;
    const value = Number(text);
    if (Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`);
    return () => [value];
  }

  #brackets(rest: string): Step {
    const end = rest.indexOf("]");
    if (end < 0) throw new JsonPathError("unterminated array");
    this.#at += end;
    const inside = rest.slice(1, end);
    const parts = inside.split(",");
    if (parts.length === 1) return bracketStep(inside);
    const steps = parts.map((part) => bracketStep(part.trim()));
    return (values) => steps.flatMap((step) => step(values));
  }

  #filter(rest: string): Step {
    let quote = "";
    let end = 3;
    for (; end < rest.length; end++) {
      const char = rest[end] ?? "";
      if (quote !== "") {
        if (char === quote && rest[end - 1] !== "\\") quote = "";
      } else if (char === '"' || char === "'") quote = char;
      else if (char === ")") break;
    }
    if (end >= rest.length) throw new JsonPathError("unterminated filter");
    if (rest[end + 1] !== "]") throw new JsonPathError("unclosed array expect ]");
    this.#at += end + 2;
    const found = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(rest.slice(3, end));
    if (found === null) {
      const exists = parseJsonPath(rest.slice(3, end));
      return (values) => values.flatMap(itemsOf).filter((item) => exists(item).length > 0);
    }
    const [, left = "", operator = "", right = ""] = found;
    const [leftPath, rightPath] = [parseJsonPath(left), parseJsonPath(right)];
    const compare = COMPARE[operator];
    if (compare === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
    return (values) => values.flatMap(itemsOf).filter((item) => passes(leftPath(item), rightPath(item), compare));
  }
}

type Comparable = string | number | boolean;

const COMPARE: Readonly<Record<string, (a: Comparable, b: Comparable) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};

function passes(lefts: readonly unknown[], rights: readonly unknown[], compare: (a: Comparable, b: Comparable) => boolean): boolean {
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new JsonPathError("can only compare one element at a time");
  const [left, right] = [lefts[0], rights[0]];
  if (!isComparable(left) || !isComparable(right) || typeof left !== typeof right)
    throw new JsonPathError("incompatible types for comparison");
  return compare(left, right);
}

function isComparable(value: unknown): value is Comparable {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function then(first: Step, second: Step): Step {
  return (values) => second(first(values));
}

function fieldStep(key: string): Step {
  return (values) => values.flatMap((value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key]] : []));
}

function everything(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []));
}

/** Returns the values and everything inside them. */
function descend(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => (typeof value === "object" && value !== null ? [value, ...descend(everything([value]))] : [value]));
}

function parseAll(text: string): Step {
  return new Parser(text).steps().reduce(then);
}

function bracketStep(inside: string): Step {
  const key = /^'([^']*)'$/.exec(inside)?.[1];
  // Parsed as a path, so that an unescaped dot inside separates keys.
  if (key !== undefined) return parseAll(`.${key}`);
  const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(inside === "*" ? ":" : inside);
  if (slice === null || inside === "") throw new JsonPathError(`invalid array index ${inside}`);
  const [start, end, step] = [slice[1], slice[2]?.slice(1), slice[3]?.slice(1)].map((one) => (one ? Number(one) : undefined));
  const isOne = slice[2] === undefined;
  return (values) => values.flatMap((value) => sliced(value, { start, end, step, isOne }));
}

interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  readonly isOne: boolean;
}

function sliced(value: unknown, { start = 0, end, step = 1, isOne }: Slice): readonly unknown[] {
  if (value === undefined || value === null) return [];
  const items = itemsOf(value);
  const from = start < 0 ? start + items.length : start;
  const given = isOne ? from + 1 : (end ?? items.length);
  const to = given < 0 ? given + items.length : given;
  if (from === to) return [];
  if (from < 0 || from >= items.length || to < 0 || to > items.length || from > to || step <= 0)
    throw new JsonPathError(`array index out of bounds: index ${from}, length ${items.length}`);
  return items.slice(from, to).filter((_, index) => index % step === 0);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new JsonPathError("value is not array or slice");
  return value;
}
