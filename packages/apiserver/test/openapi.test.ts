import { expect, test } from "vitest";
import { swaggerOf } from "../src/openapi/v2.ts";
import { fieldsIn } from "../src/protobuf/wire.ts";
import { harness, type Json } from "./harness.ts";

/** Returns all references inside a value. */
function references(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

/** Returns the documents by name. The index is JSON that is sent as a text. */
async function indexOf(call: ReturnType<typeof harness>["call"]): Promise<Readonly<Record<string, Json>>> {
  const { text } = await call("GET", "/openapi/v3");
  return (JSON.parse(text) as { readonly paths: Readonly<Record<string, Json>> }).paths;
}

test("each document of the index exists, and contains all that it refers to", async () => {
  const { call } = harness();
  const urls = Object.entries(await indexOf(call));
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

test("the schema of a custom kind is that of its CRD with its kind, and a new definition has another hash", async () => {
  const { call } = harness();
  const url = async (): Promise<string> => String((await indexOf(call))["apis/example.com/v1"]?.["serverRelativeURL"]);
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

test("an unknown document gets 404", async () => {
  const { call } = harness();
  expect((await call("GET", "/openapi/v3/apis/absent.example.com/v1")).status).toBe(404);
});

/** `kubectl explain` prints these descriptions. */
test("the schemas of built-in kinds are those of Kubernetes, with their descriptions", async () => {
  const { call } = harness();
  const { schemas } = (await call("GET", "/openapi/v3/apis/apps/v1")).body["components"];
  expect(schemas["io.k8s.api.apps.v1.DeploymentSpec"].properties.strategy).toEqual({
    allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy" }],
    default: {},
    description: "The deployment strategy to use to replace existing pods with new ones.",
    "x-kubernetes-patch-strategy": "retainKeys",
  });
  expect(schemas["io.k8s.api.apps.v1.DeploymentList"]["x-kubernetes-group-version-kind"]).toEqual([
    { group: "apps", kind: "DeploymentList", version: "v1" },
  ]);
});

test("the header of a custom kind has the common descriptions", async () => {
  const { call } = harness();
  const { schemas } = (await call("GET", "/openapi/v3/apis/example.com/v1")).body["components"];
  expect(schemas["com.example.v1.Widget"].properties.metadata).toEqual({
    allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
    description: expect.stringMatching(/^Standard object's metadata/),
  });
  expect(schemas["com.example.v1.WidgetList"].properties.items.items).toEqual({ $ref: "#/components/schemas/com.example.v1.Widget" });
});

test("/openapi/v2 is one document, and contains all that it refers to", async () => {
  const { call } = harness();
  const { body, headers } = await call("GET", "/openapi/v2");
  const known = new Set(Object.keys(body["definitions"]).map((name) => `#/definitions/${name}`));
  expect(references(body).filter((reference) => !known.has(reference))).toEqual([]);
  expect(body["definitions"]["io.k8s.api.core.v1.ServicePort"].properties.targetPort.$ref).toBe(
    "#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  );
  const { put } = body["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"];
  expect(put.parameters[0]).toEqual({ name: "body", in: "body", required: true, schema: { $ref: "#/definitions/com.example.v1.Widget" } });
  const again = await call("GET", "/openapi/v2", undefined, { "if-none-match": String(headers["etag"]) });
  expect([again.status, again.text]).toEqual([304, ""]);
  await call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
  const after = await call("GET", "/openapi/v2", undefined, { "if-none-match": String(headers["etag"]) });
  expect(after.status).toBe(200);
  expect(after.body["definitions"]).not.toHaveProperty(["com.example.v1.Widget"]);
});

test("the older form omits keywords that its readers do not understand", async () => {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } };
  const either = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };
  const properties = {
    open,
    either,
    maybe: { type: "string", nullable: true },
    list: { type: "array", items: { type: "string", nullable: true } },
  };
  const document = swaggerOf(
    "v1",
    {},
    {
      "com.example.v1.Thing": { type: "object", required: ["maybe", "list"], properties },
      "com.example.v1.Any": { ...open, "x-kubernetes-group-version-kind": [{ kind: "Any" }] },
    },
  );
  expect(document["definitions"]).toEqual({
    "com.example.v1.Thing": {
      type: "object",
      required: ["list"],
      properties: {
        open: { "x-kubernetes-preserve-unknown-fields": true },
        either: { "x-kubernetes-int-or-string": true },
        maybe: {},
        list: { type: "array", items: {} },
      },
    },
    "com.example.v1.Any": { type: "object", "x-kubernetes-group-version-kind": [{ kind: "Any" }] },
  });
});

test("/openapi/v2 in protobuf has the paths and definitions that kubectl explains", async () => {
  const { server } = harness();
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const answer = await server.transport().request({ method: "GET", path: "/openapi/v2", headers: { accept } });
  expect(answer.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  const bytes = Buffer.from(String(answer.body), "latin1");
  const fields = [...fieldsIn(bytes)];
  // gnostic: swagger, info, paths, definitions, security, securityDefinitions.
  expect(fields.map(({ number }) => number)).toEqual([1, 2, 8, 9, 12, 13]);
  expect(bytes.includes("io.k8s.api.apps.v1.Deployment")).toBe(true);
  expect(bytes.includes("com.example.v1.Widget")).toBe(true);
});
