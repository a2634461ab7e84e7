/** What is wrong with the rules of a CRD's schema (apiextensions-apiserver `apis/apiextensions/validation`). */
import { type CompiledSchema, compileSchema } from "../crd/schema.ts";
import { type FieldError, invalid, notSupported, required } from "../field-errors.ts";
import { goJson, isObject, type JsonObject } from "../internal/json.ts";
import { compileRule } from "./compile-rule.ts";
import { normalFieldPath } from "./field-path.ts";
import { readRules, type Rule } from "./rule.ts";
import { typeOfSchema } from "./types.ts";

/** How a schema's rules are written, before anything is compiled. */
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

/** What does not compile in the rules of a structural schema, and rules on `oldSelf` where there is none. */
export function ruleCompileErrors(schema: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, { at, isRoot: true, uncorrelated: undefined }, errors);
  return errors;
}

interface Place {
  readonly at: string;
  readonly isRoot: boolean;
  /** The list above whose items have no counterparts in the old object. */
  readonly uncorrelated: string | undefined;
}

/** What is below comes first, as with the real server. */
function walk(schema: JsonObject, place: Place, errors: FieldError[]): void {
  const { at, uncorrelated } = place;
  const { properties, additionalProperties, items } = schema;
  if (isObject(additionalProperties)) {
    const isRoot = additionalProperties["x-kubernetes-embedded-resource"] === true;
    walk(additionalProperties, { at: `${at}.additionalProperties`, isRoot, uncorrelated }, errors);
  }
  if (isObject(properties)) {
    for (const [name, sub] of Object.entries(properties)) {
      const isRoot = isObject(sub) && sub["x-kubernetes-embedded-resource"] === true;
      if (isObject(sub)) walk(sub, { at: `${at}.properties[${name}]`, isRoot, uncorrelated }, errors);
    }
  }
  if (isObject(items)) {
    const isRoot = items["x-kubernetes-embedded-resource"] === true;
    const within = uncorrelated ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : at);
    walk(items, { at: `${at}.items`, isRoot, uncorrelated: within }, errors);
  }
  if (Array.isArray(schema["x-kubernetes-validations"])) nodeErrors(schema, place, errors);
}

function nodeErrors(schema: JsonObject, { at, isRoot, uncorrelated }: Place, errors: FieldError[]): void {
  const compiled = compileSchema(schema);
  const self = typeOfSchema(compiled, isRoot, "selfType");
  if (self === undefined) {
    const text = "Internal error: internal error: failed to retrieve type information for x-kubernetes-validations";
    errors.push({ reason: "InternalError", field: `${at}.x-kubernetes-validations`, body: text });
    return;
  }
  compiled.rules.forEach((rule, i) => {
    const place = `${at}.x-kubernetes-validations[${i}]`;
    const { program, error, messageError } = compileRule(rule, self);
    if (error !== undefined) errors.push(refused(`${place}.rule`, rule, error));
    if (messageError !== undefined) errors.push(refused(`${place}.messageExpression`, rule, messageError));
    if (program?.usesOldSelf === true) {
      if (uncorrelated === undefined) return;
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalid(`${place}.rule`, rule.rule, text));
    } else if (rule.optionalOldSelf !== undefined) {
      errors.push(invalid(`${place}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
    }
  });
}

/** An error about a rule shows all of it as Go writes the internal type: no JSON names, fields in their order. */
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
