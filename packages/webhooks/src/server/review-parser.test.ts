import fc from "fast-check";
import { expect, test } from "vitest";
import { ReviewParser } from "./review-parser.ts";

function parsed(text: string, chunkBytes = 7): unknown {
  const bytes = Buffer.from(text);
  const parser = new ReviewParser();
  for (let at = 0; at < bytes.length; at += chunkBytes) parser.push(bytes.subarray(at, at + chunkBytes));
  return parser.result();
}

const review = (objects: unknown): unknown => ({ kind: "ConversionReview", request: { uid: "u", objects, desiredAPIVersion: "v1" } });

test("a review in chunks of any size is what JSON.parse makes of its text", () => {
  const size = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), size, fc.boolean(), (objects, bytes, isIndented) => {
      const text = JSON.stringify(review(objects), undefined, isIndented ? 2 : undefined);
      expect(parsed(text, bytes)).toEqual(JSON.parse(text));
    }),
  );
});

test("any other JSON text is parsed, too", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parsed(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.for([
  ["an empty text", ""],
  ["a text that ends within an object", '{"request":{"objects":[{"a":1'],
  ["a text that ends within the list", '{"request":{"objects":[{"a":1}'],
  ["an object that is not JSON", '{"request":{"objects":[{a:1}]}}'],
  ["objects without a comma", '{"request":{"objects":[{} {}]}}'],
  ["a closing brace too many", '{"request":{"objects":[{}]}}}'],
  ["brackets that do not match", '{"request":{"objects":[{]}]}}'],
  ["two values", "{}{}"],
] as const)("%s is refused", ([, text]) => {
  expect(() => parsed(text)).toThrow(SyntaxError);
});
