import { TurnBudget } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { answerText } from "./answer-text.ts";

async function textOf(answer: object): Promise<readonly string[]> {
  const pieces: string[] = [];
  for await (const piece of answerText(answer, new TurnBudget({ maxPieces: 10 }))) pieces.push(piece);
  return pieces;
}

const converted = (objects: readonly unknown[]): object => ({
  kind: "ConversionReview",
  response: { convertedObjects: objects, uid: "u" },
});

test.for([
  ["a review without a list", { kind: "AdmissionReview", response: { uid: "u", allowed: true } }],
  ["an empty list", converted([])],
  ["one object", converted([{ a: 1 }])],
  ["a hundred objects", converted(Array.from({ length: 100 }, (_, at) => ({ at })))],
] as const)("the text of %s has its fields", async ([, answer]) => {
  expect(JSON.parse((await textOf(answer)).join(""))).toEqual(answer);
});

test("a long list is sent in pieces", async () => {
  const answer = converted(Array.from({ length: 100 }, () => ({ text: "x".repeat(5_000) })));
  const pieces = await textOf(answer);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(80_000);
  expect(JSON.parse(pieces.join(""))).toEqual(answer);
});

test("an object of 9,000 levels is written, between others", async () => {
  const deep = JSON.parse(`${'{"a":[1,'.repeat(4_500)}"x\\n"${"]}".repeat(4_500)}`) as object;
  const text = (await textOf(converted([{ b: null }, deep, {}]))).join("");
  expect(text).toContain(`,${'{"a":[1,'.repeat(4_500)}"x\\n"${"]}".repeat(4_500)},{}]}}`);
});
