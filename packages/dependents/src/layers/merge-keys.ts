/**
 * The keys that tell the entries of a list apart, by kind and path. For built-in kinds they are in one table, for the kinds of
 * `defineResource()` in their CRD. A list without keys is replaced as a whole.
 */
import { type JsonSchema, kindIdOf, type Kind } from "@treadle/apimachinery";
import { KINDS, TYPES } from "./merge-keys-data.ts";

/** The fields of an object. Returns the rule of a field; `undefined` for a field without keys, and without keys below it. */
export type Fields = (field: string) => FieldRule | undefined;

/** How a field is merged. */
export interface FieldRule {
  /** The keys of a list; absent for an object. */
  readonly keys?: ListKeys;
  /** The fields of the object, or of the entries. */
  readonly fields: Fields;
}

/** What tells the entries of a list apart. */
export interface ListKeys {
  /** Whether two entries with names are told apart by the name alone. */
  readonly isByName: boolean;
  /** Paths in an entry, each with the value that stands for a missing one. */
  readonly paths: readonly { readonly path: string; readonly missing: unknown }[];
}

const NO_FIELDS: Fields = () => undefined;

/** Returns the fields of the objects of a kind. Without a kind, the fields of all built-in kinds together. */
export function fieldsOf(kind: Kind | undefined): Fields {
  if (kind === undefined) return fieldsOfTypes(Object.values(KINDS));
  const type = KINDS[kindIdOf(kind)];
  if (type !== undefined) return fieldsOfTypes([type]);
  const version = kind.resource?.crd().spec.versions.find(({ name }) => name === kind.version);
  const schema = version?.schema?.openAPIV3Schema;
  return schema === undefined ? NO_FIELDS : fieldsOfSchema(schema);
}

/** Returns the fields of the objects of a built-in kind; of another kind, no rules. */
export function fieldsOfApi(apiVersion: string, kind: string): Fields {
  const id = `${apiVersion}/${kind}`;
  const type = Object.hasOwn(KINDS, id) ? KINDS[id] : undefined;
  return type === undefined ? NO_FIELDS : fieldsOfTypes([type]);
}

/** The fields of a PodSpec and of a container. */
export const POD_SPEC = "core.v1.PodSpec";
export const CONTAINER = "core.v1.Container";

/** Returns the fields of objects that have one of these types. Types that disagree on a field have no rule for it. */
export function fieldsOfTypes(types: readonly string[]): Fields {
  return (field) => {
    const rules = types.flatMap((type) => ownRule(type, field) ?? []);
    const [first] = rules;
    if (first === undefined) return undefined;
    const below = rules.flatMap((rule) => ruleParts(rule).type ?? []);
    const { keys } = ruleParts(first);
    if (rules.some((rule) => ruleParts(rule).keys !== keys)) return undefined;
    return { ...(keys === undefined ? {} : { keys: parsed(keys) }), fields: below.length === 0 ? NO_FIELDS : fieldsOfTypes(below) };
  };
}

/** Returns where the specs of pods are in the objects of a kind: `[["spec", "template", "spec"]]`. Empty for a kind that is not in the table. */
export function podPathsOf(kind: Kind): readonly (readonly string[])[] {
  const type = KINDS[kindIdOf(kind)];
  return type === undefined ? [] : podPathsIn(type);
}

function podPathsIn(type: string): readonly (readonly string[])[] {
  if (type === POD_SPEC) return [[]];
  return Object.entries(TYPES[type] ?? {}).flatMap(([field, rule]) => {
    const { keys, type: below } = ruleParts(rule);
    return keys !== undefined || below === undefined ? [] : podPathsIn(below).map((path) => [field, ...path]);
  });
}

function ownRule(type: string, field: string): string | undefined {
  const fields = TYPES[type];
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}

/** Splits `[keys]Type`. */
function ruleParts(rule: string): { readonly keys: string | undefined; readonly type: string | undefined } {
  const [, keys, type] = /^(?:\[(.*)\])?(.*)$/.exec(rule) ?? [];
  return { keys, type: type === "" ? undefined : type };
}

/** Parses `name|containerPort,protocol=TCP`. */
function parsed(text: string): ListKeys {
  const isByName = text.startsWith("name|");
  const paths = (isByName ? text.slice("name|".length) : text).split(",").map((each) => {
    const [path = "", missing = ""] = each.split("=");
    return { path, missing };
  });
  return { isByName, paths };
}

function fieldsOfSchema(schema: JsonSchema): Fields {
  return (field) => {
    const { properties, additionalProperties } = schema;
    const known = properties !== undefined && Object.hasOwn(properties, field) ? properties[field] : undefined;
    const of = known ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (of === undefined) return undefined;
    const { items, "x-kubernetes-list-map-keys": keys } = of;
    if (of.type !== "array") return { fields: fieldsOfSchema(of) };
    if (keys === undefined || items === undefined) return undefined;
    const paths = keys.map((path) => ({ path, missing: items.properties?.[path]?.default ?? "" }));
    return { keys: { isByName: false, paths }, fields: fieldsOfSchema(items) };
  };
}
