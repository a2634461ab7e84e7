/**
 * Validates an object by a structural schema, with the texts of the real server (kube-openapi `validation`). With an old
 * value it ratchets: an invalid value passes if it did not change. Old values are found by field name, and for items of
 * list-maps by key.
 */
import { PatternTimeError, runPattern } from "./pattern-run.ts";
import { jsonEqual } from "@treadle/apimachinery";
import { duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "../errors/field-errors.ts";
import { goJson, isObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { child, correlateItems } from "./correlate.ts";
import { formatError } from "./string-formats.ts";
import type { CompiledSchema } from "./schema.ts";

/** A value to validate. `field` is its path in messages, `old` its previous value (absent on create). */
export interface Subject {
  readonly value: unknown;
  readonly schema: CompiledSchema;
  readonly path: string;
  readonly old?: { readonly value: unknown } | undefined;
}

/**
 * Returns all errors of an object. `prefix` is added to the field of each error and not to its text, because the real server
 * validates a status as a separate value.
 */
export function schemaErrors(subject: Subject, prefix = ""): FieldError[] {
  const errors = validate(subject);
  if (prefix === "") return errors;
  return errors.map((error) => ({ ...error, field: error.field === "<nil>" ? prefix : `${prefix}.${error.field}` }));
}

/**
 * Returns the duplicate items of lists that are sets or maps. They are not ratcheted by value: the caller ignores them when
 * the old object has some.
 */
export function listErrors(value: unknown, schema: CompiledSchema, path = ""): FieldError[] {
  if (Array.isArray(value)) {
    const own = schema.listType === "atomic" ? [] : repeatedItems(value, schema, path);
    const { items } = schema;
    return items === undefined ? own : [...own, ...value.flatMap((item, i) => listErrors(item, items, `${path}[${i}]`))];
  }
  if (!isObject(value)) return [];
  const errors: FieldError[] = [];
  for (const field in value) {
    const property = schema.properties.get(field);
    const sub = property ?? (schema.additional === true ? undefined : schema.additional);
    if (sub === undefined) continue;
    const at = property === undefined ? `${path}[${field}]` : child(path, field);
    const found = listErrors(value[field], sub, at);
    if (found.length > 0) errors.push(...found);
  }
  return errors;
}

function validate(subject: Subject): FieldError[] {
  const errors = check(subject);
  if (errors.length > 0 && subject.old !== undefined && jsonEqual(subject.old.value, subject.value)) return [];
  return errors;
}

function check(subject: Subject): FieldError[] {
  const { value, schema, path } = subject;
  const errors: FieldError[] = [];
  const wrongType = typeError(value, schema, path);
  if (wrongType !== undefined) errors.push(wrongType);
  if (value === null || value === undefined) {
    if (schema.enum !== undefined) errors.push(...enumErrors(value, schema, path));
    return errors;
  }
  combinationErrors(subject, errors);
  if (typeof value === "string") textErrors(value, schema, path, errors);
  else if (typeof value === "number") numberErrors(value, schema, path, errors);
  else if (Array.isArray(value)) arrayErrors(subject, value, errors);
  if (schema.enum !== undefined) errors.push(...enumErrors(value, schema, path));
  if (isObject(value)) objectErrors(subject, value, errors);
  return errors;
}

function typeError(value: unknown, schema: CompiledSchema, path: string): FieldError | undefined {
  const wanted = schema.isIntOrString ? "integer,string" : schema.type;
  if (wanted === undefined) return undefined;
  if (value === null || value === undefined) return schema.isNullable ? undefined : typeFail(path, wanted, "null");
  const given = typeName(value);
  if (wanted === given || (schema.isIntOrString && (given === "string" || given === "integer"))) return undefined;
  if (wanted === "number" && given === "integer") return undefined;
  // The format of a number is checked, but not when a string or a list is also allowed.
  const byFormat = schema.format !== undefined && (wanted === "integer" || wanted === "number") && given !== "string" && given !== "array";
  return byFormat ? typeFail(path, schema.format, GO_FORMATS[given] ?? "") : typeFail(path, wanted, given);
}

const GO_FORMATS: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

function typeFail(path: string, wanted: string, given: string): FieldError {
  return typeInvalid(path, given, `${path} in body must be of type ${wanted}: "${given}"`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInteger(value, 64) ? "integer" : "number";
  return typeof value;
}

function isInteger(value: number, bits: 32 | 64): boolean {
  const limit = 2 ** (bits - 1);
  return Number.isInteger(value) && value >= -limit && value < limit;
}

function enumErrors(value: unknown, schema: CompiledSchema, path: string): FieldError[] {
  const allowed = schema.enum ?? [];
  if (allowed.some((one) => jsonEqual(one, value))) return [];
  return [
    notSupported(
      path,
      value ?? null,
      allowed.map((one) => (typeof one === "string" ? one : goJson(one))),
    ),
  ];
}

function patternProblem({ source, regexp }: NonNullable<CompiledSchema["pattern"]>, value: string): string | undefined {
  try {
    return runPattern(regexp, value, () => regexp.test(value)) ? undefined : `should match '${source}'`;
  } catch (error) {
    if (error instanceof PatternTimeError) return `cannot be checked: ${error.message}`;
    throw error;
  }
}

function textErrors(value: string, schema: CompiledSchema, path: string, errors: FieldError[]): void {
  const { maxLength, minLength } = schema.limits;
  // Lengths count characters, not UTF-16 units. Only long strings need the count.
  const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length;
  if (maxLength !== undefined && length > maxLength) errors.push(tooLong(path, maxLength));
  else if (minLength !== undefined && length < minLength) {
    errors.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  } else if (schema.pattern !== undefined) {
    const problem = patternProblem(schema.pattern, value);
    if (problem !== undefined) errors.push(invalid(path, value, `${path} in body ${problem}`));
  }
  if (schema.format !== undefined) {
    const problem = formatError(schema.format, value);
    if (problem) errors.push(typeInvalid(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`));
  }
}

function numberErrors(value: number, schema: CompiledSchema, path: string, errors: FieldError[]): void {
  const { multipleOf, minimum, maximum, isExclusiveMaximum, isExclusiveMinimum } = schema.limits;
  if (schema.type === "integer" && !isInteger(value, schema.format === "int32" ? 32 : 64)) {
    const format = schema.format === undefined ? "(default format)" : `with format ${schema.format}`;
    const body = `Invalid value: "": Checked value must be of type integer ${format} in ${path}`;
    errors.push({ reason: "FieldValueInvalid", field: "<nil>", body });
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    errors.push(invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  }
  if (minimum !== undefined && (isExclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(invalid(path, value, `${path} in body should be greater than ${isExclusiveMinimum ? "" : "or equal to "}${minimum}`));
  }
  if (maximum !== undefined && (isExclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(invalid(path, value, `${path} in body should be less than ${isExclusiveMaximum ? "" : "or equal to "}${maximum}`));
  }
}

function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  // Decimal factors are not exact in binary: 0.3 / 0.1 is 2.9999999999999996.
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function arrayErrors(subject: Subject, value: readonly unknown[], errors: FieldError[]): void {
  const { schema, path, old } = subject;
  const { items, limits } = schema;
  if (items !== undefined) {
    const before = correlateItems(old?.value, schema);
    value.forEach((item, i) => {
      const found = validate({ value: item, schema: items, path: `${path}[${i}]`, old: before(item) });
      if (found.length > 0) errors.push(...found);
    });
  }
  if (limits.minItems !== undefined && value.length < limits.minItems) {
    errors.push(invalid(path, value.length, `${path} in body should have at least ${limits.minItems} items`));
  }
  if (limits.maxItems !== undefined && value.length > limits.maxItems) errors.push(tooMany(path, value.length, limits.maxItems));
  if (schema.isUnique && value.some((item, i) => value.slice(0, i).some((other) => jsonEqual(item, other)))) {
    errors.push(invalid(path, "", `${path} in body shouldn't contain duplicates`));
  }
}

function objectErrors(subject: Subject, value: Readonly<Record<string, unknown>>, errors: FieldError[]): void {
  const { schema, path, old } = subject;
  const fields = Object.keys(value);
  const { minProperties, maxProperties } = schema.limits;
  if (minProperties !== undefined && fields.length < minProperties) {
    errors.push(invalid(path, fields.length, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && fields.length > maxProperties) errors.push(tooMany(path, fields.length, maxProperties));
  for (const field of fields) {
    const sub = schema.properties.get(field) ?? (schema.additional === true ? undefined : schema.additional);
    if (sub === undefined) continue;
    const found = validate({ value: value[field], schema: sub, path: child(path, field), old: fieldOf(old, field) });
    if (found.length > 0) errors.push(...found);
  }
  for (const name of schema.required) if (!Object.hasOwn(value, name)) errors.push(required(child(path, name)));
}

function fieldOf(old: Subject["old"], field: string): Subject["old"] {
  if (old === undefined || !isObject(old.value) || !Object.hasOwn(old.value, field)) return undefined;
  return { value: old.value[field] };
}

function combinationErrors(subject: Subject, errors: FieldError[]): void {
  const { schema, path, value } = subject;
  const at = JSON.stringify(path);
  if (schema.anyOf.length > 0) {
    const { best, valid } = tryAll(subject, schema.anyOf);
    if (valid === 0) errors.push(invalid("", "", `${at} must validate at least one schema (anyOf)`), ...best);
  }
  if (schema.oneOf.length > 0) {
    const { best, valid } = tryAll(subject, schema.oneOf);
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    if (valid !== 1) errors.push(invalid("", "", `${at} must validate one and only one schema (oneOf). ${found}`), ...best);
  }
  if (schema.allOf.length > 0) {
    const all = schema.allOf.map((alternative) => check({ ...subject, schema: alternative }));
    const failed = all.filter((found) => found.length > 0).length;
    errors.push(...all.flat());
    const none = failed === all.length ? ". None validated" : "";
    if (failed > 0) errors.push(invalid("", "", `${at} must validate all the schemas (allOf)${none}`));
  }
  if (schema.not !== undefined && check({ value, schema: schema.not, path }).length === 0) {
    errors.push(invalid("", "", `${at} must not validate the schema (not)`));
  }
}

/** Tries all alternatives. If all fail, the errors are those of the closest one. */
function tryAll(
  subject: Subject,
  alternatives: readonly CompiledSchema[],
): { readonly best: readonly FieldError[]; readonly valid: number } {
  let best: readonly FieldError[] | undefined;
  let valid = 0;
  for (const schema of alternatives) {
    const errors = check({ ...subject, schema });
    if (errors.length === 0) valid++;
    else if (best === undefined || errors.length < best.length) best = errors;
  }
  return { best: valid === 0 ? (best ?? []) : [], valid };
}

function repeatedItems(list: readonly unknown[], schema: CompiledSchema, path: string): FieldError[] {
  if (schema.listType === "map") {
    const misfit = list.findIndex((item) => item !== null && !isObject(item));
    if (misfit >= 0) return [invalid(`${path}[${misfit}]`, list[misfit], "must be an object for an array of list-type map")];
  }
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  list.forEach((item, i) => {
    const key = schema.listType === "set" ? item : keysOf(item, schema.mapKeys);
    const text = goJson(key);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) errors.push(duplicate(`${path}[${i}]`, key));
  });
  return errors;
}

function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const object = objectAt(item);
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key]]));
}
