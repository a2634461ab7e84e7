import type { JsonSchema } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { harness, type Json, WIDGETS, widget, widgetCrd } from "./harness.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function schemaOf(spec: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties: { spec: { type: "object", properties: spec, ...more } } };
}

async function refusal(schema: JsonSchema, spec: unknown): Promise<Json> {
  const { call } = harness({ resources: [widgetCrd(schema)] });
  const { status, body } = await call("POST", WIDGETS, widget("a", { spec }));
  expect(status).toBe(422);
  return body;
}

describe("validation has the errors of the real server", () => {
  test.for<{ name: string; field: JsonSchema; value: unknown; says: string }>([
    {
      name: "type",
      field: { type: "integer" },
      value: "x",
      says: 'spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"',
    },
    {
      name: "fraction",
      field: { type: "integer" },
      value: 1.5,
      says: 'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
    },
    {
      name: "null in a list",
      field: { type: "array", items: { type: "string" } },
      value: [null],
      says: 'spec.f[0]: Invalid value: "null": spec.f[0] in body must be of type string: "null"',
    },
    {
      name: "int-or-string",
      field: { "x-kubernetes-int-or-string": true },
      value: true,
      says: 'spec.f: Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"',
    },
    {
      name: "enum",
      field: { type: "string", enum: ["b", "a"] },
      value: "c",
      says: 'spec.f: Unsupported value: "c": supported values: "b", "a"',
    },
    {
      name: "minimum",
      field: { type: "integer", minimum: 1 },
      value: 0,
      says: "spec.f: Invalid value: 0: spec.f in body should be greater than or equal to 1",
    },
    {
      name: "exclusive minimum",
      field: { type: "integer", minimum: 1, exclusiveMinimum: true },
      value: 1,
      says: "spec.f: Invalid value: 1: spec.f in body should be greater than 1",
    },
    {
      name: "maximum",
      field: { type: "number", maximum: 1.5 },
      value: 2,
      says: "spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1.5",
    },
    {
      name: "multipleOf",
      field: { type: "integer", multipleOf: 5 },
      value: 7,
      says: "spec.f: Invalid value: 7: spec.f in body should be a multiple of 5",
    },
    {
      name: "minLength",
      field: { type: "string", minLength: 3 },
      value: "ab",
      says: 'spec.f: Invalid value: "ab": spec.f in body should be at least 3 chars long',
    },
    { name: "maxLength", field: { type: "string", maxLength: 3 }, value: "abcd", says: "spec.f: Too long: may not be more than 3 bytes" },
    {
      name: "pattern",
      field: { type: "string", pattern: "^a+$" },
      value: "b",
      says: "spec.f: Invalid value: \"b\": spec.f in body should match '^a+$'",
    },
    {
      name: "format",
      field: { type: "string", format: "date-time" },
      value: "soon",
      says: 'spec.f: Invalid value: "soon": spec.f in body must be of type date-time: "soon"',
    },
    {
      name: "minItems",
      field: { type: "array", items: { type: "string" }, minItems: 1 },
      value: [],
      says: "spec.f: Invalid value: 0: spec.f in body should have at least 1 items",
    },
    {
      name: "maxItems",
      field: { type: "array", items: { type: "string" }, maxItems: 1 },
      value: ["a", "b"],
      says: "spec.f: Too many: 2: must have at most 1 item",
    },
    {
      name: "required in an item",
      field: { type: "array", items: { type: "object", required: ["x"], properties: { x: { type: "string" } } } },
      value: [{}],
      says: "spec.f[0].x: Required value",
    },
    {
      name: "maxProperties",
      field: { type: "object", additionalProperties: { type: "string" }, maxProperties: 1 },
      value: { a: "a", b: "b" },
      says: "spec.f: Too many: 2: must have at most 1 item",
    },
    {
      name: "a value of a map",
      field: { type: "object", additionalProperties: { type: "string" } },
      value: { a: 1 },
      says: 'spec.f.a: Invalid value: "integer": spec.f.a in body must be of type string: "integer"',
    },
    {
      name: "a repeated item of a set",
      field: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      value: ["a", "a"],
      says: 'spec.f[1]: Duplicate value: "a"',
    },
    {
      name: "a repeated key of a list-map",
      field: {
        type: "array",
        items: { type: "object", required: ["k"], properties: { k: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
      value: [{ k: "a" }, { k: "a" }],
      says: 'spec.f[1]: Duplicate value: {"k":"a"}',
    },
    {
      name: "not",
      field: { type: "string", not: { enum: ["x"] } },
      value: "x",
      says: '<nil>: Invalid value: "": "spec.f" must not validate the schema (not)',
    },
    {
      name: "oneOf",
      field: { type: "string", oneOf: [{ enum: ["x"] }, { enum: ["y"] }] },
      value: "z",
      says: '"spec.f" must validate one and only one schema (oneOf). Found none valid',
    },
  ])("$name", async ({ field, value, says }) => {
    const body = await refusal(schemaOf({ f: field }), { f: value });
    expect(body["message"]).toContain(says);
    expect(body["message"]).toMatch(/^Widget\.example\.com "a" is invalid: /);
    expect(body["details"]).toMatchObject({ name: "a", group: "example.com", kind: "Widget" });
  });

  test("an embedded object needs its kind and keeps its metadata", async () => {
    const schema = schemaOf({
      f: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    });
    const body = await refusal(schema, { f: { apiVersion: "", metadata: { labels: { "a b": "" } } } });
    expect(body["message"]).toContain('spec.f.apiVersion: Invalid value: "": must not be empty');
    expect(body["message"]).toContain("spec.f.kind: Required value");
    expect(body["message"]).toContain("spec.f.metadata.labels: Invalid value");
    const { call } = harness({ resources: [widgetCrd(schema)] });
    const f = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { any: [1] } };
    expect((await call("POST", WIDGETS, widget("a", { spec: { f } }))).body["spec"]).toEqual({ f });
  });

  test.for([
    ["int32", 2 ** 31, ["with format int32"]],
    ["int64", 1.5, ['spec.n in body must be of type int64: "float64"', "with format int64"]],
    [undefined, 1.5, ['spec.n in body must be of type integer: "number"', "(default format)"]],
    [undefined, 1e20, ['spec.n in body must be of type integer: "number"', "(default format)"]],
    ["int64", true, ['spec.n in body must be of type int64: ""']],
  ] as const)("an integer of format %s is not %s", async ([format, n, causes]) => {
    const schema = schemaOf({ n: { type: "integer", ...(format === undefined ? {} : { format }) } });
    const { call } = harness({ resources: [widgetCrd(schema)] });
    const { status, body } = await call("POST", WIDGETS, widget("a", { spec: { n } }));
    expect(status).toBe(422);
    const messages = (body["details"].causes as readonly Json[]).map(({ message }) => String(message));
    expect(messages).toHaveLength(causes.length);
    for (const [i, text] of causes.entries()) expect(messages[i]).toContain(text);
  });

  test.for([
    ["int32", -(2 ** 31)],
    ["int64", 2 ** 31],
    ["double", 1],
  ] as const)("a number of format %s may be %s", async ([format, n]) => {
    const { call } = harness({ resources: [widgetCrd(schemaOf({ n: { type: format === "double" ? "number" : "integer", format } }))] });
    expect((await call("POST", WIDGETS, widget("a", { spec: { n } }))).status).toBe(201);
  });

  test("errors of the metadata come first, and then rules are not checked", async () => {
    const { call } = harness({
      resources: [widgetCrd(schemaOf({ a: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] } }))],
    });
    const { body } = await call("POST", WIDGETS, { ...widget("a"), metadata: { labels: { a: "-" } }, spec: { a: "x" } });
    const fields = (body["details"].causes as readonly Json[]).map(({ field }) => field);
    expect(fields).toEqual(["metadata.name", "metadata.labels", "spec.a", "<nil>"]);
  });

  test("several errors are in one answer, with a cause for each", async () => {
    const body = await refusal(schemaOf({ a: { type: "integer" }, b: { type: "string" } }, { required: ["c"] }), { a: "x", b: 1 });
    expect(body["message"]).toBe(
      'Widget.example.com "a" is invalid: [spec.a: Invalid value: "string": spec.a in body must be of type integer: "string", spec.b: Invalid value: "integer": spec.b in body must be of type string: "integer", spec.c: Required value]',
    );
    expect(body["details"].causes).toHaveLength(3);
    expect(body["details"].causes[2]).toEqual({ reason: "FieldValueRequired", message: "Required value", field: "spec.c" });
  });

  test("a status is validated as a separate value", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const { status, body } = await merge(`${WIDGETS}/a/status`, { status: { phase: 1 } });
    expect(status).toBe(422);
    expect(body["message"]).toBe(
      'Widget.example.com "a" is invalid: status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    );
  });
});

describe("defaults and unknown fields", () => {
  const schema = schemaOf({
    size: { type: "integer", default: 3 },
    inner: { type: "object", default: {}, properties: { mode: { type: "string", default: "a" } } },
    list: { type: "array", items: { type: "object", properties: { n: { type: "integer", default: 1 } } } },
    open: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { x: { type: "string" } } } },
    },
    nothing: { type: "string", nullable: true },
  });

  test("defaults apply inside of defaults, lists and nulls", async () => {
    const { call } = harness({ resources: [widgetCrd(schema)] });
    const { body } = await call("POST", WIDGETS, widget("a", { spec: { size: null, list: [{}, { n: 5 }], nothing: null } }));
    expect(body["spec"]).toEqual({ size: 3, inner: { mode: "a" }, list: [{ n: 1 }, { n: 5 }], nothing: null });
  });

  test("unknown fields are pruned, except where the schema preserves them", async () => {
    const { call } = harness({ resources: [widgetCrd(schema)] });
    const { body, headers } = await call(
      "POST",
      WIDGETS,
      widget("a", { spec: { what: 1, list: [{ what: 1 }], open: { free: { x: [1] }, known: { y: 1 } } }, top: 1 }),
    );
    expect(body["spec"]).toMatchObject({ list: [{ n: 1 }], open: { free: { x: [1] }, known: {} } });
    expect(body["spec"]).not.toHaveProperty("what");
    expect(body).not.toHaveProperty("top");
    expect(headers["warning"]).toContain('299 - "unknown field \\"spec.what\\""');
  });

  test("fieldValidation Strict refuses unknown fields, Ignore does not report them", async () => {
    const { call, server } = harness({ resources: [widgetCrd(schema)] });
    const strict = await call(
      "POST",
      `${WIDGETS}?fieldValidation=Strict`,
      widget("a", { spec: { what: 1, list: [{ no: 1 }] }, metadata: { odd: 1 } }),
    );
    expect(strict.status).toBe(400);
    expect(strict.body["message"]).toBe(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.odd", unknown field "spec.list[0].no", unknown field "spec.what"',
    );
    const before = server.resourceVersion;
    expect((await call("POST", `${WIDGETS}?fieldValidation=Loose`, widget("a"))).status).toBe(422);
    expect(server.resourceVersion).toBe(before);
    expect((await call("POST", `${WIDGETS}?fieldValidation=Ignore`, widget("a", { spec: { what: 1 } }))).headers).not.toHaveProperty(
      "warning",
    );
  });

  test("an object stored with an older schema is read with the defaults of the new one", async () => {
    const { call, server, merge } = harness({ resources: [widgetCrd(schemaOf({ old: { type: "string" } }))] });
    const stored = (await call("POST", WIDGETS, widget("a", { spec: { old: "x" } }))).body;
    server.install(widgetCrd(schemaOf({ added: { type: "integer", default: 7 } })));
    const read = (await call("GET", `${WIDGETS}/a`)).body;
    expect(read["spec"]).toEqual({ added: 7 });
    expect(read["metadata"].resourceVersion).toBe(stored["metadata"].resourceVersion);
    expect((await call("GET", WIDGETS)).body["items"][0].spec).toEqual({ added: 7 });
    expect((await merge(`${WIDGETS}/a`, { metadata: { labels: { a: "b" } } })).body["spec"]).toEqual({ added: 7 });
  });
});

describe("ratcheting", () => {
  const loose = schemaOf({
    a: { type: "string" },
    b: { type: "string" },
    list: {
      type: "array",
      items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
  });
  const tight = schemaOf({
    a: { type: "string", maxLength: 1 },
    b: { type: "string", maxLength: 1 },
    list: {
      type: "array",
      items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "string", maxLength: 1 } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
  });

  test("a stored value that is invalid in a newer schema passes while it is unchanged", async () => {
    const { call, server, merge } = harness({ resources: [widgetCrd(loose)] });
    await call("POST", WIDGETS, widget("a", { spec: { a: "long", b: "x", list: [{ k: "1", v: "long" }] } }));
    server.install(widgetCrd(tight));
    expect((await merge(`${WIDGETS}/a`, { spec: { b: "y" } })).status).toBe(200);
    expect((await merge(`${WIDGETS}/a`, { metadata: { labels: { x: "y" } } })).status).toBe(200);
    // Items of a list-map are followed by their keys, at any index.
    expect(
      (
        await merge(`${WIDGETS}/a`, {
          spec: {
            list: [
              { k: "0", v: "x" },
              { k: "1", v: "long" },
            ],
          },
        })
      ).status,
    ).toBe(200);
    const changed = await merge(`${WIDGETS}/a`, { spec: { a: "longer" } });
    expect(changed.status).toBe(422);
    expect(changed.body["message"]).toContain("spec.a: Too long");
    expect((await merge(`${WIDGETS}/a`, { spec: { list: [{ k: "0", v: "long" }] } })).status).toBe(422);
    expect((await merge(`${WIDGETS}/a`, { spec: { a: "s" } })).status).toBe(200);
    expect((await merge(`${WIDGETS}/a`, { spec: { a: "long" } })).status).toBe(422);
  });
});

describe("versions and subresources", () => {
  test("an object is served in each version, with its apiVersion and schema", async () => {
    const versions = [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schemaOf({ size: { type: "integer" }, only: { type: "string" } }) },
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: schemaOf({ size: { type: "integer" } }) },
      },
    ];
    const { call, watch } = harness({ resources: [widgetCrd(undefined, {}, { versions })] });
    await call("POST", WIDGETS, widget("a", { spec: { size: 2, only: "x" } }));
    const beta = WIDGETS.replace("/v1/", "/v1beta1/");
    const { body, headers } = await call("GET", `${beta}/a`);
    expect(body).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { size: 2 } });
    expect(body["spec"]).not.toHaveProperty("only");
    expect(headers["warning"]).toBe('299 - "example.com/v1beta1 Widget is deprecated"');
    expect((await call("GET", `${beta}/absent`)).headers["warning"]).toBe(headers["warning"]);
    const [event] = await (await watch(`${beta}?watch=true`)).take();
    expect(event?.["object"].apiVersion).toBe("example.com/v1beta1");
    const made = await call("POST", beta, { ...widget("b"), apiVersion: "example.com/v1beta1" });
    expect(made.body["apiVersion"]).toBe("example.com/v1beta1");
    expect((await call("GET", `${WIDGETS}/b`)).body["apiVersion"]).toBe("example.com/v1");
    expect((await call("GET", "/apis/example.com")).body["preferredVersion"].version).toBe("v1");
  });

  test("scale reads and writes the replicas", async () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        spec: { type: "object", properties: { replicas: { type: "integer", default: 1 } } },
        status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
      },
    };
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" };
    const { call, merge } = harness({ resources: [widgetCrd(schema, { subresources: { status: {}, scale } })] });
    await call("POST", WIDGETS, widget("a", { spec: {} }));
    await merge(`${WIDGETS}/a/status`, { status: { replicas: 4, selector: "a=b" } });
    const { body } = await call("GET", `${WIDGETS}/a/scale`);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 1 },
      status: { replicas: 4, selector: "a=b" },
    });
    const scaled = await merge(`${WIDGETS}/a/scale`, { spec: { replicas: 6 } });
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 6 } });
    expect((await call("GET", `${WIDGETS}/a`)).body).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 2 } });
    expect((await call("PUT", `${WIDGETS}/a/scale`, { ...body, spec: { replicas: 2 } })).status).toBe(409);
    expect((await merge(`${WIDGETS}/a/scale`, { spec: { replicas: -1 } })).status).toBe(422);
  });

  test("the kind of a new CRD is served at once, and its status reports that", async () => {
    const { call } = harness({ resources: [] });
    expect((await call("GET", WIDGETS)).status).toBe(404);
    expect((await call("POST", CRDS, widgetCrd())).status).toBe(201);
    const { body } = await call("GET", `${CRDS}/widgets.example.com`);
    expect(body["status"]).toMatchObject({
      acceptedNames: { plural: "widgets", singular: "widget", listKind: "WidgetList" },
      storedVersions: ["v1"],
    });
    const conditions = Object.fromEntries(body["status"].conditions.map((one: Json) => [one["type"], one["status"]]));
    expect(conditions).toEqual({ NamesAccepted: "True", Established: "True" });
    expect((await call("POST", WIDGETS, widget("a"))).status).toBe(201);
  });

  test.for<{ name: string; crd: object; says: string }>([
    {
      name: "a name that does not fit",
      crd: { ...widgetCrd(), metadata: { name: "x.example.com" } },
      says: 'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
    },
    {
      name: "no stored version",
      crd: widgetCrd(undefined, { storage: false }),
      says: "must have exactly one version marked as storage version",
    },
    {
      name: "a schema without type",
      crd: widgetCrd({ properties: {} }),
      says: "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
    },
    {
      name: "a field without type",
      crd: widgetCrd(schemaOf({ f: {} })),
      says: "properties[f].type: Required value: must not be empty for specified object fields",
    },
    {
      name: "a list without items",
      crd: widgetCrd(schemaOf({ f: { type: "array" } })),
      says: "properties[f].items: Required value: must be specified",
    },
    {
      name: "a bad pattern",
      crd: widgetCrd(schemaOf({ f: { type: "string", pattern: "(" } })),
      says: "must be a valid regular expression, but isn't",
    },
    {
      name: "a default that is not valid",
      crd: widgetCrd(schemaOf({ f: { type: "integer", default: "x" } })),
      says: "properties[f].default: Invalid value",
    },
    {
      name: "a type inside anyOf",
      crd: widgetCrd(schemaOf({ f: { type: "string", anyOf: [{ type: "string" }] } })),
      says: "anyOf[0].type: Forbidden: must be empty to be structural",
    },
    {
      name: "a list-map without keys",
      crd: widgetCrd(schemaOf({ f: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" } })),
      says: "x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    },
    {
      name: "properties beside additionalProperties",
      crd: widgetCrd(schemaOf({ f: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } } })),
      says: "additionalProperties and properties are mutual exclusive",
    },
    {
      name: "no schema",
      crd: widgetCrd(undefined, { schema: undefined }),
      says: "spec.versions[0].schema.openAPIV3Schema: Required value",
    },
    {
      name: "a group without a dot",
      crd: { ...widgetCrd(undefined, {}, { group: "example" }), metadata: { name: "widgets.example" } },
      says: "should be a domain with at least one dot",
    },
    {
      name: "an odd scope",
      crd: widgetCrd(undefined, {}, { scope: "World" }),
      says: 'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    },
    { name: "no spec", crd: { ...widgetCrd(), spec: undefined }, says: "spec.group: Required value" },
  ])("a CRD with $name is refused", async ({ crd, says }) => {
    const { call } = harness({ resources: [] });
    const { status, body } = await call("POST", CRDS, crd);
    expect(body["message"]).toContain(says);
    expect(status).toBe(422);
  });

  test("a CRD can neither change its scope nor drop a version with stored objects", async () => {
    const { call, merge } = harness();
    expect((await merge(`${CRDS}/widgets.example.com`, { spec: { scope: "Cluster" } })).body["message"]).toContain(
      'spec.scope: Invalid value: "Cluster": field is immutable',
    );
    const versions = [{ name: "v2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
    expect((await merge(`${CRDS}/widgets.example.com`, { spec: { versions } })).body["message"]).toContain("status.storedVersions[0]");
    expect((await call("GET", WIDGETS)).status).toBe(200);
  });
});

test("the status of a CRD reports each step of its creation and deletion, and watchers see the deletion of its objects", async () => {
  const { call, server } = harness({ resources: [] });
  const path = `${CRDS}/widgets.example.com`;
  const told = async (): Promise<unknown[]> =>
    (await call("GET", path)).body["status"].conditions.map((one: Json) => [one["type"], one["status"], one["reason"]]);
  const named = [
    ["NamesAccepted", "True", "NoConflicts"],
    ["Established", "True", "InitialNamesAccepted"],
  ];
  const created = widgetCrd();
  await call("POST", CRDS, { ...created, metadata: { ...created.metadata, finalizers: ["example.com/last"] } });
  expect(await told()).toEqual(named);
  await call("POST", WIDGETS, { ...widget("a"), metadata: { name: "a", finalizers: ["example.com/hold"] } });
  await call("DELETE", path);
  expect(await told()).toEqual([...named, ["Terminating", "True", "InstanceDeletionInProgress"]]);
  expect((await call("POST", WIDGETS, widget("b"))).body["message"]).toBe(
    'widgets.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
  );
  await call("PATCH", `${WIDGETS}/a`, { metadata: { finalizers: null } }, { "content-type": "application/merge-patch+json" });
  expect(await told()).toEqual([...named, ["Terminating", "False", "InstanceDeletionCompleted"]]);
  await call("PATCH", path, { metadata: { finalizers: null } }, { "content-type": "application/merge-patch+json" });
  expect((await call("GET", path)).status).toBe(404);
  expect(server.watchCount).toBe(0);
});
