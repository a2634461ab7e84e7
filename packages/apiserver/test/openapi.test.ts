import { expect, test } from "vitest";
import { harness, type Json } from "./harness.ts";

/** All references inside a value. */
function references(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

test("every document that the index names is there, and whatever it refers to is inside", async () => {
  const { call } = harness();
  const { body } = await call("GET", "/openapi/v3");
  const urls = Object.entries(body["paths"] as Readonly<Record<string, Json>>);
  expect(urls.map(([name]) => name)).toEqual(expect.arrayContaining(["api/v1", "apis/apps/v1", "apis/example.com/v1"]));
  for (const [name, { serverRelativeURL }] of urls) {
    const { status, body: document } = await call("GET", String(serverRelativeURL));
    expect(status, name).toBe(200);
    const known = new Set(Object.keys(document["components"].schemas).map((schema) => `#/components/schemas/${schema}`));
    expect(
      references(document).filter((reference) => !known.has(reference)),
      name,
    ).toEqual([]);
  }
});

test.for([
  { path: "/openapi/v3/apis/example.com/v1", object: "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}", kind: "Widget" },
  { path: "/openapi/v3/api/v1", object: "/api/v1/namespaces/{namespace}/configmaps/{name}", kind: "ConfigMap" },
])("a patch of a $kind says what it takes, and of which kind it is", async ({ path, object, kind }) => {
  const { call } = harness();
  const { patch, post } = (await call("GET", path)).body["paths"][object];
  expect(patch["x-kubernetes-group-version-kind"]).toMatchObject({ kind, version: "v1" });
  const names = patch.parameters.map((one: Json) => String(one["name"]));
  expect(names).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
  expect(post).toBeUndefined();
});

test("the schema of a custom kind is its CRD's, with the kind that it is of; a new definition has another hash", async () => {
  const { call } = harness();
  const url = async (): Promise<string> =>
    String((await call("GET", "/openapi/v3")).body["paths"]["apis/example.com/v1"].serverRelativeURL);
  const before = await url();
  const schema = (await call("GET", before)).body["components"].schemas["com.example.v1.Widget"];
  expect(schema["x-kubernetes-group-version-kind"]).toEqual([{ group: "example.com", version: "v1", kind: "Widget" }]);
  expect(schema.properties.spec.properties.size).toEqual({ type: "integer", minimum: 1 });
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["apiVersion", "kind", "metadata", "spec", "status"]));

  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  const { body: crd } = await call("GET", path);
  crd["spec"].versions[0].schema.openAPIV3Schema.properties.spec.properties.size.description = "how big";
  await call("PUT", path, crd);
  expect(await url()).not.toBe(before);
});

test("a document that is none is 404", async () => {
  const { call } = harness();
  expect((await call("GET", "/openapi/v3/apis/absent.example.com/v1")).status).toBe(404);
});
