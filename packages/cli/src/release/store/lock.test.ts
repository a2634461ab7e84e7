import { expect, test } from "vitest";
import { type Lock, LOCK_MS, lockIn, viewOf } from "./lock.ts";

const lock: Lock = { id: "a", holder: "ada@laptop", command: "apply", since: "t0", renewed: "t0" };

test("a release without a lock is free", () => {
  expect(viewOf(undefined, undefined, 0)).toEqual({ type: "free", former: undefined });
});

test("a lock is looked at again until it changes, whatever its times are", () => {
  const first = viewOf(lock, undefined, 1_000);
  expect(first).toEqual({ type: "unknown", seen: { lock, atMs: 1_000 }, leftMs: LOCK_MS });
  expect(viewOf(lock, { lock, atMs: 1_000 }, 6_000)).toMatchObject({ type: "unknown", leftMs: LOCK_MS - 5_000 });
});

test("a lock that was renewed is held", () => {
  expect(viewOf({ ...lock, renewed: "t1" }, { lock, atMs: 0 }, 5_000)).toMatchObject({ type: "held" });
});

test("a lock that another run took meanwhile is held", () => {
  expect(viewOf({ ...lock, id: "b" }, { lock, atMs: 0 }, LOCK_MS)).toMatchObject({ type: "held", lock: { id: "b" } });
});

test("a lock that nobody renews for its duration is free", () => {
  expect(viewOf(lock, { lock, atMs: 0 }, LOCK_MS)).toEqual({ type: "free", former: lock });
});

test.for([undefined, "", "{", "[]", "{}", '{"id":1,"holder":"x"}'])("the text %j is no lock", (text) => {
  expect(lockIn(text)).toBeUndefined();
});
