/** Server-side apply for clients. `conformance/` compares it with the real server. */
import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, harness, type Answer, type Harness, type Json, WIDGETS, widget, widgetCrd } from "./harness.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        mode: { type: "string", default: "slow" },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        words: { type: "array", items: { type: "string" } },
        settings: { type: "object", additionalProperties: { type: "string" } },
        whole: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            required: ["port"],
            properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" }, name: { type: "string" } },
          },
        },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" }, count: { type: "integer" } } },
  },
} as const;

interface Applying extends Harness {
  apply(manager: string, body: Json, query?: string): Promise<Answer>;
}

function applying(): Applying {
  const made = harness({ resources: [widgetCrd(schema)] });
  const apply = (manager: string, body: Json, query = ""): Promise<Answer> => {
    const path = body["kind"] === "ConfigMap" ? CONFIG_MAPS : WIDGETS;
    return made.call("PATCH", `${path}/${body["metadata"].name}?fieldManager=${manager}${query}`, body, APPLY);
  };
  return { ...made, apply };
}

const spec = (given: Json): Json => widget("a", { spec: given });

/** Returns the fields of each `manager/subresource`. */
function owners(object: Json): Record<string, unknown> {
  return Object.fromEntries(
    (object["metadata"].managedFields ?? []).map((entry: Json) => [
      `${entry["manager"]}${entry["operation"] === "Update" ? " (update)" : ""}${entry["subresource"] ? `/${entry["subresource"]}` : ""}`,
      entry["fieldsV1"],
    ]),
  );
}

describe("an apply", () => {
  test("of a missing object creates it, and defaults have no owner", async () => {
    const { apply } = applying();
    const { status, body } = await apply("one", spec({ size: 1 }));
    expect(status).toBe(201);
    expect(body["spec"]).toEqual({ size: 1, mode: "slow" });
    expect(owners(body)).toEqual({ one: { "f:spec": { "f:size": {} } } });
  });

  test("that is repeated changes nothing, including times", async () => {
    const { apply, clock } = applying();
    const first = await apply("one", spec({ size: 1, tags: ["x"] }));
    await clock.advance(5000);
    const second = await apply("one", spec({ size: 1, tags: ["x"] }));
    expect(second).toMatchObject({ status: 200, body: first.body });
  });

  test("of equal values by another manager shares the fields", async () => {
    const { apply } = applying();
    await apply("one", spec({ size: 1 }));
    const { status, body } = await apply("two", spec({ size: 1 }));
    expect(status).toBe(200);
    expect(owners(body)).toEqual({ one: { "f:spec": { "f:size": {} } }, two: { "f:spec": { "f:size": {} } } });
    expect((await apply("one", spec({}))).body["spec"]).toMatchObject({ size: 1 });
    expect((await apply("two", spec({}))).body["spec"]).toEqual({ mode: "slow" });
  });

  test("of another manager's field is a conflict that names manager and field, and changes nothing", async () => {
    const { apply, call, merge } = applying();
    await apply("one", spec({ size: 1, settings: { k: "v" }, ports: [{ port: 80, name: "a" }] }));
    await merge(`${WIDGETS}/a`, { spec: { settings: { k: "w" } } }, "editor");
    const before = await call("GET", `${WIDGETS}/a`);
    const { status, body } = await apply("two", spec({ size: 2, settings: { k: "x" }, ports: [{ port: 80, name: "b" }] }));
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: "Conflict",
      message:
        "Apply failed with 3 conflicts: " +
        'conflicts with "editor" using example.com/v1:\n- .spec.settings.k\n' +
        'conflicts with "one":\n- .spec.size\n- .spec.ports[port=80,protocol="TCP"].name',
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "editor" using example.com/v1', field: ".spec.settings.k" },
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.size" },
          { reason: "FieldManagerConflict", message: 'conflict with "one"', field: '.spec.ports[port=80,protocol="TCP"].name' },
        ],
      },
    });
    expect(await call("GET", `${WIDGETS}/a`)).toEqual(before);
    const forced = await apply("two", spec({ size: 2, settings: { k: "x" } }), "&force=true");
    expect(forced.body["spec"]).toMatchObject({ size: 2, settings: { k: "x" } });
    expect(owners(forced.body)).not.toHaveProperty("editor (update)");
  });

  test("removes fields that its manager dropped and no other manager owns", async () => {
    const { apply } = applying();
    await apply("one", spec({ tags: ["x", "y"], settings: { a: "1", b: "2" }, ports: [{ port: 1 }, { port: 2 }], words: ["w"] }));
    await apply("two", spec({ tags: ["y"], settings: { b: "2" }, ports: [{ port: 2, name: "n" }] }));
    const { body } = await apply("one", spec({ tags: ["z"] }));
    expect(body["spec"]).toEqual({
      mode: "slow",
      tags: ["y", "z"],
      settings: { b: "2" },
      ports: [{ port: 2, protocol: "TCP", name: "n" }],
    });
    const { spec: _, ...bare } = spec({});
    const emptied = await apply("two", bare);
    expect(owners(emptied.body)).not.toHaveProperty("two");
    expect(emptied.body["spec"]).toEqual({ mode: "slow", tags: ["z"] });
  });

  test.for([
    { name: "a list without a type", first: { words: ["a"] }, second: { words: ["b"] }, field: ".spec.words" },
    { name: "an atomic map", first: { whole: { a: "1" } }, second: { whole: { b: "2" } }, field: ".spec.whole" },
  ])("takes $name as one value", async ({ first, second, field }) => {
    const { apply } = applying();
    await apply("one", spec(first));
    const { status, body } = await apply("two", spec(second));
    expect(status).toBe(409);
    expect(body["details"].causes.map((cause: Json) => cause["field"])).toEqual([field]);
    expect((await apply("two", spec(second), "&force=true")).body["spec"]).toEqual({ mode: "slow", ...second });
  });

  test("identifies list items by their keys, including defaults", async () => {
    const { apply } = applying();
    await apply("one", spec({ ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] }));
    const { body } = await apply("two", spec({ ports: [{ port: 80, protocol: "TCP", name: "web" }] }));
    expect(body["spec"].ports).toEqual([
      { port: 80, protocol: "TCP", name: "web" },
      { port: 80, protocol: "UDP" },
    ]);
  });

  test.for([
    { name: "a member", given: { tags: ["x", "x"] }, text: '.spec.tags: duplicate entries for key [="x"]' },
    {
      name: "an item",
      given: { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
      text: '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    },
  ])("that repeats $name is refused", async ({ given, text }) => {
    const { apply } = applying();
    const { status, body } = await apply("one", spec(given));
    expect(status).toBe(500);
    expect(body["message"]).toBe(`failed to create typed patch object (/a; example.com/v1, Kind=Widget): ${text}`);
  });

  test("in a dry run answers as a real one, and stores nothing", async () => {
    const { apply, call } = applying();
    const { status, body } = await apply("one", spec({ size: 1 }), "&dryRun=All");
    expect(status).toBe(201);
    expect(owners(body)).toHaveProperty("one");
    expect((await call("GET", `${WIDGETS}/a`)).status).toBe(404);
  });

  test("with a uid never creates an object, with a version it does", async () => {
    const { apply } = applying();
    const uid = { metadata: { uid: "x" } };
    expect((await apply("one", { ...spec({}), metadata: { name: "a", ...uid.metadata } })).status).toBe(409);
    const versioned = { ...spec({ size: 1 }), metadata: { name: "a", resourceVersion: "1" } };
    expect((await apply("one", versioned)).status).toBe(201);
    expect((await apply("one", versioned)).status).toBe(409);
  });

  test("of a status owns only the status, and one of the object never owns it", async () => {
    const { apply, call } = applying();
    await apply("one", { ...spec({ size: 1 }), status: { phase: "x" } });
    const body = { ...spec({ size: 9 }), status: { phase: "y" } };
    const answer = await call("PATCH", `${WIDGETS}/a/status?fieldManager=one`, body, APPLY);
    expect(answer.body).toMatchObject({ spec: { size: 1 }, status: { phase: "y" } });
    expect(owners(answer.body)).toEqual({ one: { "f:spec": { "f:size": {} } }, "one/status": { "f:status": { "f:phase": {} } } });
  });

  test("of an object without managers adds one entry for its fields", async () => {
    const { apply, merge, call } = applying();
    await call("POST", WIDGETS, spec({ size: 1 }));
    await merge(`${WIDGETS}/a`, { metadata: { managedFields: [{}] } });
    const { body } = await apply("one", spec({ settings: { a: "1" } }));
    expect(owners(body)).toEqual({
      "before-first-apply (update)": { "f:spec": { ".": {}, "f:size": {}, "f:mode": {} } },
      one: { "f:spec": { "f:settings": { "f:a": {} } } },
    });
  });

  test("accepts YAML, and null for an absent built-in field", async () => {
    const { call, apply } = applying();
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  k: v\n";
    expect((await call("PATCH", `${CONFIG_MAPS}/m?fieldManager=one`, yaml, APPLY)).body["data"]).toEqual({ k: "v" });
    expect((await apply("one", configMap("m", { data: null }))).body).not.toHaveProperty("data");
  });

  test("stores an empty text for null in a map of a built-in kind", async () => {
    const { apply } = applying();
    expect((await apply("one", configMap("m", { data: { a: null, b: "c" } }))).body["data"]).toEqual({ a: "", b: "c" });
    expect((await apply("one", configMap("m", { data: { a: null } }))).body["data"]).toEqual({ a: "" });
  });

  test.for([
    { name: "without a manager", query: "", body: spec({}), status: 422 },
    { name: "of another kind", query: "fieldManager=x", body: { ...spec({}), kind: "Gadget" }, status: 400 },
    { name: "without a kind", query: "fieldManager=x", body: { metadata: { name: "a" } }, status: 400 },
    { name: "with managedFields", query: "fieldManager=x", body: { ...spec({}), metadata: { name: "a", managedFields: [] } }, status: 400 },
    { name: "with a field that the kind does not have", query: "fieldManager=x", body: spec({ nope: 1 }), status: 500 },
    { name: "that is no object", query: "fieldManager=x", body: "[1]", status: 400 },
  ])("$name is refused", async ({ query, body, status }) => {
    const { call } = applying();
    expect((await call("PATCH", `${WIDGETS}/a?${query}`, body, APPLY)).status).toBe(status);
  });
});

test("managers of other versions keep their fields, in whichever version another manager applies", async () => {
  const version = (name: string, storage: boolean): object => ({ name, served: true, storage, schema: { openAPIV3Schema: schema } });
  const { call } = harness({ resources: [widgetCrd(schema, {}, { versions: [version("v1", true), version("v2", false)] })] });
  const apply = (v: string, manager: string, given: Json, query = ""): Promise<Answer> =>
    call(
      "PATCH",
      `${WIDGETS.replace("v1", v)}/a?fieldManager=${manager}${query}`,
      { ...spec(given), apiVersion: `example.com/${v}` },
      APPLY,
    );
  await apply("v1", "one", { size: 1, tags: ["x"] });
  expect((await apply("v2", "two", { size: 2 })).status).toBe(409);
  expect((await apply("v2", "two", { tags: ["y"] })).body["spec"].tags).toEqual(["x", "y"]);
  const { body } = await apply("v2", "one", { size: 3 });
  expect(body["spec"]).toEqual({ mode: "slow", size: 3, tags: ["y"] });
  expect(body["metadata"].managedFields.map((entry: Json) => [entry["manager"], entry["apiVersion"]]).toSorted()).toEqual([
    ["one", "example.com/v2"],
    ["two", "example.com/v2"],
  ]);
});

test("empty labels are not stored, but each apply of them in another second counts as a change", async () => {
  const { apply, clock } = applying();
  const empty = { ...spec({ size: 1 }), metadata: { name: "a", labels: {} } };
  const first = await apply("one", empty);
  expect(first.body["metadata"]).not.toHaveProperty("labels");
  expect((await apply("one", empty)).body).toEqual(first.body);
  await clock.advance(1000);
  expect((await apply("one", empty)).body["metadata"].resourceVersion).not.toBe(first.body["metadata"].resourceVersion);
});

test("an apply to the status of a built-in kind can own metadata, but no labels of a Deployment", async () => {
  const { call } = applying();
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const identity = { apiVersion: "apps/v1", kind: "Deployment" };
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  await call("POST", deployments, { ...identity, metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } });
  const metadata = { name: "d", labels: { l: "x" }, annotations: { n: "y" } };
  const { body } = await call(
    "PATCH",
    `${deployments}/d/status?fieldManager=one`,
    { ...identity, metadata, status: { replicas: 1 } },
    APPLY,
  );
  expect(body["metadata"]).toMatchObject({ generation: 1, annotations: { n: "y" } });
  expect(body["metadata"]).not.toHaveProperty("labels");
  expect(owners(body)["one/status"]).toEqual({ "f:metadata": { "f:annotations": { "f:n": {} } }, "f:status": { "f:replicas": {} } });
});
