/** Kinds whose versions have different fields. `conformance/scenarios/differing-versions.ts` compares the answers with the real ones. */
import { expect, test } from "vitest";
import { type Harness, harness, type Json, widget, widgetCrd } from "./harness.ts";

const text = { type: "string" } as const;
const withDefault = { ...text, default: "d" } as const;
const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;

function served(v1: Json, v2: Json): Harness {
  const versions = Object.entries({ v1, v2 }).map(([name, properties]) => {
    const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
    return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema } };
  });
  return harness({ resources: [widgetCrd(undefined, {}, { versions })] });
}

async function labelled(made: Harness, version: string): Promise<Json> {
  return (await made.merge(`${path(version)}/a`, { metadata: { labels: { a: version } } })).body["metadata"] as Json;
}

test("an update through a version with another default brings a new generation, and no managers", async () => {
  const made = served({ a: text }, { a: text, b: withDefault });
  await made.call("POST", path("v1"), widget("a", { spec: { a: "1" } }));
  const { generation, managedFields } = await labelled(made, "v2");
  expect([generation, managedFields]).toEqual([2, undefined]);
});

test("an update through a version with the same fields adds a manager of that version", async () => {
  const made = served({ a: text }, { a: text });
  await made.call("POST", path("v1"), widget("a", { spec: { a: "1" } }));
  const { generation, managedFields } = await labelled(made, "v2");
  expect([generation, managedFields.map((entry: Json) => entry["apiVersion"])]).toEqual([1, ["example.com/v1", "example.com/v2"]]);
});

test("an update through a version with a field of another type removes the managers", async () => {
  const made = served({ a: text }, { a: { type: "integer" } });
  await made.call("POST", path("v1"), widget("a", { spec: { a: "1" } }));
  expect((await labelled(made, "v2"))["managedFields"]).toBeUndefined();
});

test("an apply is refused when another manager's version does not have a field", async () => {
  const made = served({ a: text, b: withDefault }, { a: text });
  const apply = (version: string): ReturnType<Harness["call"]> =>
    made.call(
      "PATCH",
      `${path(version)}/a?fieldManager=${version}`,
      { ...widget("a", { spec: { a: "1" } }), apiVersion: `example.com/${version}` },
      { "content-type": "application/apply-patch+yaml" },
    );
  expect((await apply("v2")).status).toBe(201);
  const { status, body } = await apply("v1");
  expect([status, body["message"]]).toEqual([500, ".spec.b: field not declared in schema"]);
});

test("a write through a version that lacks a default of the stored version stores the object without it", async () => {
  const made = served({ a: text, b: withDefault }, { a: text });
  const created = (await made.call("POST", path("v1"), widget("a", { spec: { a: "1" } }))).body;
  const read = (await made.call("GET", `${path("v2")}/a`)).body;
  const written = (await made.call("PUT", `${path("v2")}/a`, read)).body;
  expect(written["metadata"].resourceVersion).not.toBe(created["metadata"].resourceVersion);
  expect((await made.call("GET", `${path("v1")}/a`)).body["spec"]).toEqual({ a: "1", b: "d" });
});
