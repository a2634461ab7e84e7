import type { DiscoveredKind } from "@treadle/client";
import { expect, test } from "vitest";
import { ServedKinds } from "../cluster/served-kinds.ts";
import { mentioned, typedReferences } from "./references.ts";

function served(group: string, kind: string, plural: string, scope: "Namespaced" | "Cluster" = "Namespaced"): DiscoveredKind {
  const names = { singular: kind.toLowerCase(), shortNames: [], categories: [], verbs: ["get", "list"], subresources: [] };
  return { group, version: "v1", kind, plural, scope, ...names } as unknown as DiscoveredKind; // Types of objects are not needed.
}

const kinds = new ServedKinds([
  served("", "Secret", "secrets"),
  served("", "Namespace", "namespaces", "Cluster"),
  served("batch", "Job", "jobs"),
  served("apps", "Deployment", "deployments"),
]);

test.for([
  { message: "Secret in does not exist", want: ["Secret shop/in missing"] },
  { message: 'secrets "in" not found', want: ["Secret shop/in missing"] },
  { message: "Deployment other/web: 0 of 1 replicas are available", want: ["Deployment other/web"] },
  { message: "Job has failed", want: ["Job shop/has"] },
  { message: "Secret is missing", want: ["Secret shop/is"] },
  { message: 'Namespace "prod" was not found', want: ["Namespace prod missing"] },
  { message: "Widget a does not exist", want: [] },
  { message: "the secret of the card", want: [] },
])("$message mentions $want", ({ message, want }) => {
  const found = mentioned(message, "shop", kinds).map(({ name, isSaidMissing }) => {
    const where = name.namespace === undefined ? name.name : `${name.namespace}/${name.name}`;
    return `${name.kind} ${where}${isSaidMissing ? " missing" : ""}`;
  });
  expect(found).toEqual(want);
});

test("typed references are found in spec and status, and entries of dependents are not among them", () => {
  const object = {
    apiVersion: "example.dev/v1",
    kind: "Shop",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      refs: [
        { apiVersion: "v1", kind: "Secret", name: "in" },
        { kind: "Secret", name: "no-version" },
      ],
    },
    status: {
      bound: { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "other" },
      dependents: [{ apiVersion: "v1", kind: "Secret", name: "entry" }],
    },
  };
  expect(typedReferences(object)).toEqual([
    { path: "spec.refs[0]", name: { apiVersion: "v1", kind: "Secret", name: "in", namespace: "shop" } },
    { path: "status.bound", name: { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "other" } },
  ]);
});

test("a spec that refers to itself in depth, or has many references, ends", () => {
  let deep: object = { apiVersion: "v1", kind: "Secret", name: "too-deep" };
  for (let level = 0; level < 50; level++) deep = { deep };
  const many = Array.from({ length: 500 }, (_, index) => ({ apiVersion: "v1", kind: "Secret", name: `s${index}` }));
  const object = { apiVersion: "example.dev/v1", kind: "Shop", metadata: { name: "a" }, spec: { deep, many } };
  expect(typedReferences(object)).toHaveLength(30);
});
