import type { CustomResourceDefinition, CustomResourceDefinitionVersion, JsonSchema } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { CHANGE_IDS } from "../change-ids.ts";
import { changesOf } from "../find.ts";

const text = { type: "string" } as const;

function version(spec: JsonSchema, more: Partial<CustomResourceDefinitionVersion> = {}): CustomResourceDefinitionVersion {
  const openAPIV3Schema = { type: "object", properties: { spec } } as const;
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} }, ...more };
}

function crd(
  versions: readonly CustomResourceDefinitionVersion[],
  spec: Partial<CustomResourceDefinition["spec"]> = {},
  storedVersions?: readonly string[],
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "shops.example.dev" },
    spec: { group: "example.dev", scope: "Namespaced", names: { kind: "Shop", plural: "shops" }, versions, ...spec },
    ...(storedVersions === undefined ? {} : { status: { storedVersions } }),
  };
}

/** The changes of the field `x` of spec, each as its id, what it breaks, and its place. */
function ofField(old: JsonSchema, next: JsonSchema): readonly string[] {
  const spec = (x: JsonSchema): JsonSchema => ({ type: "object", properties: { x } });
  return found(crd([version(spec(old))]), crd([version(spec(next))]));
}

function found(old: CustomResourceDefinition, next: CustomResourceDefinition): readonly string[] {
  return changesOf([old], [next]).map(({ id, breaks, where }) => `${id} ${breaks} ${where.replace(/^shops\.example\.dev ?/, "")}`);
}

const X = "v1 spec.x";
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const list = (more: JsonSchema): JsonSchema => ({ type: "array", items: object({ name: text }), ...more });

test.for<{ readonly name: string; readonly old: JsonSchema; readonly next: JsonSchema; readonly want: readonly string[] }>([
  { name: "nothing", old: object({ a: text }), next: object({ a: { ...text, description: "A." } }), want: [] },
  { name: "a removed field", old: object({ a: text }), next: object({}), want: [`field-removed objects ${X}.a`] },
  {
    name: "a removed field of an open object",
    old: object({ a: text }),
    next: { ...object({}), "x-kubernetes-preserve-unknown-fields": true },
    want: [],
  },
  { name: "a new optional field", old: object({}), next: object({ a: text }), want: [`field-added nothing ${X}.a`] },
  {
    name: "a new required field",
    old: object({}),
    next: object({ a: text }, ["a"]),
    want: [`field-required objects ${X}.a`, `field-added nothing ${X}.a`],
  },
  {
    name: "a new required field with a default",
    old: object({}),
    next: object({ a: { ...text, default: "b" } }, ["a"]),
    want: [`field-added nothing ${X}.a`],
  },
  {
    name: "a required field that loses its default",
    old: object({ a: { ...text, default: "b" } }, ["a"]),
    next: object({ a: text }, ["a"]),
    want: [`default-removed clients ${X}.a`, `field-required objects ${X}.a`],
  },
  {
    name: "a field that becomes optional",
    old: object({ a: text }, ["a"]),
    next: object({ a: text }),
    want: [`field-optional nothing ${X}.a`],
  },
  { name: "another type", old: text, next: { type: "integer" }, want: [`type-changed objects ${X}`] },
  { name: "a wider type", old: { type: "integer" }, next: { type: "number" }, want: [`type-changed clients ${X}`] },
  {
    name: "an integer that may be a string",
    old: { type: "integer" },
    next: { "x-kubernetes-int-or-string": true },
    want: [`type-changed clients ${X}`],
  },
  { name: "null", old: { ...text, nullable: true }, next: text, want: [`null-forbidden objects ${X}`] },
  {
    name: "unknown fields",
    old: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    next: object({ a: text }),
    want: [`unknown-fields-dropped objects ${X}`, `field-added clients ${X}.a`],
  },
  {
    name: "an embedded object",
    old: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    next: { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true },
    want: [`embedded-resource-required objects ${X}`],
  },
  { name: "a new default", old: text, next: { ...text, default: "a" }, want: [`default-added nothing ${X}`] },
  { name: "another default", old: { ...text, default: "a" }, next: { ...text, default: "b" }, want: [`default-changed clients ${X}`] },
  {
    name: "a value that an enum loses",
    old: { ...text, enum: ["a", "b"] },
    next: { ...text, enum: ["a"] },
    want: [`limit-narrowed clients ${X}`],
  },
  {
    name: "a value that an enum gets",
    old: { ...text, enum: ["a"] },
    next: { ...text, enum: ["b", "a"] },
    want: [`limit-widened nothing ${X}`],
  },
  { name: "a new enum", old: text, next: { ...text, enum: ["a"] }, want: [`limit-narrowed clients ${X}`] },
  {
    name: "a smaller maximum",
    old: { type: "integer", maximum: 9 },
    next: { type: "integer", maximum: 8 },
    want: [`limit-narrowed clients ${X}`],
  },
  {
    name: "a larger maximum",
    old: { type: "integer", maximum: 8 },
    next: { type: "integer", maximum: 9 },
    want: [`limit-widened nothing ${X}`],
  },
  {
    name: "a larger minimum",
    old: { type: "integer", minimum: 1 },
    next: { type: "integer", minimum: 2 },
    want: [`limit-narrowed clients ${X}`],
  },
  { name: "a new length", old: text, next: { ...text, maxLength: 9 }, want: [`limit-narrowed clients ${X}`] },
  { name: "a minimum length of 0", old: text, next: { ...text, minLength: 0 }, want: [] },
  { name: "an exclusive bound", old: { minimum: 1 }, next: { minimum: 1, exclusiveMinimum: true }, want: [`limit-narrowed clients ${X}`] },
  { name: "another pattern", old: { ...text, pattern: "a" }, next: { ...text, pattern: "b" }, want: [`limit-narrowed clients ${X}`] },
  { name: "a removed format", old: { ...text, format: "date" }, next: text, want: [`limit-widened nothing ${X}`] },
  {
    name: "a list that becomes a map",
    old: list({}),
    next: list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    want: [`list-type-changed clients ${X}`],
  },
  {
    name: "other keys of a list",
    old: list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"] }),
    next: list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    want: [`list-type-changed clients ${X}`],
  },
  {
    name: "a set that becomes atomic",
    old: list({ "x-kubernetes-list-type": "set" }),
    next: list({ "x-kubernetes-list-type": "atomic" }),
    want: [`list-type-changed clients ${X}`],
  },
  { name: "the default list type", old: list({}), next: list({ "x-kubernetes-list-type": "atomic" }), want: [] },
  {
    name: "another map type",
    old: object({}),
    next: { ...object({}), "x-kubernetes-map-type": "atomic" },
    want: [`map-type-changed clients ${X}`],
  },
  {
    name: "a new rule",
    old: text,
    next: { ...text, "x-kubernetes-validations": [{ rule: "self != ''" }] },
    want: [`rule-added clients ${X}`],
  },
  {
    name: "a rule with another message",
    old: { ...text, "x-kubernetes-validations": [{ rule: "self != ''" }] },
    next: { ...text, "x-kubernetes-validations": [{ rule: "self != ''", message: "write a name" }] },
    want: [],
  },
  {
    name: "a removed rule",
    old: { ...text, "x-kubernetes-validations": [{ rule: "self != ''" }] },
    next: text,
    want: [`rule-removed nothing ${X}`],
  },
  { name: "a new quantor", old: object({}), next: { ...object({}), anyOf: [{ required: ["a"] }] }, want: [`quantor-changed objects ${X}`] },
  {
    name: "an item of a list",
    old: { type: "array", items: object({ a: text }) },
    next: { type: "array", items: object({}) },
    want: [`field-removed objects ${X}[].a`],
  },
  {
    name: "a value of a map",
    old: { type: "object", additionalProperties: text },
    next: { type: "object", additionalProperties: { type: "integer" } },
    want: [`type-changed objects ${X}.*`],
  },
  {
    name: "a removed map",
    old: { type: "object", additionalProperties: text },
    next: object({}),
    want: [`field-removed objects ${X}.*`],
  },
  {
    name: "fields that became a map",
    old: object({ a: text }),
    next: { type: "object", additionalProperties: text },
    want: [],
  },
])("$name: $want", ({ old, next, want }) => {
  expect(ofField(old, next)).toEqual(want);
});

const plain = version({ type: "object" });
const v2 = { ...plain, name: "v2" };
const unstored = { storage: false } as const;

test.for<{
  readonly name: string;
  readonly old: CustomResourceDefinition;
  readonly next: CustomResourceDefinition;
  readonly want: readonly string[];
}>([
  { name: "another scope", old: crd([plain]), next: crd([plain], { scope: "Cluster" }), want: ["scope-changed objects "] },
  {
    name: "another kind",
    old: crd([plain]),
    next: crd([plain], { names: { kind: "Store", plural: "shops" } }),
    want: ["names-changed objects "],
  },
  {
    name: "a removed short name",
    old: crd([plain], { names: { kind: "Shop", plural: "shops", shortNames: ["sh"] } }),
    next: crd([plain]),
    want: ["names-changed clients "],
  },
  {
    name: "the removed storage version",
    old: crd([plain]),
    next: crd([v2]),
    want: ["version-removed objects v1", "version-added nothing v2"],
  },
  {
    name: "a removed version in which objects are stored",
    old: crd([{ ...plain, ...unstored }, v2], {}, ["v1", "v2"]),
    next: crd([v2]),
    want: ["version-removed objects v1"],
  },
  {
    name: "a removed version in which no objects are stored",
    old: crd([{ ...plain, ...unstored }, v2], {}, ["v2"]),
    next: crd([v2]),
    want: ["version-removed clients v1"],
  },
  {
    name: "another storage version",
    old: crd([plain, { ...v2, ...unstored }]),
    next: crd([{ ...plain, ...unstored }, v2]),
    want: ["storage-version-changed nothing v2"],
  },
  {
    name: "a version that is not served",
    old: crd([{ ...plain, ...unstored }, v2]),
    next: crd([{ ...plain, ...unstored, served: false }, v2]),
    want: ["version-not-served clients v1"],
  },
  {
    name: "a removed status subresource",
    old: crd([plain]),
    next: crd([{ ...plain, subresources: {} }]),
    want: ["subresource-changed clients v1 /status"],
  },
  {
    name: "a removed scale subresource",
    old: crd([{ ...plain, subresources: { status: {}, scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } } }]),
    next: crd([plain]),
    want: ["subresource-changed clients v1 /scale"],
  },
  {
    name: "a removed field of selectors",
    old: crd([{ ...plain, selectableFields: [{ jsonPath: ".spec.a" }] }]),
    next: crd([plain]),
    want: ["subresource-changed clients v1 spec.a"],
  },
  {
    name: "a removed conversion",
    old: crd([plain, { ...v2, ...unstored }], { conversion: { strategy: "Webhook" } }),
    next: crd([plain, { ...v2, ...unstored }], { conversion: { strategy: "None" } }),
    want: ["conversion-removed objects "],
  },
])("$name: $want", ({ old, next, want }) => {
  expect(found(old, next)).toEqual(want);
});

test("a removed CRD of the same group is found, and CRDs of other groups are not compared", () => {
  const other = { ...crd([plain]), metadata: { name: "carts.example.dev" } };
  const foreign = { ...crd([plain], { group: "other.dev" }), metadata: { name: "x.other.dev" } };
  expect(changesOf([other, foreign], [crd([plain])]).map(({ id, where }) => [id, where])).toEqual([["crd-removed", "carts.example.dev"]]);
});

test("clients of an alpha version get a warning only, and a status field that was removed breaks clients", () => {
  const alpha = (status: JsonSchema): CustomResourceDefinition => {
    const openAPIV3Schema = { type: "object", properties: { status } } as const;
    return crd([{ ...plain, name: "v1alpha1", schema: { openAPIV3Schema } }]);
  };
  expect(changesOf([alpha(object({ a: text }))], [alpha(object({}))])).toMatchObject([
    { id: "field-removed", breaks: "clients", severity: "warning", where: "shops.example.dev v1alpha1 status.a" },
  ]);
});

test("a rule can be ignored as a whole, and in one place", () => {
  const old = crd([version(object({ a: text, b: text }))]);
  const next = crd([version(object({}))]);
  const left = (ignored: string): readonly string[] => changesOf([old], [next], [ignored]).map(({ where }) => where);
  expect(left("field-removed")).toEqual([]);
  expect(left("field-removed:shops.example.dev v1 spec.a")).toEqual(["shops.example.dev v1 spec.b"]);
});

test("the names of the changes are sorted", () => {
  expect([...CHANGE_IDS]).toEqual([...CHANGE_IDS].toSorted());
});
