import { expect, test } from "vitest";
import { parseJson } from "./content.ts";

test.for([
  {
    name: "a number that is too big is refused, because it would be stored as null",
    given: '{"a":"1e400","b":-2.5E+999}',
    want: "-2.5E+999",
  },
  { name: "a single number that is too big is refused", given: "[1e400]", want: "1e400" },
])("$name", ({ given, want }) => {
  expect(() => parseJson(given)).toThrow(new SyntaxError(`json: cannot unmarshal number ${want} into Go value of type float64`));
});

test("a text that only looks like a number that is too big is accepted: a uid, a name, a large negative exponent", () => {
  const value = { uid: "00000000-0000-4000-8e40-00000008e400", 'a"1e400': 1e3, small: 0 };
  expect(parseJson('{"uid":"00000000-0000-4000-8e40-00000008e400","a\\"1e400":1e3,"small":1e-400}')).toEqual(value);
});
