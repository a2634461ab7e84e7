/**
 * Converts a zod schema to a structural schema of Kubernetes. It walks the zod tree itself, because zod's own JSON schema
 * silently drops checks that it cannot express. A CRD with fewer checks would store objects that the operator refuses.
 * Every schema that computes, or that has no structural schema, becomes a problem with its path.
 */
import type { JsonSchema, ValidationRule } from "../crd-types.ts";
import { checkDefault } from "./default-values.ts";
import { metaSchema, removalRule } from "./meta-keys.ts";
import { numberSchema } from "./number-schemas.ts";
import { refuseCheck, stringSchema } from "./scalar-schemas.ts";
import { toRe2 } from "./re2.ts";
import { COMPUTING, PRESERVE, PRESERVE_ADVICE, UNSAYABLE } from "./refusals.ts";
import { enumSchema, unionSchema } from "./union-schemas.ts";
import { child, elements, type Place, refuse, type Shape, type Walk } from "./walk.ts";
import {
  type AnySchema,
  type CheckDef,
  defOf,
  isRequired,
  type Meta,
  type Peeled,
  peel,
  RULES,
  rulesOf,
  type SchemaDef,
} from "./zod-tree.ts";

/** Returns the structural schema of `schema`, or `undefined` after it reported problems. */
export function structuralSchema(schema: AnySchema, walk: Walk, place: Place): Shape {
  if (walk.isTooDeep) return undefined;
  try {
    return openSchema(peel(schema), walk, place);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refuse(walk, place, `reading the schema failed: ${reason}`, "Correct the getter or the lazy schema");
  }
}

/** A deeper schema counts as a recursion that makes new schemas at each level. */
const MAX_DEPTH = 64;

function openSchema(peeled: Peeled, walk: Walk, place: Place): Shape {
  walk.isTooDeep = walk.open.size >= MAX_DEPTH;
  if (walk.isTooDeep || walk.open.has(peeled.core)) {
    return refuse(walk, place, "the schema is recursive", `Cut it here with ${PRESERVE_ADVICE}`);
  }
  walk.open.add(peeled.core);
  try {
    refuseFractionalLengths(peeled.checks, walk, place);
    refuseCustomWithoutRule(peeled, walk, place);
    const shape =
      peeled.refused === undefined
        ? shapeOf(peeled, walk, place)
        : refuse(walk, place, ...(COMPUTING[peeled.refused] ?? COMPUTING["pipe"] ?? ["it computes", ""]));
    if (shape === undefined) return undefined;
    const described = { ...withNull(shape, peeled, walk, place), ...metaSchema(peeled.meta, shape, walk, place) };
    const merged = mergeRules(shape, described);
    return peeled.defaults === undefined ? merged : withDefault(merged, peeled.defaults, walk, place);
  } finally {
    walk.open.delete(peeled.core);
  }
}

function shapeOf(peeled: Peeled, walk: Walk, place: Place): Shape {
  const def = defOf(peeled.core);
  if ("coerce" in def && def.coerce === true) {
    return refuse(
      walk,
      place,
      "coerce computes a value, and the API server computes nothing",
      "Declare the type that is stored, e.g. z.number() or z.string()",
    );
  }
  switch (def.type) {
    case "string":
      return stringSchema(peeled.checks, walk, place);
    case "number":
      return numberSchema(peeled.checks, walk, place);
    case "boolean":
      return plain({ type: "boolean" }, peeled.checks, walk, place);
    case "enum":
    case "literal":
      return plain(enumSchema(peeled.core._zod.values, walk, place), peeled.checks, walk, place);
    case "template_literal":
      return plain(templateSchema(peeled.core, walk, place), peeled.checks, walk, place);
    case "object":
      return plain(objectSchema(def, peeled.meta, walk, place), peeled.checks, walk, place);
    case "record":
      return plain(recordSchema(def, peeled.meta, walk, place), peeled.checks, walk, place);
    case "array":
      return arraySchema(def.element, peeled, walk, place);
    case "union":
      return plain(unionSchema(def, walk, place, structuralSchema), peeled.checks, walk, place);
    case "any":
    case "unknown":
      return peeled.meta[PRESERVE] === true
        ? { nullable: true }
        : refuse(walk, place, "the API server prunes what has no schema", `Give it one, or keep everything with ${PRESERVE_ADVICE}`);
    default: {
      const [reason, fix] = UNSAYABLE[def.type] ?? [`the type ${def.type} has no structural schema`, "Use another type"];
      return refuse(walk, place, reason, fix);
    }
  }
}

/** A shape whose type has no checks. Only custom checks are allowed. */
function plain(shape: Shape, checks: readonly CheckDef[], walk: Walk, place: Place): Shape {
  for (const check of checks) refuseCheck(check, walk, place);
  return shape;
}

function refuseFractionalLengths(checks: readonly CheckDef[], walk: Walk, place: Place): void {
  const lengths = checks.flatMap(({ minimum, maximum, length }) => [minimum, maximum, length]);
  const bad = lengths.find((length) => length !== undefined && Number.isFinite(length) && !Number.isInteger(length));
  if (bad !== undefined) refuse(walk, place, `the length ${bad} is not a whole number`, `Use ${Math.floor(bad)}`);
}

function refuseCustomWithoutRule(peeled: Peeled, walk: Walk, place: Place): void {
  if (defOf(peeled.core).type === "custom" || rulesOf(peeled.meta).length > 0) return;
  if (peeled.checks.some((check) => check.check === "custom")) {
    refuse(
      walk,
      place,
      "refine(), superRefine() and check() are functions, which the API server cannot run",
      `Put the same rule in CEL beside it: .meta({ "${RULES}": [{ rule: "...", message: "..." }] })`,
    );
  }
}

function objectSchema(def: Extract<SchemaDef, { readonly type: "object" }>, meta: Meta, walk: Walk, place: Place): Shape {
  const catchall = def.catchall === undefined ? undefined : defOf(def.catchall).type;
  if (catchall === "never") {
    refuse(
      walk,
      place,
      "a strict object refuses unknown fields, and the API server prunes them",
      "Use z.object(); kubectl reports unknown fields by itself",
    );
  } else if (catchall !== undefined && !(meta[PRESERVE] === true && (catchall === "unknown" || catchall === "any"))) {
    const fix =
      catchall === "unknown" || catchall === "any"
        ? `Add .meta({ "${PRESERVE}": true }) to keep them`
        : "Put the free part into a field of its own: z.record(z.string(), ...)";
    refuse(walk, place, "a structural schema cannot have additionalProperties beside properties", fix);
  }
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const rules: ValidationRule[] = [];
  for (const [name, field] of Object.entries(def.shape)) {
    const at = child(place, `.${name}`);
    const schema = fieldNameIsFree(name, walk, at) ? structuralSchema(field, walk, at) : undefined;
    if (schema === undefined) continue;
    properties[name] = schema;
    const isAbsentable = !isRequired(field);
    if (!isAbsentable) required.push(name);
    else if (schema.default === undefined) rules.push(...removalRule(name, peel(field).meta, walk, at));
  }
  return {
    type: "object",
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(rules.length === 0 ? {} : { [RULES]: rules }),
  };
}

/** zod reads an absent field as the inherited member of the same name. */
function fieldNameIsFree(name: string, walk: Walk, place: Place): boolean {
  if (!(name in Object.prototype)) return true;
  refuse(
    walk,
    place,
    `every JavaScript object has a member ${name}, so a field of this name is never seen as absent`,
    "Choose another name",
  );
  return false;
}

function recordSchema(def: Extract<SchemaDef, { readonly type: "record" }>, meta: Meta, walk: Walk, place: Place): Shape {
  const key = peel(def.keyType);
  const keys = key.core._zod.values;
  if (keys !== undefined && key.refused === undefined) return keyedRecord([...keys].map(String), def, walk, place);
  if (defOf(key.core).type !== "string" || key.checks.length > 0 || key.refused !== undefined) {
    return refuse(
      walk,
      place,
      "a structural schema has no rules for the keys of a map",
      'Use z.string() as the key, with a CEL rule such as self.all(key, key.matches("..."))',
    );
  }
  if ("mode" in def && def.mode === "loose")
    return refuse(walk, place, "a loose record lets keys through unchecked", "Use z.record(z.string(), ...)");
  const additionalProperties = elementSchema(def.valueType, "value", walk, elements(place, "[*]", true, countOf(meta["maxProperties"])));
  return additionalProperties === undefined ? undefined : { type: "object", additionalProperties };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A record over an enum is an object: every key required, unless it is a partial record. */
function keyedRecord(keys: readonly string[], def: Extract<SchemaDef, { readonly type: "record" }>, walk: Walk, place: Place): Shape {
  const isPartial = "partial" in def && def.partial === true;
  const properties: Record<string, JsonSchema> = {};
  for (const key of keys) {
    if (!fieldNameIsFree(key, walk, child(place, `.${key}`))) return undefined;
    const value = elementSchema(def.valueType, "value", walk, child(place, `.${key}`));
    if (value === undefined) return undefined;
    properties[key] = value;
  }
  const { meta } = peel(def.valueType);
  const rules = isPartial ? keys.flatMap((key) => removalRule(key, meta, walk, child(place, `.${key}`))) : [];
  return {
    type: "object",
    properties,
    ...(isPartial || keys.length === 0 ? {} : { required: keys }),
    ...(rules.length === 0 ? {} : { [RULES]: rules }),
  };
}

function arraySchema(element: AnySchema, peeled: Peeled, walk: Walk, place: Place): Shape {
  const isMap = peeled.meta["x-kubernetes-list-type"] === "map";
  let [minItems, maxItems]: [number | undefined, number | undefined] = [undefined, undefined];
  for (const check of peeled.checks) {
    const exact = check.check === "length_equals" ? check.length : undefined;
    const least = exact ?? (check.check === "min_length" ? check.minimum : undefined);
    const most = exact ?? (check.check === "max_length" ? check.maximum : undefined);
    if (least === undefined && most === undefined) refuseCheck(check, walk, place);
    if (least !== undefined) minItems = Math.max(minItems ?? 0, least);
    if (most !== undefined) maxItems = Math.min(maxItems ?? Number.POSITIVE_INFINITY, most);
  }
  const most = maxItems === Number.POSITIVE_INFINITY ? undefined : maxItems;
  const items = elementSchema(element, "element", walk, elements(place, "[]", isMap, most));
  if (items === undefined) return undefined;
  return { type: "array", items, ...(minItems === undefined ? {} : { minItems }), ...(most === undefined ? {} : { maxItems: most }) };
}

/** An element of a list or a value of a map. It cannot be absent, so it has no default and is not optional. */
function elementSchema(schema: AnySchema, what: string, walk: Walk, place: Place): Shape {
  const type = defOf(schema).type;
  if (!isRequired(schema) && type !== "any" && type !== "unknown") {
    return refuse(
      walk,
      place,
      `a ${what} is never absent, so it can be neither optional nor have a default`,
      "Leave .optional() or .default() out here",
    );
  }
  return structuralSchema(schema, walk, place);
}

function templateSchema(schema: AnySchema, walk: Walk, place: Place): Shape {
  const pattern = schema._zod.pattern;
  const re2 = pattern === undefined ? { problem: "the template literal has no pattern" } : toRe2(pattern);
  return "problem" in re2 ? refuse(walk, place, re2.problem, "Use z.string().regex(...)") : { type: "string", pattern: re2.pattern };
}

/** An API server accepts null for no enum, so a nullable enum of strings becomes a pattern. */
function withNull(shape: JsonSchema, peeled: Peeled, walk: Walk, place: Place): JsonSchema {
  if (!peeled.isNullable && shape.nullable !== true) return shape;
  if (shape.enum === undefined) return { ...shape, nullable: true };
  if (shape.type !== "string") {
    refuse(
      walk,
      place,
      "an API server never accepts null where an enum of numbers or booleans is given",
      "Make the field .optional() instead of .nullable()",
    );
    return shape;
  }
  const { enum: values, ...rest } = shape;
  const texts = values.map((value) => String(value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  // With the length the API server can estimate the cost of rules on the field, as it does for an enum.
  const maxLength = Math.max(...values.map((value) => [...String(value)].length));
  return { ...rest, nullable: true, maxLength, pattern: `^(?:${texts.join("|")})$` };
}

function mergeRules(shape: JsonSchema, described: JsonSchema): JsonSchema {
  const rules = [...(shape[RULES] ?? []), ...(described[RULES] === shape[RULES] ? [] : (described[RULES] ?? []))];
  return rules.length === 0 ? described : { ...described, [RULES]: rules };
}

function withDefault(shape: JsonSchema, defaults: NonNullable<Peeled["defaults"]>, walk: Walk, place: Place): JsonSchema {
  const value = checkDefault(defaults, shape, walk, place);
  return value === undefined ? shape : { ...shape, default: value };
}
