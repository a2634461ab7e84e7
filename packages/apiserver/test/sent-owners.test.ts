/** managedFields that a client sends. `conformance/scenarios/sent-owners.ts` compares the answers with the real ones. */
import { beforeEach, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, type Harness, harness, type Json, widget, WIDGETS } from "./harness.ts";

const ENTRY = {
  manager: "sent",
  operation: "Update",
  apiVersion: "v1",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {} } },
};

let made: Harness;
beforeEach(async () => {
  made = harness();
  await made.call("POST", CONFIG_MAPS, configMap("a", { data: { a: "1" } }));
});

async function managersAfter(managedFields: unknown): Promise<readonly unknown[]> {
  const { body } = await made.call("PUT", `${CONFIG_MAPS}/a`, configMap("a", { metadata: { managedFields }, data: { a: "1" } }));
  return (body["metadata"].managedFields ?? []).map((entry: Json) => entry["manager"]) as readonly unknown[];
}

test("valid entries replace those of the object", async () => {
  expect(await managersAfter([ENTRY])).toEqual(["sent"]);
});

test.for([
  { name: "an unknown operation", entry: { operation: "Odd" } },
  { name: "an unknown type", entry: { fieldsType: "FieldsV2" } },
  { name: "no type", entry: { fieldsType: undefined } },
  { name: "no version", entry: { apiVersion: undefined } },
  { name: "an element without a type", entry: { fieldsV1: { data: {} } } },
  { name: "keys that are not JSON", entry: { fieldsV1: { "f:data": { "k:{": {} } } } },
  { name: "an index that is not a number", entry: { fieldsV1: { "f:data": { "i:x": {} } } } },
])("an entry with $name keeps the entries of the object, also beside a valid one", async ({ entry }) => {
  expect(await managersAfter([{ ...ENTRY, ...entry }])).toEqual(["tester"]);
  expect(await managersAfter([ENTRY, { ...ENTRY, manager: "other", ...entry }])).toEqual(["tester"]);
});

test("an entry without known elements removes the entries of the object", async () => {
  expect(await managersAfter([{ ...ENTRY, fieldsV1: { "x:data": {} } }])).toEqual([]);
});

test("a version that is no version of a custom kind leaves the object without entries", async () => {
  await made.call("POST", WIDGETS, widget("a"));
  for (const apiVersion of ["v9", "apps/v1", "a/b/c"]) {
    const { body } = await made.merge(`${WIDGETS}/a`, { metadata: { managedFields: [{ ...ENTRY, apiVersion }] }, spec: { size: 2 } });
    expect(body["metadata"].managedFields).toBeUndefined();
  }
});

test.for([
  { field: "manager", value: "x".repeat(129), message: "Too long: may not be more than 128 bytes" },
  { field: "manager", value: "a\u0001", message: 'Invalid value: "a\\x01": invalid character U+0001 (at position 1)' },
  { field: "subresource", value: "s".repeat(257), message: "Too long: may not be more than 256 bytes" },
])("an entry with an invalid $field is refused: $message", async ({ field, value, message }) => {
  const managedFields = [{ ...ENTRY, [field]: value }];
  const { status, body } = await made.call("PUT", `${CONFIG_MAPS}/a`, configMap("a", { metadata: { managedFields }, data: { a: "1" } }));
  expect([status, body["message"]]).toEqual([422, `ConfigMap "a" is invalid: metadata.managedFields[0].${field}: ${message}`]);
});
