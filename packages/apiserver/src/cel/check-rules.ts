/** Validates the rules of a CRD's schema (apiextensions-apiserver `apis/apiextensions/validation`). */
import { type CompiledSchema, compileSchema } from "../schema/schema.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../errors/field-errors.ts";
import { goJson, isObject, type JsonObject } from "../internal/json.ts";
import { compileRule } from "./compile-rule.ts";
import type { Program } from "./program.ts";
import { normalFieldPath } from "./field-path.ts";
import { readRules, type Rule } from "../schema/rule.ts";
import { smallest, typeOfSchema } from "./types.ts";

/** Returns the errors of a schema's rules that need no compilation. */
export function ruleFormErrors(schema: JsonObject, at: string): FieldError[] {
  const compiled = compileSchema(schema);
  return readRules(schema["x-kubernetes-validations"]).flatMap((rule, i) =>
    formErrors(rule, `${at}.x-kubernetes-validations[${i}]`, compiled),
  );
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function formErrors(rule: Rule, at: string, schema: CompiledSchema): FieldError[] {
  const errors: FieldError[] = [];
  const [expression, message] = [rule.rule.trim(), rule.message.trim()];
  if (expression === "") errors.push(required(`${at}.rule`, "rule is not specified"));
  else if (rule.message !== "" && message === "") errors.push(invalid(`${at}.message`, rule.message, "must be non-empty if specified"));
  else if (/[\n\r]/.test(message)) errors.push(invalid(`${at}.message`, rule.message, "must not contain line breaks"));
  else if (/[\n\r]/.test(expression) && message === "") {
    errors.push(required(`${at}.message`, "message must be specified if rule contains line breaks"));
  }
  if (rule.messageExpression !== "" && rule.messageExpression.trim() === "") {
    errors.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) errors.push(notSupported(`${at}.reason`, rule.reason, REASONS));
  if (rule.fieldPath === "") return errors;
  if (rule.fieldPath.trim() === "") errors.push(invalid(`${at}.fieldPath`, rule.fieldPath, "must be non-empty if specified"));
  if (/[\n\r]/.test(rule.fieldPath)) errors.push(invalid(`${at}.fieldPath`, rule.fieldPath, "must not contain line breaks"));
  if (normalFieldPath(rule.fieldPath, schema) === "") errors.push(invalid(`${at}.fieldPath`, rule.fieldPath, "must be a valid path"));
  return errors;
}

/** Returns the errors of rules that do not compile, and of rules on `oldSelf` where there is no old value. */
export function ruleCompileErrors(schema: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const costs: Cost[] = [];
  walk(schema, { at, isRoot: true, uncorrelated: undefined, count: 1, costs }, errors);
  const total = costs.reduce((sum, { units }) => sum + units, 0);
  if (total <= ALL_RULES_LIMIT) return errors;
  for (const { field } of costs.toSorted((a, b) => b.units - a.units).slice(0, SHOWN_COSTS))
    errors.push(forbidden(field, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"));
  errors.push(tooExpensive(at, "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total / ALL_RULES_LIMIT));
  return errors;
}

/** Limits of the estimated cost of a rule and of a CRD (apiextensions-apiserver `validation.go`). */
const RULE_LIMIT = 10_000_000;
const ALL_RULES_LIMIT = 100_000_000;
/** Number of the most expensive rules that are listed. */
const SHOWN_COSTS = 4;
const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

interface Cost {
  readonly field: string;
  readonly units: number;
}

function tooExpensive(field: string, what: string, times: number): FieldError {
  const factor = times > 100 ? "more than 100x" : `${times.toFixed(times < 1.5 ? 6 : 1)}x`;
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  return forbidden(field, `${what} exceeds budget by factor of ${factor} ${advice}`);
}

interface Place {
  readonly at: string;
  readonly isRoot: boolean;
  /** Path of the list above whose items have no counterparts in the old object. */
  readonly uncorrelated: string | undefined;
  /** Maximum number of such values in an object. Absent when a list or map above has no limit. */
  readonly count: number | undefined;
  readonly costs: Cost[];
}

/** Walks a schema. As on the real server, errors of inner schemas come first. */
function walk(schema: JsonObject, place: Place, errors: FieldError[]): void {
  const { at, uncorrelated, costs } = place;
  const times = (limit: unknown): number | undefined =>
    place.count === undefined || typeof limit !== "number" ? undefined : place.count * limit;
  const { properties, additionalProperties, items } = schema;
  if (isObject(additionalProperties)) {
    const isRoot = additionalProperties["x-kubernetes-embedded-resource"] === true;
    walk(
      additionalProperties,
      { at: `${at}.additionalProperties`, isRoot, uncorrelated, costs, count: times(schema["maxProperties"]) },
      errors,
    );
  }
  if (isObject(properties)) {
    for (const [name, sub] of Object.entries(properties)) {
      const isRoot = isObject(sub) && sub["x-kubernetes-embedded-resource"] === true;
      if (isObject(sub)) walk(sub, { ...place, at: `${at}.properties[${name}]`, isRoot }, errors);
    }
  }
  if (isObject(items)) {
    const isRoot = items["x-kubernetes-embedded-resource"] === true;
    const within = uncorrelated ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : at);
    walk(items, { at: `${at}.items`, isRoot, uncorrelated: within, costs, count: times(schema["maxItems"]) }, errors);
  }
  if (Array.isArray(schema["x-kubernetes-validations"])) nodeErrors(schema, place, errors);
}

function nodeErrors(schema: JsonObject, { at, isRoot, uncorrelated, count, costs }: Place, errors: FieldError[]): void {
  const compiled = compileSchema(schema);
  const self = typeOfSchema(compiled, isRoot, "selfType");
  if (self === undefined) {
    const text = "Internal error: internal error: failed to retrieve type information for x-kubernetes-validations";
    errors.push({ reason: "InternalError", field: `${at}.x-kubernetes-validations`, body: text });
    return;
  }
  const most = count ?? Math.floor(MAX_REQUEST_BYTES / (smallest(compiled) + 1));
  compiled.rules.forEach((rule, i) => {
    const place = `${at}.x-kubernetes-validations[${i}]`;
    const { program, error, message, messageError } = compileRule(rule, self);
    const weigh = (part: Program | undefined, field: string, what: string, factor: number): void => {
      if (part === undefined) return;
      const units = part.maxCost() * factor;
      if (units > RULE_LIMIT) errors.push(tooExpensive(field, what, units / RULE_LIMIT));
      if (units > 0) costs.push({ field, units });
    };
    weigh(program, `${place}.rule`, "estimated rule cost", most);
    if (error !== undefined) errors.push(refused(`${place}.rule`, rule, error));
    if (messageError !== undefined) errors.push(refused(`${place}.messageExpression`, rule, messageError));
    weigh(message, `${place}.messageExpression`, "estimated messageExpression cost", 1);
    if (program?.usesOldSelf === true) {
      if (uncorrelated === undefined) return;
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalid(`${place}.rule`, rule.rule, text));
    } else if (rule.optionalOldSelf !== undefined) {
      errors.push(invalid(`${place}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
    }
  });
}

/** Makes an error about a rule. It shows the whole rule as Go prints the internal type: no JSON names, fields in their order. */
function refused(
  field: string,
  { rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: Rule,
  detail: string,
): FieldError {
  const parts = [
    ["Rule", rule],
    ["Message", message],
    ["MessageExpression", messageExpression],
    ["Reason", reason ?? null],
    ["FieldPath", fieldPath],
    ["OptionalOldSelf", optionalOldSelf ?? null],
  ].map(([name, value]) => `"${name}":${goJson(value)}`);
  return { reason: "FieldValueInvalid", field, body: `Invalid value: {${parts.join(",")}}: ${detail}` };
}
