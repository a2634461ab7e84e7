import { expect, test } from "vitest";
import { checkFields, MAX_FIELDS, PLAN_SHAPE, TOO_MANY_FIELDS } from "./fields.ts";

const problems = (count: number): Buffer => Buffer.alloc(count * 2).fill(Buffer.from([0x0a, 0]));

test("a message may have as many fields as the limit says, with those that it does not know", () => {
  checkFields(Buffer.alloc(MAX_FIELDS * 2).fill(Buffer.from([0x7a, 0])), PLAN_SHAPE);
  expect(() => checkFields(problems(MAX_FIELDS + 1), PLAN_SHAPE)).toThrow(TOO_MANY_FIELDS);
});

test("bytes of objects are not read as fields", () => {
  const object = problems(50);
  // Dependents, a dependent, its object.
  const message = Buffer.concat([Buffer.from([0x12, 104, 0x0a, 102, 0x12, 100]), object]);
  const many = Buffer.concat(Array.from({ length: 5_000 }, () => message));
  checkFields(many, PLAN_SHAPE);
});

test.for([
  { name: "a number without an end", bytes: [0xff, 0xff, 0xff] },
  { name: "a length without an end", bytes: [0x12, 0x80] },
  { name: "a length beyond the end", bytes: [0x12, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x0a] },
  { name: "numbers, groups and fixed sizes", bytes: [0x08, 0x96, 0x01, 0x0b, 0x0c, 0x0d, 1, 2, 3, 4, 0x09, 1, 2, 3, 4, 5, 6, 7, 8] },
  { name: "wire types that do not exist", bytes: [0x0e, 0x01, 0x0f, 0x01] },
])("the check of $name ends", ({ bytes }) => {
  expect(checkFields(Buffer.from(bytes), PLAN_SHAPE)).toBeUndefined();
});
