/**
 * Compares two schemas of one version of a CRD. Pure.
 *
 * What breaks stored objects follows from the ratcheting of Kubernetes 1.30 and later: an update may keep a value that a new schema forbids, as long as
 * the value itself stays as it is. An object in which a required field is missing changes with each of its other fields, so its update is refused.
 * test/check-ratcheting.test.ts compares the classes with servers.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
import type { JsonSchema } from "@treadle/apimachinery";
import { below, isSchema } from "../schema-fields.ts";
import { limitChanges } from "./limits.ts";
import { equal, type SchemaChange } from "./schema-change.ts";
import { typeChanges } from "./types.ts";

/** Returns the changes from `old` to `next`, with the path of each. */
export function schemaChanges(old: JsonSchema, next: JsonSchema, path = ""): readonly SchemaChange[] {
  return [
    ...typeChanges(old, next, path),
    ...limitChanges(old, next, path),
    ...defaultChanges(old, next, path),
    ...listChanges(old, next, path),
    ...ruleChanges(old, next, path),
    ...quantorChanges(old, next, path),
    ...fieldChanges(old, next, path),
    ...valueChanges(old, next, path),
  ];
}

function fieldChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const before = old.properties ?? {};
  const after = next.properties ?? {};
  const values = isSchema(next.additionalProperties) ? next.additionalProperties : undefined;
  const changes: SchemaChange[] = [];
  for (const [name, schema] of Object.entries(before)) {
    const at = below(path, name);
    const now = after[name] ?? values;
    if (now !== undefined) changes.push(...schemaChanges(schema, now, at));
    else if (!keepsUnknown(next)) changes.push(removed(at));
  }
  for (const name of Object.keys(after)) if (before[name] === undefined) changes.push(added(old, below(path, name)));
  return [...changes, ...requiredChanges(old, next, path)];
}

function removed(at: string): SchemaChange {
  // An operator writes its status again.
  const isStatus = at.startsWith("status");
  return {
    id: "field-removed",
    breaks: isStatus ? "clients" : "objects",
    path: at,
    message: isStatus ? "The field was removed: clients that read it find nothing." : "The field was removed: the server drops its value.",
    remedy: isStatus
      ? "Keep writing it for a while, next to its successor."
      : "Keep the field and mark it as deprecated. Or add a version.",
  };
}

function added(old: JsonSchema, at: string): SchemaChange {
  // Anything could be stored there.
  const wasOpen = keepsUnknown(old) || isSchema(old.additionalProperties);
  return {
    id: "field-added",
    breaks: wasOpen ? "clients" : "nothing",
    path: at,
    message: wasOpen ? "The field has a schema now: stored values may be of another type." : "The field was added.",
    remedy: wasOpen ? "Check that every value in use fits." : "",
  };
}

function requiredChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const before = new Set(old.required);
  const after = new Set(next.required);
  // The server counts a field as present if it has a default.
  const isNeeded = (schema: JsonSchema, names: ReadonlySet<string>, name: string): boolean =>
    names.has(name) && schema.properties?.[name]?.default === undefined;
  const more = [...after].filter((name) => isNeeded(next, after, name) && !isNeeded(old, before, name));
  return [
    ...more.map(
      (name): SchemaChange => ({
        id: "field-required",
        breaks: "objects",
        path: below(path, name),
        message: "The field is required and has no default: updates of stored objects without it are refused.",
        remedy: "Give it a default, or make it optional.",
      }),
    ),
    ...[...before.difference(after)]
      .filter((name) => next.properties?.[name] !== undefined)
      .map(
        (name): SchemaChange => ({
          id: "field-optional",
          breaks: path.startsWith("status") ? "clients" : "nothing",
          path: below(path, name),
          message: "The field may be absent now.",
          remedy: path.startsWith("status") ? "Keep writing it always: clients may rely on it." : "",
        }),
      ),
  ];
}

/** Items of lists and values of maps. */
function valueChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const items = isSchema(old.items) && isSchema(next.items) ? schemaChanges(old.items, next.items, `${path}[]`) : [];
  if (!isSchema(old.additionalProperties)) return items;
  if (isSchema(next.additionalProperties))
    return [...items, ...schemaChanges(old.additionalProperties, next.additionalProperties, below(path, "*"))];
  if (next.additionalProperties === true || keepsUnknown(next)) return items;
  return [...items, { ...removed(below(path, "*")), message: "The map was removed: the server drops entries that are no field." }];
}

function keepsUnknown(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
}

function defaultChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  if (equal(old.default, next.default)) return [];
  const shown = (value: unknown): string => JSON.stringify(value) ?? "none";
  if (old.default === undefined)
    return [{ id: "default-added", breaks: "nothing", path, message: `The default is ${shown(next.default)} now.`, remedy: "" }];
  const isGone = next.default === undefined;
  return [
    {
      id: isGone ? "default-removed" : "default-changed",
      breaks: "clients",
      path,
      message: isGone
        ? `The default ${shown(old.default)} was removed: stored objects that were never written since have no value.`
        : `The default was ${shown(old.default)} and is ${shown(next.default)}: the same manifest gives another object.`,
      remedy: "Keep the default in this version, and change it in a new one.",
    },
  ];
}

function listChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [was, is] = [old["x-kubernetes-list-type"] ?? "atomic", next["x-kubernetes-list-type"] ?? "atomic"];
  const [keys, nextKeys] = [old["x-kubernetes-list-map-keys"], next["x-kubernetes-list-map-keys"]];
  if (was !== is)
    changes.push({
      id: "list-type-changed",
      breaks: "clients",
      path,
      message:
        is === "atomic"
          ? `The list was a ${was}: server-side apply of one writer replaces the elements of others now.`
          : `The list is a ${is} now: lists with duplicates are refused. Stored ones stay valid until someone changes them.`,
      remedy: "Keep the list type in this version.",
    });
  else if (!equal(keys, nextKeys))
    changes.push({
      id: "list-type-changed",
      breaks: "clients",
      path,
      message: `The keys of the list were ${(keys ?? []).join(", ")} and are ${(nextKeys ?? []).join(", ")}: elements may be duplicates now.`,
      remedy: "Keep the keys in this version.",
    });
  const [mapWas, mapIs] = [old["x-kubernetes-map-type"] ?? "granular", next["x-kubernetes-map-type"] ?? "granular"];
  if (mapWas !== mapIs)
    changes.push({
      id: "map-type-changed",
      breaks: "clients",
      path,
      message: `The object was ${mapWas} and is ${mapIs}: server-side apply merges it in another way.`,
      remedy: "Keep the map type in this version.",
    });
  return changes;
}

function ruleChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const before = new Set((old["x-kubernetes-validations"] ?? []).map(({ rule }) => rule));
  const after = new Set((next["x-kubernetes-validations"] ?? []).map(({ rule }) => rule));
  return [
    ...[...after.difference(before)].map(
      (rule): SchemaChange => ({
        id: "rule-added",
        breaks: "clients",
        path,
        message: /\boldSelf\b/.test(rule)
          ? `The new rule refuses changes: ${rule}`
          : `The new rule refuses values that were valid: ${rule}. Stored values stay valid until someone changes them.`,
        remedy: "Make sure that nobody writes such values. `optionalOldSelf` lets a rule accept what is stored.",
      }),
    ),
    ...[...before.difference(after)].map(
      (rule): SchemaChange => ({
        id: "rule-removed",
        breaks: "nothing",
        path,
        message: `The rule was removed: ${rule}`,
        remedy: "",
      }),
    ),
  ];
}

function quantorChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  return (["allOf", "anyOf", "oneOf", "not"] as const)
    .filter((name) => !equal(old[name], next[name]))
    .map((name) => quantorChange(name, old, next, path));
}

function quantorChange(name: "allOf" | "anyOf" | "oneOf" | "not", old: JsonSchema, next: JsonSchema, path: string): SchemaChange {
  const id = "quantor-changed";
  if (next[name] === undefined) return { id, breaks: "nothing", path, message: `${name} was removed.`, remedy: "" };
  const what = `${name} was ${old[name] === undefined ? "added" : "changed"}`;
  const remedy = "Use a CEL rule with optionalOldSelf: it can accept what is stored.";
  // The server accepts an unchanged value. An object changes with each of its fields.
  if (next.type !== "object") return { id, breaks: "clients", path, message: `${what}: values may not fit.`, remedy };
  return { id, breaks: "objects", path, message: `${what}: updates of stored objects that do not fit are refused.`, remedy };
}
