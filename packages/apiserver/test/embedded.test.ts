/** Objects inside custom resources. `conformance/scenarios/embedded.ts` compares the answers with the real ones. */
import { beforeEach, expect, test } from "vitest";
import { type Harness, harness, type Json, widget, widgetCrd, WIDGETS } from "./harness.ts";

const embedded = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } as const;
const schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { one: embedded, list: { type: "array", items: embedded } } },
    status: { type: "object", properties: { one: embedded } },
  },
} as const;
const POD = { apiVersion: "v1", kind: "Pod" };
const unknown = (...paths: readonly string[]): string => paths.map((path) => `299 - "unknown field \\"${path}\\""`).join(", ");

let made: Harness;
beforeEach(() => {
  made = harness({ resources: [widgetCrd(schema)] });
});

async function create(metadata: unknown, query = ""): ReturnType<Harness["call"]> {
  return made.call("POST", `${WIDGETS}${query}`, widget("a", { spec: { one: { ...POD, metadata } } }));
}

test("unknown fields of embedded metadata are removed, with a warning", async () => {
  const { headers, body } = await create({
    name: "x",
    foo: "bar",
    ownerReferences: [{ apiVersion: "v1", kind: "A", name: "b", uid: "c", x: 1 }],
  });
  expect(headers["warning"]).toBe(unknown("spec.one.metadata.foo", "spec.one.metadata.ownerReferences[0].x"));
  expect(body["spec"].one.metadata).toEqual({ name: "x", ownerReferences: [{ apiVersion: "v1", kind: "A", name: "b", uid: "c" }] });
});

test("unknown fields of embedded metadata are refused with fieldValidation=Strict", async () => {
  const { status, body } = await create({ foo: "bar" }, "?fieldValidation=Strict");
  expect([status, body["message"]]).toEqual([
    400,
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.one.metadata.foo"',
  ]);
});

test("warnings name the fields of the metadata first, then those of the schema, then those of embedded objects", async () => {
  const object = widget("a", { spec: { list: [{ ...POD, metadata: { foo: 1 } }], abc: 1 }, metadata: { zoo: 1 }, aaa: 1 });
  const { headers } = await made.call("POST", WIDGETS, object);
  expect(headers["warning"]).toBe(unknown("metadata.zoo", "aaa", "spec.abc", "spec.list[0].metadata.foo"));
});

test.for([
  { name: "null", given: null, want: {} },
  { name: "empty fields", given: { labels: {}, finalizers: [], namespace: "", creationTimestamp: null }, want: {} },
  {
    name: "a time with fractions",
    given: { creationTimestamp: "2020-01-01T00:00:00.123Z" },
    want: { creationTimestamp: "2020-01-01T00:00:00Z" },
  },
  { name: "fields of the server", given: { uid: "u", generation: 5 }, want: { uid: "u", generation: 5 } },
])("embedded metadata with $name is stored as Go reads it", async ({ given, want }) => {
  expect((await create(given)).body["spec"].one.metadata).toEqual(want);
});

test.for([
  {
    metadata: { name: 5 },
    message:
      'spec.one.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  },
  { metadata: "x", message: 'spec.one.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta' },
])("embedded metadata of a wrong type is refused: $metadata", async ({ metadata, message }) => {
  const { status, body } = await create(metadata);
  expect([status, body["message"]]).toEqual([400, `Widget in version "v1" cannot be handled as a Widget: ${message}`]);
});

test.for([
  { metadata: { labels: { "a b": "c" } }, field: "labels" },
  { metadata: { name: "a/b" }, field: "name" },
  { metadata: { namespace: "Bad_" }, field: "namespace" },
  { metadata: { generation: -5 }, field: "generation" },
  { metadata: { managedFields: [{ operation: "Odd" }] }, field: "managedFields[0].operation" },
  { metadata: { managedFields: [{ operation: "Apply", manager: "x".repeat(129) }] }, field: "managedFields[0].manager" },
])("embedded metadata with an invalid $field is refused", async ({ metadata, field }) => {
  const { status, body } = await create(metadata);
  expect([status, body["details"]?.causes?.map((cause: Json) => cause["field"])]).toEqual([422, [`spec.one.metadata.${field}`]]);
});

test("a name of an embedded object need not be one of its kind, and an update of the status validates none", async () => {
  expect((await create({ name: "Bad Name" })).status).toBe(201);
  const status = { one: { ...POD, metadata: { labels: { "a b": "c" }, foo: 1 } } };
  const { headers, body } = await made.merge(`${WIDGETS}/a/status`, { status });
  expect([headers["warning"], body["status"].one.metadata]).toEqual([unknown("status.one.metadata.foo"), { labels: { "a b": "c" } }]);
});
