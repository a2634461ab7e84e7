/** Properties of the aggregation: the reason does not depend on the order of the resources, and is that with the highest rank. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { highest, messageOf } from "./findings.ts";
import { type ComponentReason, componentReasons } from "./reasons.ts";

interface Told {
  readonly resource: never;
  readonly reason: ComponentReason;
  readonly message: string;
}

const REASONS = Object.keys(componentReasons) as readonly ComponentReason[];
const WORDS = fc.array(
  fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), reason: fc.constantFrom(...REASONS), message: fc.stringMatching(/^[a-z ]{0,6}$/) }),
  { minLength: 1, maxLength: 8 },
);
const told = (words: readonly { readonly name: string; readonly reason: ComponentReason; readonly message: string }[]): readonly Told[] =>
  words.map(({ name, reason, message }) => ({ resource: { name } as never, reason, message }));
const partsOf = (message: string | undefined): readonly string[] => (message ?? "").split("; ").toSorted();

test("the reason does not depend on the order, and the message is a permutation of its parts", () => {
  const shuffled = WORDS.chain((words) => fc.tuple(fc.constant(words), fc.shuffledSubarray(words, { minLength: words.length })));
  fc.assert(
    fc.property(shuffled, ([words, others]) => {
      const [one, two] = [highest(told(words)), highest(told(others))];
      // Reasons of one rank are exchangeable: the first of the list decides.
      expect(componentReasons[one?.reason ?? "Unknown"].rank).toBe(componentReasons[two?.reason ?? "Unknown"].rank);
      if (one?.reason === two?.reason) expect(partsOf(one?.message)).toEqual(partsOf(two?.message));
    }),
  );
});

test("no word has a higher rank than the reason, and only words of the reason are in the message", () => {
  fc.assert(
    fc.property(WORDS, (words) => {
      const top = highest(told(words));
      const reason = top?.reason ?? "Unknown";
      expect(Math.max(...words.map((word) => componentReasons[word.reason].rank))).toBe(componentReasons[reason].rank);
      expect(top?.message).toBe(messageOf(told(words.filter((word) => word.reason === reason))));
    }),
  );
});

test("a message names each resource, also one without a text", () => {
  expect(
    messageOf([
      { resource: { name: "web" }, message: "it is not ready" },
      { resource: { name: "store" }, message: "" },
    ]),
  ).toBe("web: it is not ready; store");
});

test("there is no reason without words", () => {
  expect(highest([])).toBeUndefined();
});

test("reasons of one rank differ in their use: a word of a resource is Error or Blocked, never the other", () => {
  const ranks = Map.groupBy(REASONS, (reason) => componentReasons[reason].rank);
  const shared = [...ranks.values()].filter((reasons) => reasons.length > 1);
  expect(shared).toEqual([
    ["Error", "FeatureGateError"],
    ["Blocked", "PrerequisiteNotMet"],
  ]);
});
