/**
 * The vocabulary in which the rules of built-in kinds are written. A `Spot` is a place in an object with the value that is
 * there; a rule looks at a spot and says what is wrong with it. Rules are put together so that those of a struct read like
 * a table, in the order in which the real server reports: `fields({ name: all(required, dnsLabel), ports: each(port) })`.
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

/** Says at a spot what is wrong there. */
export type Rule = (spot: Spot) => void;

/** A place in an object. What is wrong with it and with what is inside it goes to one list. */
export class Spot {
  readonly value: unknown;
  readonly path: string;
  readonly #errors: FieldError[];

  constructor(value: unknown, path: string, errors: FieldError[]) {
    this.value = value;
    this.path = path;
    this.#errors = errors;
  }

  /** The field of a struct. */
  at(field: string): Spot {
    return new Spot(this.get(field), this.path === "" ? field : `${this.path}.${field}`, this.#errors);
  }

  /** A field within fields. */
  within(...fields: readonly string[]): Spot {
    return fields.reduce<Spot>((spot, field) => spot.at(field), this);
  }

  /** The same value at another path: where the real server names another field than the one that is wrong. */
  named(path: string): Spot {
    return new Spot(this.value, path, this.#errors);
  }

  /** Another value at the same path: what the real server makes of it before it looks. */
  withValue(value: unknown): Spot {
    return new Spot(value, this.path, this.#errors);
  }

  get(field: string): unknown {
    return isObject(this.value) && Object.hasOwn(this.value, field) ? this.value[field] : undefined;
  }

  /** The items of a list; none when there is no list. */
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

  /** Whether Go finds nothing there: nothing at all, or the zero of the type. */
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

  /** How much was found wrong so far, anywhere: to see whether a rule found something. */
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

/** What a rule finds wrong with an object. */
export function check(object: unknown, rule: Rule): FieldError[] {
  const errors: FieldError[] = [];
  rule(new Spot(object, "", errors));
  return errors;
}

/** Rules for the fields of a struct, in their order; nothing when the struct is absent. */
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

/** The items of a list. */
export function each(rule: Rule): Rule {
  return (spot) => {
    for (const item of spot.items) rule(item);
  };
}

/** Only where something is set. */
export function ifSet(rule: Rule): Rule {
  return (spot) => {
    if (spot.isSet) rule(spot);
  };
}

/** Only where there is more than the zero of the type. */
export function ifGiven(rule: Rule): Rule {
  return (spot) => {
    if (!spot.isEmpty) rule(spot);
  };
}

/** Stops at what is absent or empty, else goes on with `rule`. */
export function needed(rule: Rule = () => {}, detail = ""): Rule {
  return (spot) => {
    if (spot.isEmpty) spot.required(detail);
    else rule(spot);
  };
}

export const required: Rule = needed();

/** A text that a check of names finds nothing wrong with; also the empty one is checked. */
export function passes(problems: (text: string) => readonly string[]): Rule {
  return (spot) => {
    for (const problem of problems(spot.text)) spot.invalid(problem);
  };
}

/** One of some words; an absent one is let through. */
export function oneOf(...words: readonly string[]): Rule {
  return (spot) => {
    if (spot.isSet && !words.includes(spot.text)) spot.notSupported(words);
  };
}

/** One of some words, which must be there. */
export function mustBeOneOf(...words: readonly string[]): Rule {
  return needed(oneOf(...words));
}

/** A number in a range, where one is set. */
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

/** A value that stays what it was. */
export function unchanged(before: unknown, detail = "field is immutable"): Rule {
  return (spot) => {
    if (!jsonEqual(spot.value, before)) spot.invalid(detail, spot.value ?? null);
  };
}

/** Items of a list that must differ in a field; `at`: where a repetition is reported. */
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
