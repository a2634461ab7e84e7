import { expect, test } from "vitest";
import { equalSets, fieldElement, type FieldSet, FieldSetBuilder, fromFieldsV1 } from "./field-set.ts";
import { readForm, storedForm } from "./stored-sets.ts";

function setOf(...fields: readonly string[]): FieldSet {
  const set = new FieldSetBuilder();
  for (const field of fields) set.add({ parent: { parent: undefined, element: fieldElement("spec") }, element: fieldElement(field) });
  return set.build();
}

test("equal sets share one frozen stored form, which is read back as an equal set", () => {
  const form = storedForm(setOf("a", "b"));
  expect(form).toEqual({ "f:spec": { "f:a": {}, "f:b": {} } });
  expect(storedForm(setOf("b", "a"))).toBe(form);
  expect(Object.isFrozen(form["f:spec"])).toBe(true);
  expect(equalSets(readForm(form) ?? setOf(), setOf("a", "b"))).toBe(true);
});

test("each stored form is that of its set, even when many and long forms fill the cache", () => {
  for (let i = 0; i < 2500; i++) {
    const set = setOf(`field-${i}`);
    expect(readForm(JSON.parse(JSON.stringify(storedForm(set))))).toEqual(fromFieldsV1({ "f:spec": { [`f:field-${i}`]: {} } }));
  }
  const long = setOf(...Array.from({ length: 2000 }, (_, i) => `field-${i}`));
  expect(storedForm(long)).toEqual(storedForm(setOf(...Array.from({ length: 2000 }, (_, i) => `field-${i}`))));
});

test("an invalid stored form is not read", () => {
  expect(readForm({ nonsense: {} })).toBeUndefined();
  expect(readForm(undefined)).toEqual(fromFieldsV1({}));
});
