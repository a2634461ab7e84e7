/** Checks defaults: a default must be a constant that the server can set, with the same result as in zod. */
import type { JsonSchema } from "../crd-types.ts";
import { jsonEqual } from "../patches.ts";
import { type Place, refuse, type Walk } from "./walk.ts";
import { defOf, parse, type Peeled } from "./zod-tree.ts";

/** Returns the default for the schema, or `undefined` after a problem. */
export function checkDefault(defaults: NonNullable<Peeled["defaults"]>, shape: JsonSchema, walk: Walk, place: Place): unknown {
  const { value, wrapper } = defaults;
  const def = defOf(wrapper);
  if (def.type !== "default" && def.type !== "prefault") return undefined;
  if (value === null)
    return refuse(
      walk,
      place,
      "an API server drops a null default, and the field would be absent",
      "Use .nullish(), and read null and absent alike",
    );
  if (!isJson(value)) return refuse(walk, place, `the default ${String(value)} is not a JSON value`, "Use a value that JSON can hold");
  // A function in .default() is called again for each read.
  if (!jsonEqual(value, def.defaultValue))
    return refuse(
      walk,
      place,
      "the default is computed again each time, and the API server fills in a constant",
      "Use a constant, or set the value in the operator",
    );
  const parsed = parse(def.innerType, value);
  if ("issues" in parsed) {
    const issues = parsed.issues.map((issue) => issue.message).join("; ");
    return refuse(walk, place, `the default ${JSON.stringify(value)} does not fit its own schema (${issues})`, "Correct the default");
  }
  if (!isPruned(value, parsed.value))
    return refuse(
      walk,
      place,
      `the default ${JSON.stringify(value)} has fields that the schema does not know`,
      "Remove them from the default",
    );
  if (def.type === "default" && !jsonEqual(value, parsed.value)) {
    return refuse(
      walk,
      place,
      "the API server fills in the defaults inside this default, and .default() does not",
      "Use .prefault(), or write the default in full",
    );
  }
  const clash = clashOf(shape, value);
  if (clash !== undefined) return refuse(walk, place, `the default ${JSON.stringify(value)} ${clash}`, "Correct the default");
  return value;
}

/** The problem that the server finds in a value and zod does not: duplicate elements, and embedded objects without a kind. */
function clashOf(shape: JsonSchema, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const keys = shape["x-kubernetes-list-map-keys"];
    const type = shape["x-kubernetes-list-type"];
    const identities = value.map((item) =>
      keys === undefined ? item : keys.map((key) => memberOf(item, key) ?? shape.items?.properties?.[key]?.default),
    );
    const isTwice =
      (type === "set" || type === "map") && identities.some((one, i) => identities.slice(0, i).some((other) => jsonEqual(one, other)));
    if (isTwice) return `has an element twice, and the list is of type ${type}`;
    return value.map((item) => clashOf(shape.items ?? {}, item)).find((clash) => clash !== undefined);
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (shape["x-kubernetes-embedded-resource"] === true && !["apiVersion", "kind"].every((key) => typeof memberOf(value, key) === "string"))
    return "is an embedded resource without apiVersion and kind";
  const { additionalProperties } = shape;
  return Object.entries(value)
    .map(([key, member]) => {
      const own = shape.properties !== undefined && Object.hasOwn(shape.properties, key) ? shape.properties[key] : additionalProperties;
      return typeof own === "object" ? clashOf(own, member) : undefined;
    })
    .find((clash) => clash !== undefined);
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
    default:
      return false;
  }
}

/** Whether `parsed` still has every member of `given`. */
function isPruned(given: unknown, parsed: unknown): boolean {
  if (Array.isArray(given)) return Array.isArray(parsed) && given.every((value, i) => isPruned(value, parsed[i]));
  if (typeof given !== "object" || given === null) return true;
  if (typeof parsed !== "object" || parsed === null) return false;
  const members = parsed as Readonly<Record<string, unknown>>; // an object by the check above
  return Object.entries(given).every(([key, value]) => Object.hasOwn(members, key) && isPruned(value, members[key]));
}
