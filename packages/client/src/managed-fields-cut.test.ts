import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutManagedFields } from "./managed-fields-cut.ts";

const list = (...metadata: readonly object[]): string =>
  JSON.stringify({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "7" },
    items: metadata.map((each) => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: each })),
  });
const event = (metadata: object, type = "MODIFIED"): string =>
  JSON.stringify({ type, object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } });
const of = (manager: string, fieldsV1: object = { "f:data": {} }): object => ({
  manager,
  operation: "Update",
  fieldsType: "FieldsV1",
  fieldsV1,
});

describe("managedFields", () => {
  test("are cut out of each item of a list", () => {
    expect(cutManagedFields(list({ name: "a", managedFields: [of("x")] }, { name: "b", managedFields: [of("x"), of("y")] }), [])).toBe(
      list({ name: "a" }, { name: "b" }),
    );
  });

  test.for(["ADDED", "MODIFIED", "DELETED"])("are cut out of the event %s", (type, { expect }) => {
    expect(cutManagedFields(event({ name: "a", managedFields: [of("x")] }, type), [])).toBe(event({ name: "a" }, type));
  });

  test("before other fields are cut, as in answers with sorted keys", () => {
    expect(cutManagedFields(list({ labels: { a: "b" }, managedFields: [of("x")], name: "a" }), [])).toBe(
      list({ labels: { a: "b" }, name: "a" }),
    );
  });

  test("of a kept manager, and of its units, stay whole, and those of other items are cut", () => {
    const kept = { name: "a", managedFields: [of("x"), of("ours/config/uid")] };
    expect(cutManagedFields(list(kept, { name: "b", managedFields: [of("x")] }, kept), ["theirs", "ours"])).toBe(
      list(kept, { name: "b" }, kept),
    );
  });

  test("with quotes, backslashes, brackets and braces in their keys are cut whole", () => {
    const fields = { 'k:{"name":"a\\\\"}': { ".": {} }, 'k:{"name":"}]"}': {}, 'v:"\\""': {}, "f:[{": {} };
    expect(cutManagedFields(list({ name: "a", managedFields: [of("x", fields)], uid: "u" }), [])).toBe(list({ name: "a", uid: "u" }));
  });

  test("that are empty are cut", () => {
    expect(cutManagedFields(list({ name: "a", managedFields: [] }), [])).toBe(list({ name: "a" }));
  });
});

describe("a text stays as it is", () => {
  const whole = { kind: "ConfigMapList", items: [{ metadata: { name: "a", managedFields: [of("x")] } }] };
  test.for([
    { name: "of whole objects", text: JSON.stringify(whole) },
    {
      name: "of an object that holds metadata",
      text: JSON.stringify({ kind: "Backup", spec: JSON.parse(list({ name: "a", managedFields: [] })) }),
    },
    { name: "whose text value looks like managedFields", text: list({ name: "a", annotations: { a: ',"managedFields":[{}]' } }) },
    { name: "whose managedFields come first", text: list({ managedFields: [of("x")], name: "a" }) },
    { name: "with managedFields that are not a list", text: list({ name: "a", managedFields: null }) },
    {
      name: "with blanks and line ends",
      text: JSON.stringify(JSON.parse(list({ name: "a", managedFields: [of("x")] })), null, 2).replaceAll("\n", "\r\n"),
    },
    { name: "that is cut in a list", text: list({ name: "a", managedFields: [of("x")] }).slice(0, -30) },
    { name: "that is cut in a text", text: '{"kind":"PartialObjectMetadataList","items":[{"metadata":{"name":"a","managedFields":["' },
    { name: "of a bookmark", text: event({ resourceVersion: "1" }, "BOOKMARK") },
    { name: "that is empty", text: "" },
  ])("$name", ({ text }, { expect }) => {
    expect(cutManagedFields(text, [])).toBe(text);
  });

  test("for a manager whose name Go may escape", () => {
    const text = list({ name: "a", managedFields: [of("x")] });
    expect(cutManagedFields(text, ["a&b"])).toBe(text);
  });
});

/**
 * For any metadata, cutting the text equals removing the lists from the value: no other field changes, and a list stays exactly when
 * the name of one of its managers begins with a kept one.
 */
test("cutting the text equals removing the fields after parsing", () => {
  const metadata = fc.record({
    name: fc.string(),
    annotations: fc.dictionary(fc.string(), fc.string()),
    managedFields: fc.array(fc.record({ manager: fc.constantFrom("x", "ours", "ours/u"), fieldsV1: fc.jsonValue() })),
    ownerReferences: fc.array(fc.record({ name: fc.string({ unit: "binary" }) })),
  });
  fc.assert(
    fc.property(fc.array(metadata), fc.constantFrom([], ["ours"], ["none"]), (items, keep) => {
      const want = items.map(({ managedFields, ...rest }) =>
        managedFields.some(({ manager, fieldsV1 }) =>
          keep.some((name) => JSON.stringify({ manager, fieldsV1 }).includes(`"manager":"${name}`)),
        )
          ? { ...rest, managedFields }
          : rest,
      );
      expect(JSON.parse(cutManagedFields(list(...items), keep))).toEqual(JSON.parse(list(...want)));
    }),
    { numRuns: 50 },
  );
});
