import type { KubernetesObject } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { fieldChanges } from "./field-changes.ts";

const base = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
const deployment = (spec: object, metadata: object = {}): KubernetesObject =>
  ({ ...base, metadata: { ...base.metadata, ...metadata }, spec }) as KubernetesObject;

test("a field has its values before and after", () => {
  expect(fieldChanges(deployment({ replicas: 2 }), deployment({ replicas: 3 }))).toEqual([
    { path: "spec.replicas", before: "2", after: "3" },
  ]);
});

test("entries of a list with names are compared by name", () => {
  const pods = (...containers: object[]) => deployment({ template: { spec: { containers } } });
  const changes = fieldChanges(pods({ name: "a", image: "a:1" }, { name: "b", image: "b:1" }), pods({ name: "b", image: "b:2" }));
  expect(changes.map(({ path }) => path)).toEqual([
    "spec.template.spec.containers[name=a].image",
    "spec.template.spec.containers[name=a].name",
    "spec.template.spec.containers[name=b].image",
  ]);
});

test("fields of the server and marks of releases are no change", () => {
  const marked = {
    resourceVersion: "2",
    generation: 2,
    labels: { "releases.treadle.dev/owner-id": "x" },
    managedFields: [{ manager: "a" }],
  };
  expect(fieldChanges(deployment({}), { ...deployment({}, marked), status: { replicas: 1 } } as KubernetesObject)).toEqual([]);
});

test("keys with dots are in brackets", () => {
  const labelled = (value: string) => deployment({}, { labels: { "example.dev/a": value } });
  expect(fieldChanges(labelled("1"), labelled("2"))).toEqual([{ path: "metadata.labels[example.dev/a]", before: '"1"', after: '"2"' }]);
});

test("values of a Secret are not shown, nor its annotations", () => {
  const secret = (value: string): KubernetesObject =>
    ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", annotations: { copy: value } },
      data: { password: value },
      type: "Opaque",
    }) as KubernetesObject;
  expect(fieldChanges(secret("b25l"), secret("dHdv"))).toEqual([
    { path: "data.password", isHidden: true },
    { path: "metadata.annotations.copy", isHidden: true },
  ]);
});
