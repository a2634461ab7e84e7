import { expect, test } from "vitest";
import { type Entry, violations } from "./audit.ts";

const history = (...told: readonly (readonly [Entry["type"], string])[]): readonly Entry[] =>
  told.map(([type, who], index) => ({ version: BigInt(index), type, who, at: 0 }));

test("the audit finds a write without the lease", () => {
  const entries = history(["lease", "a"], ["write", "a"], ["lease", "b"], ["write", "b"], ["write", "a"]);
  expect(violations(entries)).toEqual(["a wrote version 4 while b held the lease"]);
});

test("a paused process may send the write that it was about to send, and no other", () => {
  const entries = history(["lease", "a"], ["lease", "b"], ["write", "a"], ["write", "a"]);
  expect(violations(entries, new Map([["a", 2]]))).toEqual([]);
  expect(violations(entries, new Map([["a", 1]]))).toEqual(["a wrote version 3 while b held the lease"]);
});
