/** The classes of `treadle check --against` are what servers do: an object is stored, its CRD changes, and the object is updated. */
import { type CustomResourceDefinitionInput, type JsonSchema, kind } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { changesOf } from "../src/check/find.ts";
import type { Breaks } from "../src/check/problem.ts";

const text = { type: "string" } as const;
const listOf = (more: JsonSchema): JsonSchema => ({ type: "array", items: text, ...more });

interface Case {
  readonly name: string;
  readonly old: JsonSchema;
  readonly next: JsonSchema;
  /** Stored under the old schema, as `spec`. */
  readonly spec: object;
  /** What an update of another field gives: the stored values, others, or a refusal. */
  readonly update: "kept" | "changed" | "refused";
  /** Whether the same object can be created under the new schema. */
  readonly create: "accepted" | "refused";
  /** What the comparison says. */
  readonly breaks: readonly Breaks[];
}

const x = (schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties: { x: schema, y: text }, ...more });

const cases: readonly Case[] = [
  {
    name: "enum",
    old: x(text),
    next: x({ ...text, enum: ["a"] }),
    spec: { x: "b" },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "maximum",
    old: x({ type: "integer" }),
    next: x({ type: "integer", maximum: 3 }),
    spec: { x: 5 },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "pattern",
    old: x(text),
    next: x({ ...text, pattern: "^a" }),
    spec: { x: "b" },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "rule",
    old: x(text),
    next: x({ ...text, maxLength: 9, "x-kubernetes-validations": [{ rule: "self != 'b'" }] }),
    spec: { x: "b" },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "required",
    old: x(text),
    next: x(text, { required: ["x"] }),
    spec: {},
    update: "refused",
    create: "refused",
    breaks: ["objects"],
  },
  {
    name: "required with a default",
    old: x(text),
    next: x({ ...text, default: "a" }, { required: ["x"] }),
    spec: {},
    update: "changed",
    create: "accepted",
    breaks: [],
  },
  {
    name: "removed",
    old: x(text),
    next: { type: "object", properties: { y: text } },
    spec: { x: "b" },
    update: "changed",
    create: "accepted",
    breaks: ["objects"],
  },
  { name: "type", old: x(text), next: x({ type: "integer" }), spec: { x: "b" }, update: "kept", create: "refused", breaks: ["objects"] },
  {
    name: "set",
    old: x(listOf({})),
    next: x(listOf({ "x-kubernetes-list-type": "set" })),
    spec: { x: ["a", "a"] },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "quantor of the field",
    old: x(text),
    next: x({ ...text, not: { enum: ["b"] } }),
    spec: { x: "b" },
    update: "kept",
    create: "refused",
    breaks: ["clients"],
  },
  {
    name: "null",
    old: x({ ...text, nullable: true }),
    next: x(text),
    spec: { x: null },
    update: "changed",
    create: "accepted",
    breaks: ["objects"],
  },
  {
    name: "unknown fields",
    old: x({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    next: x({ type: "object", properties: { a: text } }),
    spec: { x: { b: "c" } },
    update: "changed",
    create: "accepted",
    breaks: ["objects", "clients"],
  },
  {
    name: "embedded",
    old: x({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    next: x({ type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true }),
    spec: { x: { b: "c" } },
    update: "refused",
    create: "refused",
    breaks: ["objects"],
  },
  {
    name: "map",
    old: x({ type: "array", items: { type: "object", properties: { name: text } } }),
    next: x({
      type: "array",
      items: { type: "object", properties: { name: text }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
    spec: { x: [{ name: "a" }, { name: "a" }] },
    update: "kept",
    create: "refused",
    breaks: ["clients", "objects"],
  },
  {
    name: "removed map",
    old: x({ type: "object", additionalProperties: text }),
    next: x({ type: "object", properties: {} }),
    spec: { x: { a: "b" } },
    update: "changed",
    create: "accepted",
    breaks: ["objects"],
  },
  {
    name: "quantor",
    old: x(text),
    next: x(text, { not: { required: ["x"] } }),
    spec: { x: "b" },
    update: "refused",
    create: "refused",
    breaks: ["objects"],
  },
];

function crdOf(name: string, spec: JsonSchema): CustomResourceDefinitionInput & CustomResourceDefinition {
  const openAPIV3Schema = { type: "object", properties: { spec } } as const;
  const plural = `${name.replaceAll(/[^a-z]/g, "")}things`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.ratcheting.example.dev` },
    spec: {
      group: "ratcheting.example.dev",
      scope: "Namespaced",
      names: { plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1)}`, singular: plural.slice(0, -1), listKind: `${plural}list` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** A server serves the new schema a moment after it has taken the CRD. */
async function eventually(cluster: TestCluster, isThere: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100 && !(await isThere()); i++) await cluster.settled();
}

test.for(cases)(
  "a change of $name does to stored objects what its class says",
  async ({ name, old, next, spec, update, create, breaks }) => {
    await using cluster = await startTestCluster({ checkStatus: false });
    const { client } = cluster;
    const [before, after] = [crdOf(name, old), crdOf(name, next)];
    const { kind: type, plural } = before.spec.names;
    const Thing = kind<Record<string, unknown>>({ group: before.spec.group, version: "v1", kind: type, plural });
    const object = (objectName: string): { metadata: { name: string; namespace: string }; spec: object } => ({
      metadata: { name: objectName, namespace: "default" },
      spec,
    });
    const isAccepted = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => true,
        () => false,
      );
    await client.create(CustomResourceDefinition, before);
    await eventually(cluster, () => isAccepted(client.create(Thing, object("stored"))));
    const stored = await client.get(CustomResourceDefinition, { name: before.metadata.name });
    await client.update(CustomResourceDefinition, { ...after, metadata: stored?.metadata ?? after.metadata });
    await eventually(cluster, async () => {
      const dryRun = await isAccepted(client.create(Thing, object("probe"), { dryRun: true }));
      return dryRun === (create === "accepted");
    });

    const live = await client.get(Thing, { namespace: "default", name: "stored" });
    // Another field of the same object changes: an unchanged spec as a whole is accepted always.
    const edited = { ...live, spec: { ...(live?.["spec"] as object), y: "new" } };
    const result = await client.update(Thing, edited as never).then(
      (now) => (JSON.stringify((now as Record<string, unknown>)["spec"]) === JSON.stringify({ ...spec, y: "new" }) ? "kept" : "changed"),
      () => "refused",
    );
    expect(result).toBe(update);
    expect(await isAccepted(client.create(Thing, object("new")))).toBe(create === "accepted");

    const found = new Set(changesOf([before], [after]).map((change) => change.breaks));
    expect(found.difference(new Set(["nothing"]))).toEqual(new Set(breaks));
  },
);
