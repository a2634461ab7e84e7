/**
 * Makes random values that fit a structural schema, with fast-check. Bounds, enums, formats, patterns and keys of lists are respected; CEL
 * rules are not evaluated.
 */
import type { JsonSchema } from "@treadle/apimachinery";
import type * as FastCheck from "fast-check";
import { brokenPath } from "../conversion/check.ts";
import { isObject, own } from "../json.ts";

type Values = FastCheck.Arbitrary<unknown>;

/** Returns values of a schema. `fc` is the module, which is loaded only by tests. */
export function valuesOf(schema: JsonSchema, fc: typeof FastCheck): Values {
  const values = schema.enum === undefined ? valuesOfType(schema, fc) : fc.constantFrom(...schema.enum);
  const fitting = isPlain(schema) ? values : mostly(values, (value) => brokenPath(value, schema, "") === undefined);
  return schema.nullable === true ? fc.option(fitting, { nil: null, freq: 5 }) : fitting;
}

function valuesOfType(schema: JsonSchema, fc: typeof FastCheck): Values {
  if (schema["x-kubernetes-int-or-string"] === true) return fc.oneof(numbers({ ...schema, type: "integer" }, fc), texts(schema, fc));
  switch (schema.type) {
    case "object":
      return objects(schema, fc);
    case "array":
      return lists(schema, fc);
    case "string":
      return texts(schema, fc);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numbers(schema, fc);
    default:
      return free(fc);
  }
}

/** Whether all bounds of a schema are respected while a value is made. */
function isPlain({ allOf, anyOf, oneOf, not, pattern, minProperties, maxProperties }: JsonSchema): boolean {
  return [allOf, anyOf, oneOf, not, pattern, minProperties, maxProperties].every((keyword) => keyword === undefined);
}

/** Filters values, but stops after many: a value that does not fit is found later, and a filter without end is not. */
function mostly(values: Values, fits: (value: unknown) => boolean): Values {
  let failed = 0;
  return values.filter((value) => {
    const isDone = failed >= MAX_TRIES || fits(value);
    failed = isDone ? 0 : failed + 1;
    return isDone;
  });
}

const MAX_TRIES = 200;

function objects(schema: JsonSchema, fc: typeof FastCheck): Values {
  const { properties = {}, required = [], additionalProperties } = schema;
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, valuesOf(member, fc)])), {
    requiredKeys: [...required],
  });
  if (typeof additionalProperties === "object") return entries(schema, valuesOf(additionalProperties, fc), fc);
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true && additionalProperties !== true) return known;
  return fc
    .tuple(fc.dictionary(fc.constantFrom("unknown", "other"), free(fc), { maxKeys: 2, noNullPrototype: true }), known)
    .map(([more, own]) => ({ ...more, ...own }));
}

/** The entries of a map. A test of authors' functions is not a test of names such as `__proto__`. */
function entries({ minProperties = 0, maxProperties = 3 }: JsonSchema, values: Values, fc: typeof FastCheck): Values {
  const names = fc.constantFrom("a", "b", "c", "example.com/d", ...Array.from({ length: minProperties }, (_, i) => `k${i}`));
  return fc.dictionary(names, values, {
    minKeys: minProperties,
    maxKeys: Math.min(maxProperties, minProperties + 3),
    noNullPrototype: true,
  });
}

function lists(schema: JsonSchema, fc: typeof FastCheck): Values {
  const { items = {}, minItems: minLength = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const length = { minLength, maxLength: Math.min(maxItems, minLength + 4) };
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return fc.array(valuesOf(items, fc), length);
  const keys = schema["x-kubernetes-list-map-keys"];
  const defaultOf = (key: string): unknown => (own(items.properties, key) as JsonSchema | undefined)?.default;
  const selector = (item: unknown): string =>
    JSON.stringify(keys === undefined || !isObject(item) ? item : keys.map((key) => own(item, key) ?? defaultOf(key)));
  return fc.uniqueArray(valuesOf(items, fc), { ...length, selector });
}

function texts(schema: JsonSchema, fc: typeof FastCheck): Values {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const special = format === undefined ? undefined : formatted(format, fc);
  if (special !== undefined) return special;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u"));
  const length = { minLength, maxLength: Math.min(maxLength, minLength + 8) };
  const words = ["a", "b", "example", ""].filter((word) => word.length >= minLength && word.length <= maxLength);
  return words.length === 0 ? fc.string(length) : fc.oneof(fc.constantFrom(...words), fc.string(length));
}

/** The formats of apiextensions whose texts a string at random does not have. Making one of these takes fast-check up to a second. */
function formatted(format: string, fc: typeof FastCheck): Values | undefined {
  const times = (): FastCheck.Arbitrary<Date> => fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
  switch (format) {
    case "date-time":
      return times().map((date) => `${date.toISOString().slice(0, 19)}Z`);
    case "date":
      return times().map((date) => date.toISOString().slice(0, 10));
    case "duration":
      return fc.integer({ min: 0, max: 100_000 }).map((seconds) => `${seconds}s`);
    case "uuid":
      return fc.uuid();
    case "ipv4":
      return fc.ipV4();
    case "ipv6":
      return fc.ipV6();
    case "cidr":
      return fc.ipV4().map((address) => `${address}/24`);
    case "email":
      return fc.emailAddress();
    case "hostname":
      return fc.domain();
    case "uri":
      return fc.webUrl();
    case "byte":
      return fc.base64String();
    default:
      return undefined;
  }
}

function numbers(schema: JsonSchema, fc: typeof FastCheck): Values {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  const isWhole = schema.type === "integer";
  const factor = multipleOf ?? 1;
  if (!isWhole && multipleOf === undefined)
    return fc.double({
      min: Math.max(minimum, -1e6),
      max: Math.min(maximum, 1e6),
      minExcluded: exclusiveMinimum,
      maxExcluded: exclusiveMaximum,
      noNaN: true,
    });
  const limit = schema.format === "int32" ? 2 ** 31 - 1 : 2 ** 53 - 1;
  const low = Math.ceil(Math.max(minimum, -limit) / factor);
  const high = Math.floor(Math.min(maximum, limit) / factor);
  const min = exclusiveMinimum && low * factor === minimum ? low + 1 : low;
  const max = exclusiveMaximum && high * factor === maximum ? high - 1 : high;
  const small = fc.integer({ min: Math.min(Math.max(min, 0), max), max: Math.min(Math.max(min, 0) + 5, max) });
  return fc.oneof(small, fc.integer({ min, max })).map((times) => times * factor);
}

/** Values of a field that keeps everything. */
function free(fc: typeof FastCheck): Values {
  const scalar = fc.oneof(fc.constantFrom("a", "b"), fc.integer(), fc.boolean());
  const names = fc.constantFrom("a", "b");
  return fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(names, scalar, { maxKeys: 2, noNullPrototype: true }));
}
