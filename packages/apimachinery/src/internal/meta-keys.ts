/** What `.meta({...})` and `.describe()` add to a schema: descriptions, list and map semantics, CEL rules, immutability. */
import type { JsonSchema, ValidationRule } from "../crd.ts";
import { type Place, refuse, type Walk } from "./walk.ts";
import { type Meta, RULES, rulesOf } from "./zod-tree.ts";

/** The part of the structural schema that comes from `meta`; `shape` is the rest. */
export function metaSchema(meta: Meta, shape: JsonSchema, walk: Walk, place: Place): JsonSchema {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(meta)) {
    if (key === RULES || value === undefined) continue;
    if (COPIED.has(key)) out[key] = value;
    else if (key.startsWith("x-kubernetes-")) {
      const problem = extensionProblem(key, value, shape);
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
      "a transition rule (immutable, or one that names oldSelf) cannot stand below a list whose elements have no key",
      'Make the list a map: .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })',
    );
  }
  return rules.length === 0 ? out : { ...out, [RULES]: rules };
}

/** For a field that may be absent: a value that is set must not vanish either. The field's own rule is not asked then. */
export function removalRule(name: string, meta: Meta): readonly ValidationRule[] {
  if (meta["immutable"] !== true) return [];
  const field = celName(name);
  if (field === undefined) return [];
  return [{ rule: `!has(oldSelf.${field}) || has(self.${field})`, message: `${name} is immutable: it cannot be removed` }];
}

const IMMUTABLE: ValidationRule = { rule: "self == oldSelf", message: "is immutable" };

const LIST_KEYS = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"] as const;

const COPIED: ReadonlySet<string> = new Set(["description", "title", "example", "externalDocs"]);

/** Checks one rule and keeps what Kubernetes knows of it. */
export function checkedRule(given: unknown, walk: Walk, place: Place): readonly ValidationRule[] {
  const rule = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  if (typeof rule["rule"] !== "string" || rule["rule"].trim() === "") {
    refuse(walk, place, "a CEL rule has no text", 'Write { rule: "self.min <= self.max", message: "..." }');
    return [];
  }
  if (typeof rule["message"] === "string" && /[\r\n]/.test(rule["message"]))
    refuse(walk, place, "the message of a CEL rule has a line break", "Write it on one line");
  if (rule["rule"].includes("\n") && rule["message"] === undefined)
    refuse(walk, place, "a CEL rule over several lines needs a message", "Add a message");
  const unknown = Object.keys(rule).find((key) => !RULE_KEYS.has(key));
  if (unknown !== undefined) refuse(walk, place, `a CEL rule has no field ${unknown}`, `Use ${[...RULE_KEYS].join(", ")}`);
  return [rule as unknown as ValidationRule]; // its one required field was checked, and it has no unknown ones
}

const RULE_KEYS: ReadonlySet<string> = new Set(["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"]);

function isTransition(rule: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule.rule);
}

/** One `x-kubernetes-*` key, checked as the API server checks a structural schema. */
function extensionProblem(key: string, value: unknown, shape: JsonSchema): string | undefined {
  switch (key) {
    case "x-kubernetes-preserve-unknown-fields":
      if (value !== true) return `${key} can only be true`;
      return shape.type === undefined || shape.type === "object" ? undefined : `${key} is for objects`;
    case "x-kubernetes-embedded-resource":
      return value === true && shape.type === "object" ? undefined : `${key} can only be true, on an object`;
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

function listTypeProblem(value: unknown, shape: JsonSchema): string | undefined {
  if (shape.type !== "array") return "x-kubernetes-list-type is for arrays";
  if (value !== "atomic" && value !== "set" && value !== "map") return 'x-kubernetes-list-type is "atomic", "set" or "map"';
  if (value === "map" && shape.items?.type !== "object") return "a list of type map needs objects as elements";
  if (
    value === "set" &&
    (shape.items?.type === "object" || shape.items?.type === "array") &&
    shape.items["x-kubernetes-map-type"] !== "atomic"
  ) {
    return "a list of type set needs scalars as elements";
  }
  return value === "set" && shape.items?.nullable === true ? "the elements of a set cannot be nullable" : undefined;
}

function listKeysProblem(value: unknown, shape: JsonSchema): string | undefined {
  if (shape.type !== "array" || !Array.isArray(value) || value.length === 0)
    return "x-kubernetes-list-map-keys is a list of field names, on a list of type map";
  for (const key of value) {
    const properties = shape.items?.properties ?? {};
    const field = typeof key === "string" && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field === undefined) return `the list-map key ${JSON.stringify(key)} is no field of the elements`;
    if (field.type === "object" || field.type === "array" || field.type === undefined)
      return `the list-map key ${JSON.stringify(key)} is no scalar`;
    if (field.nullable === true) return `the list-map key ${JSON.stringify(key)} is nullable`;
    if (shape.items?.required?.includes(String(key)) !== true && field.default === undefined)
      return `the list-map key ${JSON.stringify(key)} is neither required nor has a default`;
  }
  return undefined;
}

/** A field name as CEL selects it, or `undefined` when it cannot (k8s.io/apiserver/pkg/cel escaping). */
export function celName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (CEL_RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll("__", "__underscores__").replaceAll(".", "__dot__").replaceAll("-", "__dash__").replaceAll("/", "__slash__");
}

const CEL_RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
