/**
 * A model of an API server for custom objects, as far as the schema decides: pruning, defaulting, validation with RE2 patterns,
 * and the rules for structural schemas. It is written from the Kubernetes documentation and independent of the tested code.
 */
import { Ajv } from "ajv";
import { RE2JS } from "re2js";
import type { JsonSchema } from "@treadle/apimachinery";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the object as it is stored: unknown fields are pruned and defaults set, from the outside to the inside. */
export function stored(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return schema.items === undefined ? value : value.map((item) => stored(schema.items ?? {}, item));
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additionalProperties;
    if (isObject(known)) out[name] = stored(known, member);
    else if (known === true || schema["x-kubernetes-preserve-unknown-fields"] === true) out[name] = member;
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(out, name) && property.default !== undefined) out[name] = stored(property, property.default);
  }
  return out;
}

/** Returns a function that tells whether the server accepts a stored value. */
export function acceptor(schema: JsonSchema): (value: unknown) => boolean {
  // ajv distinguishes patterns by their text
  const re2 = (pattern: string) => {
    const compiled = compiledRe2(pattern);
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  };
  const regExp = Object.assign(re2, { code: "re2" });
  const ajv = new Ajv({ strict: false, validateFormats: false, code: { regExp } });
  ajv.addKeyword({ keyword: "serverBounds", validate: inBounds });
  ajv.addKeyword({ keyword: "serverRules", validate: obeys });
  const validate = ajv.compile(toJsonSchema(schema));
  return (value) => validate(value) === true;
}

/** Compiled patterns. Compiling a pattern such as that of IPv6 addresses takes milliseconds, and patterns repeat. */
const re2Cache = new Map<string, RE2JS>();

/** @throws when RE2 does not know the pattern */
function compiledRe2(pattern: string): RE2JS {
  const known = re2Cache.get(pattern) ?? RE2JS.compile(pattern);
  re2Cache.set(pattern, known);
  return known;
}

/**
 * Whole numbers are read as int64 and compared with the keywords cast to int64. A cast out of range gives the least int64, and
 * a divisor of zero fails (recorded from kube-apiserver 1.36). Other numbers are compared as doubles.
 */
function inBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema, data: unknown): boolean {
  if (typeof data !== "number") return true;
  const cast = (bound: number): number => (!Number.isInteger(data) ? bound : Math.abs(bound) < 2 ** 63 ? Math.trunc(bound) : -(2 ** 63));
  if (minimum !== undefined && (data < cast(minimum) || (exclusiveMinimum === true && data === cast(minimum)))) return false;
  if (maximum !== undefined && (data > cast(maximum) || (exclusiveMaximum === true && data === cast(maximum)))) return false;
  return multipleOf === undefined || (cast(multipleOf) > 0 && data % cast(multipleOf) === 0);
}

/** Evaluates the one form of CEL that the package writes for values: a comparison with a double. */
function obeys(rules: readonly { readonly rule: string }[], data: unknown): boolean {
  return rules.every(({ rule }) => {
    const [, operator, bound] = /^self ([<>]=?) (-?[\d.]+(?:e[+-]\d+)?)$/.exec(rule) ?? [];
    if (operator === undefined || typeof data !== "number") return true;
    const difference = data - Number(bound);
    return (operator.endsWith("=") && difference === 0) || (operator.startsWith(">") ? difference > 0 : difference < 0);
  });
}

/** The OpenAPI dialect of Kubernetes in draft-07 terms. */
function toJsonSchema(schema: JsonSchema): Record<string, unknown> {
  const {
    type,
    nullable,
    exclusiveMinimum,
    exclusiveMaximum,
    minimum,
    maximum,
    format,
    properties,
    items,
    additionalProperties,
    allOf,
    multipleOf,
    "x-kubernetes-validations": rules,
    ...rest
  } = schema;
  const isInt32 = format === "int32";
  const low = minimum ?? (isInt32 ? -(2 ** 31) : undefined);
  const high = maximum ?? (isInt32 ? 2 ** 31 - 1 : undefined);
  const types = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : type === undefined ? undefined : [type];
  return {
    ...Object.fromEntries(
      Object.entries(rest).filter(([key]) => !key.startsWith("x-") && key !== "default" && key !== "description" && key !== "title"),
    ),
    ...(types === undefined ? {} : { type: nullable === true ? [...types, "null"] : types }),
    serverBounds: { minimum: low, maximum: high, exclusiveMinimum, exclusiveMaximum, multipleOf },
    ...(rules === undefined ? {} : { serverRules: rules }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, toJsonSchema(one)])) }),
    ...(items === undefined ? {} : { items: toJsonSchema(items) }),
    ...(isObject(additionalProperties) ? { additionalProperties: toJsonSchema(additionalProperties) } : {}),
    ...(allOf === undefined ? {} : { allOf: allOf.map(toJsonSchema) }),
  };
}

const VALUE_KEYS: ReadonlySet<string> = new Set(
  "enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems minProperties maxProperties required format allOf anyOf oneOf not".split(
    " ",
  ),
);
const NODE_KEYS: ReadonlySet<string> = new Set(
  "type description title default example nullable properties additionalProperties items externalDocs x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations".split(
    " ",
  ),
);

/** Returns how `schema` breaks the rules of structural schemas; empty when it breaks none. */
export function structuralProblems(schema: JsonSchema, path = "."): readonly string[] {
  const problems: string[] = [];
  const say = (text: string): void => void problems.push(`${path}: ${text}`);
  for (const key of Object.keys(schema)) if (!VALUE_KEYS.has(key) && !NODE_KEYS.has(key)) say(`${key} is forbidden`);
  const isUntyped = schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.type === undefined && !isUntyped) say("no type");
  if (schema.type !== undefined && schema["x-kubernetes-int-or-string"] === true) say("a type beside int-or-string");
  if (schema.type === "array" && schema.items === undefined) say("an array without items");
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) say("additionalProperties beside properties");
  if (typeof schema.additionalProperties === "boolean") say("additionalProperties is a boolean");
  if (
    (schema.properties !== undefined || schema.additionalProperties !== undefined || schema.required !== undefined) &&
    schema.type !== "object"
  )
    say("object keywords on another type");
  for (const name of schema.required ?? []) if (schema.properties?.[name] === undefined) say(`required ${name} is no property`);
  for (const inner of [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.not === undefined ? [] : [schema.not]),
  ]) {
    for (const key of Object.keys(inner)) if (!VALUE_KEYS.has(key)) say(`${key} inside a junctor`);
  }
  if (schema.pattern !== undefined) compiledRe2(schema.pattern);
  if (schema.default !== undefined && schema.default !== null) {
    const filled = stored(schema, schema.default);
    if (!acceptor(schema)(filled)) say("a default that is invalid");
    if (JSON.stringify(prunedKeys(filled, schema.default)) !== JSON.stringify(schema.default)) say("a default that would be pruned");
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) problems.push(...structuralProblems(property, `${path}${name}.`));
  if (schema.items !== undefined) problems.push(...structuralProblems(schema.items, `${path}[].`));
  if (isObject(schema.additionalProperties)) problems.push(...structuralProblems(schema.additionalProperties, `${path}*.`));
  return problems;
}

/** `filled` reduced to the members that `given` has. */
function prunedKeys(filled: unknown, given: unknown): unknown {
  if (Array.isArray(given) && Array.isArray(filled)) return given.map((item, i) => prunedKeys(filled[i], item));
  if (!isObject(given) || !isObject(filled)) return filled;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => Object.hasOwn(filled, name))
      .map(([name, member]) => [name, prunedKeys(filled[name], member)]),
  );
}
