/** The keywords that `.meta({...})` and `.describe()` add to a schema: descriptions, list and map semantics, CEL rules, immutability. */
import type { JsonSchema, ValidationRule } from "../crd-types.ts";
import { type Place, refuse, type Walk } from "./walk.ts";
import { type Meta, RULES, rulesOf } from "./zod-tree.ts";

/** Returns the keywords of the structural schema that come from `meta`. `shape` has the other keywords. */
export function metaSchema(meta: Meta, shape: JsonSchema, walk: Walk, place: Place): JsonSchema {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(meta)) {
    if (key === RULES || value === undefined) continue;
    if (TEXTS.has(key) && typeof value !== "string") refuse(walk, place, `the ${key} is not a string`, "Write a string");
    else if (COPIED.has(key) || TEXTS.has(key)) out[key] = value;
    else if (key.startsWith("x-kubernetes-")) {
      const problem = extensionProblem(key, value, shape, meta);
      if (problem === undefined) out[key] = value;
      else refuse(walk, place, problem, "Correct or remove it in .meta({...})");
    } else if (key === "minProperties" || key === "maxProperties") {
      if (shape.type === "object" && Number.isInteger(value)) out[key] = value;
      else refuse(walk, place, `${key} needs an object and a whole number`, "Remove it");
    }
  }
  const isMap = out["x-kubernetes-list-type"] === "map";
  const hasKeys = out["x-kubernetes-list-map-keys"] !== undefined;
  if (isMap !== hasKeys && LIST_KEYS.every((key) => meta[key] === undefined || out[key] !== undefined)) {
    refuse(
      walk,
      place,
      isMap ? "a list of type map without x-kubernetes-list-map-keys" : 'x-kubernetes-list-map-keys needs x-kubernetes-list-type "map"',
      "Give both",
    );
  }
  const rules = [...rulesOf(meta).flatMap((rule) => checkedRule(rule, walk, place)), ...(meta["immutable"] === true ? [IMMUTABLE] : [])];
  if (!place.isCorrelatable && rules.some(isTransition)) {
    refuse(
      walk,
      place,
      "a transition rule (immutable, or one that names oldSelf) is not possible below a list whose elements have no key",
      'Make the list a map: .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })',
    );
  }
  if (rules.length > 0 && shape.type === undefined && shape["x-kubernetes-int-or-string"] !== true) {
    refuse(
      walk,
      place,
      "CEL has no type for a value of any kind, so it can be neither immutable nor have rules",
      "Put the rule on a field with a type",
    );
  }
  if (meta["immutable"] === true && place.isCorrelatable && costOfEquality(shape, place.cardinality) > MAX_COST) {
    refuse(
      walk,
      place,
      "comparing so many values of this size costs more than the API server allows a rule",
      "Bound the value and the lists and maps around it: .max(), and maxProperties in .meta() for a map",
    );
  }
  return rules.length === 0 ? out : { ...out, [RULES]: rules };
}

/** Returns the rule that an immutable optional field, once set, is not removed. The API server does not check the field's own rule then. */
export function removalRule(name: string, meta: Meta, walk: Walk, place: Place): readonly ValidationRule[] {
  if (meta["immutable"] !== true) return [];
  const field = celName(name);
  if (field === undefined) {
    refuse(
      walk,
      place,
      "CEL cannot name this field, so nothing keeps an immutable value from being removed",
      "Make it required, or rename it",
    );
    return [];
  }
  return [{ rule: `!has(oldSelf.${field}) || has(self.${field})`, message: `${name} is immutable: it cannot be removed` }];
}

/** The maximum cost of one rule, and the maximum size of a request in bytes (apiextensions-apiserver validation, apiserver pkg/cel). */
const MAX_COST = 10_000_000;
const MAX_REQUEST = 3 * 1024 * 1024;

/** The cost that the API server estimates for `self == oldSelf`: a tenth of the size, times the number of values. */
function costOfEquality(shape: JsonSchema, cardinality: number): number {
  const size = comparedSize(shape);
  // Without a bound, there may be as many values as fit into a request, each with a comma.
  const smallest = shape.type === "string" || shape.type === "array" || shape.type === "object" ? 2 : 1;
  return (2 + size / 10) * (Number.isFinite(cardinality) ? cardinality : MAX_REQUEST / (smallest + 1));
}

function comparedSize(shape: JsonSchema): number {
  if (shape.type === "array") return shape.maxItems ?? MAX_REQUEST / 2;
  if (shape.type === "object") return shape.additionalProperties === undefined ? 0 : (shape.maxProperties ?? MAX_REQUEST / 2);
  if (shape.type !== "string" && shape["x-kubernetes-int-or-string"] !== true) return 0;
  if (shape.enum !== undefined) return Math.max(...shape.enum.map((value) => String(value).length));
  if (shape.format === "date" || shape.format === "date-time") return 32;
  return shape.maxLength === undefined ? MAX_REQUEST : shape.maxLength * 4;
}

const IMMUTABLE: ValidationRule = { rule: "self == oldSelf", message: "is immutable" };

const LIST_KEYS = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"] as const;

const TEXTS: ReadonlySet<string> = new Set(["description", "title"]);
const COPIED: ReadonlySet<string> = new Set(["example", "externalDocs"]);

/** Checks one CEL rule. Returns it, or nothing after a problem that leaves no rule. */
export function checkedRule(given: unknown, walk: Walk, place: Place): readonly ValidationRule[] {
  const rule = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  if (typeof rule["rule"] !== "string" || rule["rule"].trim() === "") {
    refuse(walk, place, "a CEL rule has no text", 'Write { rule: "self.min <= self.max", message: "..." }');
    return [];
  }
  for (const key of ["message", "messageExpression"]) {
    if (rule[key] !== undefined && (typeof rule[key] !== "string" || rule[key].trim() === ""))
      refuse(walk, place, `the ${key} of a CEL rule has no text`, "Write one, or leave it out");
  }
  if (rule["reason"] !== undefined && !REASONS.has(rule["reason"]))
    refuse(walk, place, `a CEL rule has no reason ${JSON.stringify(rule["reason"])}`, `Use ${[...REASONS].join(", ")}`);
  if (rule["fieldPath"] !== undefined && !(typeof rule["fieldPath"] === "string" && FIELD_PATH.test(rule["fieldPath"])))
    refuse(walk, place, `the fieldPath ${JSON.stringify(rule["fieldPath"])} is not a JSONPath`, 'Write e.g. ".field" or ".map[\'key\']"');
  if (typeof rule["message"] === "string" && /[\r\n]/.test(rule["message"]))
    refuse(walk, place, "the message of a CEL rule has a line break", "Write it on one line");
  if (rule["rule"].includes("\n") && rule["message"] === undefined)
    refuse(walk, place, "a CEL rule over several lines needs a message", "Add a message");
  const unknown = Object.keys(rule).find((key) => !RULE_KEYS.has(key));
  if (unknown !== undefined) refuse(walk, place, `a CEL rule has no field ${unknown}`, `Use ${[...RULE_KEYS].join(", ")}`);
  return [rule as unknown as ValidationRule]; // the checks above establish the type
}

const REASONS: ReadonlySet<unknown> = new Set(["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]);
const FIELD_PATH = /^(?:\.[^.[\]'\s]+|\['[^']+'\])+$/;

const RULE_KEYS: ReadonlySet<string> = new Set(["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"]);

function isTransition(rule: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule.rule.replace(TEXT_LITERAL, "''"));
}

const TEXT_LITERAL = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g;

/** The problem of one `x-kubernetes-*` key, by the rules of the API server for structural schemas. */
function extensionProblem(key: string, value: unknown, shape: JsonSchema, meta: Meta): string | undefined {
  switch (key) {
    case "x-kubernetes-preserve-unknown-fields":
      if (value !== true) return `${key} can only be true`;
      return shape.type === undefined || shape.type === "object" ? undefined : `${key} is for objects`;
    case "x-kubernetes-embedded-resource":
      return value === true && shape.type === "object" ? embeddedProblem(key, shape, meta) : `${key} can only be true, on an object`;
    case "x-kubernetes-int-or-string":
      return value === true && shape["x-kubernetes-int-or-string"] === true
        ? undefined
        : `${key} follows from z.union([z.int(), z.string()])`;
    case "x-kubernetes-map-type":
      return shape.type === "object" && (value === "atomic" || value === "granular")
        ? undefined
        : `${key} is "atomic" or "granular", on an object`;
    case "x-kubernetes-list-type":
      return listTypeProblem(value, shape);
    case "x-kubernetes-list-map-keys":
      return listKeysProblem(value, shape);
    default:
      return `${key} is not known to Kubernetes`;
  }
}

function embeddedProblem(key: string, shape: JsonSchema, meta: Meta): string | undefined {
  if (shape.properties !== undefined || meta["x-kubernetes-preserve-unknown-fields"] === true) return undefined;
  return `${key} needs fields, or x-kubernetes-preserve-unknown-fields beside it`;
}

function listTypeProblem(value: unknown, shape: JsonSchema): string | undefined {
  if (shape.type !== "array") return "x-kubernetes-list-type is for arrays";
  if (value !== "atomic" && value !== "set" && value !== "map") return 'x-kubernetes-list-type is "atomic", "set" or "map"';
  if (value === "map" && shape.items?.type !== "object") return "a list of type map needs objects as elements";
  if (value === "map" && shape.items?.nullable === true) return "the elements of a list of type map cannot be nullable";
  if (
    value === "set" &&
    ((shape.items?.type === "object" && shape.items["x-kubernetes-map-type"] !== "atomic") ||
      (shape.items?.type === "array" && (shape.items["x-kubernetes-list-type"] ?? "atomic") !== "atomic"))
  ) {
    return "a list of type set needs scalars as elements";
  }
  return value === "set" && shape.items?.nullable === true ? "the elements of a set cannot be nullable" : undefined;
}

function listKeysProblem(value: unknown, shape: JsonSchema): string | undefined {
  if (shape.type !== "array" || !Array.isArray(value) || value.length === 0)
    return "x-kubernetes-list-map-keys is a list of field names, on a list of type map";
  if (new Set(value).size < value.length) return "a list-map key is given twice";
  for (const key of value) {
    const properties = shape.items?.properties ?? {};
    const field = typeof key === "string" && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field === undefined) return `the list-map key ${JSON.stringify(key)} is not a field of the elements`;
    if (field.type === "object" || field.type === "array" || field.type === undefined)
      return `the list-map key ${JSON.stringify(key)} is not a scalar`;
    if (field.nullable === true) return `the list-map key ${JSON.stringify(key)} is nullable`;
    if (shape.items?.required?.includes(String(key)) !== true && field.default === undefined)
      return `the list-map key ${JSON.stringify(key)} is neither required nor has a default`;
  }
  return undefined;
}

/** Returns a field name as CEL selects it, or `undefined` when CEL cannot name it (k8s.io/apiserver/pkg/cel escaping). */
function celName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (CEL_RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll("__", "__underscores__").replaceAll(".", "__dot__").replaceAll("-", "__dash__").replaceAll("/", "__slash__");
}

const CEL_RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
