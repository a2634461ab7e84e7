import { expect, test } from "vitest";
import { builtInResources } from "./resources.ts";
import { fieldSchema } from "../schema/schema.ts";
import { compiledSchemaOf, definition, resolved, schemaOf } from "./schemas.ts";
import { DEFINITIONS, KUBERNETES_VERSION } from "./schema-data.ts";

const DEPLOYMENT = [{ kind: "Deployment" }, { apiVersion: "apps/v1" }] as const;

test("the schemas are those of a release", () => expect(KUBERNETES_VERSION).toMatch(/^v1\.\d+\.\d+$/));

test("every built-in kind has a schema in every version", () => {
  for (const type of builtInResources()) {
    for (const version of type.versions) {
      expect(schemaOf(type, version)?.properties?.["metadata"], `${version.apiVersion} ${type.kind}`).toBeDefined();
      expect(compiledSchemaOf(type, version)?.properties.has("kind")).toBe(true);
    }
  }
});

test("each reference has a definition", () => {
  for (const [, name = ""] of DEFINITIONS.matchAll(/"\$ref":"([^"]+)"/g)) expect(definition(name)).toBeDefined();
});

test("a kind that is not built in has no schema", () => {
  expect(schemaOf({ kind: "Widget" }, { apiVersion: "example.com/v1" })).toBeUndefined();
  expect(compiledSchemaOf({ kind: "Widget" }, { apiVersion: "example.com/v1" })).toBeUndefined();
});

test("the schema of a list has its type, its keys and the defaults of keys", () => {
  let schema = compiledSchemaOf(...DEPLOYMENT);
  for (const field of ["spec", "template", "spec", "containers"]) schema = fieldSchema(schema, field);
  expect([schema?.listType, schema?.mapKeys]).toEqual(["map", ["name"]]);
  const ports = fieldSchema(schema?.items, "ports");
  expect([ports?.listType, ports?.mapKeys]).toEqual(["map", ["containerPort", "protocol"]]);
  expect(fieldSchema(ports?.items, "protocol")?.default).toEqual({ value: "TCP" });
  expect(fieldSchema(fieldSchema(compiledSchemaOf(...DEPLOYMENT), "spec"), "selector")?.isAtomicMap).toBe(true);
});

test("a schema has its patch strategies and merge keys", () => {
  const containers = definition("core.v1.PodSpec").properties?.["containers"];
  expect(containers?.["x-kubernetes-patch-merge-key"]).toBe("name");
  expect(definition("apps.v1.DeploymentSpec").properties?.["strategy"]?.["x-kubernetes-patch-strategy"]).toBe("retainKeys");
  expect(resolved(containers?.items ?? {}).properties?.["image"]).toEqual({ type: "string" });
});

test("a definition can refer to itself", () => {
  const props = compiledSchemaOf({ kind: "CustomResourceDefinition" }, { apiVersion: "apiextensions.k8s.io/v1" });
  let schema = fieldSchema(fieldSchema(fieldSchema(props, "spec"), "versions")?.items, "schema");
  schema = fieldSchema(schema, "openAPIV3Schema");
  for (let depth = 0; depth < 10; depth++) schema = fieldSchema(fieldSchema(schema, "properties"), "x");
  expect(schema?.properties.has("x-kubernetes-list-type")).toBe(true);
});
