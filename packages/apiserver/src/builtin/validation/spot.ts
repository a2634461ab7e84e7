/**
 * The rules of built-in kinds are written with these functions. A `Spot` is a place in an object with its value. A rule
 * checks a spot and reports errors there. Rules are combined so that those of a struct read like a table, in the order in
 * which the real server reports: `fields({ name: all(required, dnsLabel), ports: each(port) })`.
 */
import { jsonEqual } from "@treadle/apimachinery";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  OMITTED,
  required as requiredError,
  tooLong,
  tooMany,
} from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";

/** Checks a spot and reports its errors there. */
export type Rule = (spot: Spot) => void;

/** A place in an object, with its value. All errors of a value go to one list. */
export class Spot {
  readonly value: unknown;
  readonly path: string;
  readonly #errors: FieldError[];

  constructor(value: unknown, path: string, errors: FieldError[]) {
    this.value = value;
    this.path = path;
    this.#errors = errors;
  }

  /** Returns the spot of a field of a struct. */
  at(field: string): Spot {
    return new Spot(this.get(field), this.path === "" ? field : `${this.path}.${field}`, this.#errors);
  }

  /** Returns the spot of a nested field. */
  within(...fields: readonly string[]): Spot {
    return fields.reduce<Spot>((spot, field) => spot.at(field), this);
  }

  /** Returns the same value at another path, for errors that the real server reports at another field. */
  named(path: string): Spot {
    return new Spot(this.value, path, this.#errors);
  }

  /** Returns another value at the same path, for a value that the real server changes before the check. */
  withValue(value: unknown): Spot {
    return new Spot(value, this.path, this.#errors);
  }

  get(field: string): unknown {
    return isObject(this.value) && Object.hasOwn(this.value, field) ? this.value[field] : undefined;
  }

  /** The items of a list; none when the value is not a list. */
  get items(): readonly Spot[] {
    return Array.isArray(this.value) ? this.value.map((item, i) => new Spot(item, `${this.path}[${i}]`, this.#errors)) : [];
  }

  /** The members of a map, as `path[key]`. */
  get members(): readonly (readonly [string, Spot])[] {
    const { value } = this;
    return isObject(value) ? Object.keys(value).map((key) => [key, new Spot(value[key], `${this.path}[${key}]`, this.#errors)]) : [];
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Whether the value is absent or the zero value of its type. */
  get isEmpty(): boolean {
    const { value } = this;
    if (Array.isArray(value)) return value.length === 0;
    return value === undefined || value === null || value === "" || value === 0 || value === false;
  }

  get text(): string {
    return typeof this.value === "string" ? this.value : "";
  }

  get number(): number {
    return typeof this.value === "number" ? this.value : 0;
  }

  get object(): JsonObject {
    return isObject(this.value) ? this.value : {};
  }

  /** Number of all errors so far. Compare it to see whether a rule found an error. */
  get errorCount(): number {
    return this.#errors.length;
  }

  required(detail = ""): void {
    this.#errors.push(requiredError(this.path, detail));
  }

  invalid(detail: string, shown: unknown = this.value ?? ""): void {
    this.#errors.push(invalid(this.path, shown, detail));
  }

  /** As {@link invalid}, without the value. */
  invalidAsWhole(detail: string): void {
    this.#errors.push(invalid(this.path, OMITTED, detail));
  }

  forbidden(detail: string): void {
    this.#errors.push(forbidden(this.path, detail));
  }

  notSupported(supported: readonly string[], shown: unknown = this.value ?? ""): void {
    this.#errors.push(notSupported(this.path, shown, supported));
  }

  duplicate(shown: unknown = this.value, detail = ""): void {
    this.#errors.push(duplicate(this.path, shown, detail));
  }

  notFound(detail = "", shown: unknown = this.value ?? ""): void {
    this.#errors.push(notFound(this.path, shown, detail));
  }

  tooLong(max: number): void {
    this.#errors.push(tooLong(this.path, max));
  }

  tooMany(count: number, max: number): void {
    this.#errors.push(tooMany(this.path, count, max));
  }
}

/** Returns the errors of an object. */
export function check(object: unknown, rule: Rule): FieldError[] {
  const errors: FieldError[] = [];
  rule(new Spot(object, "", errors));
  return errors;
}

/** Applies rules to the fields of a struct, in their order. An absent struct passes. */
export function fields(rules: Readonly<Record<string, Rule>>): Rule {
  const entries = Object.entries(rules);
  return (spot) => {
    if (isObject(spot.value)) for (const [field, rule] of entries) rule(spot.at(field));
  };
}

export function all(...rules: readonly Rule[]): Rule {
  return (spot) => {
    for (const rule of rules) rule(spot);
  };
}

/** Applies a rule to each item of a list. */
export function each(rule: Rule): Rule {
  return (spot) => {
    for (const item of spot.items) rule(item);
  };
}

/** Applies a rule to a value that is set. */
export function ifSet(rule: Rule): Rule {
  return (spot) => {
    if (spot.isSet) rule(spot);
  };
}

/** Applies a rule to a value that is not the zero value of its type. */
export function ifGiven(rule: Rule): Rule {
  return (spot) => {
    if (!spot.isEmpty) rule(spot);
  };
}

/** Requires a value, and then applies `rule`. */
export function needed(rule: Rule = () => {}, detail = ""): Rule {
  return (spot) => {
    if (spot.isEmpty) spot.required(detail);
    else rule(spot);
  };
}

export const required: Rule = needed();

/** Applies a check of names to a string, also to an empty one. */
export function passes(problems: (text: string) => readonly string[]): Rule {
  return (spot) => {
    for (const problem of problems(spot.text)) spot.invalid(problem);
  };
}

/** Requires one of some words, or no value. */
export function oneOf(...words: readonly string[]): Rule {
  return (spot) => {
    if (spot.isSet && !words.includes(spot.text)) spot.notSupported(words);
  };
}

/** Requires one of some words. */
export function mustBeOneOf(...words: readonly string[]): Rule {
  return needed(oneOf(...words));
}

/** Requires a number in a range, or no value. */
export function between(low: number, high: number): Rule {
  return (spot) => {
    if (spot.isSet && (spot.number < low || spot.number > high)) spot.invalid(`must be between ${low} and ${high}, inclusive`);
  };
}

function atLeast(low: number): Rule {
  return (spot) => {
    if (spot.isSet && spot.number < low) spot.invalid(`must be greater than or equal to ${low}`);
  };
}

export const nonNegative: Rule = atLeast(0);

/** Requires the previous value. */
export function unchanged(before: unknown, detail = "field is immutable"): Rule {
  return (spot) => {
    if (!jsonEqual(spot.value, before)) spot.invalid(detail, spot.value ?? null);
  };
}

/** Requires that items of a list differ in a key. `at` is the place of the error. */
export function unique(keyOf: (item: Spot) => string, at: (item: Spot) => Spot = (item) => item): Rule {
  return (spot) => {
    const seen = new Set<string>();
    for (const item of spot.items) {
      const key = keyOf(item);
      if (seen.has(key)) at(item).duplicate(key);
      seen.add(key);
    }
  };
}
