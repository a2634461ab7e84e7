import { describe, expect, test } from "vitest";
import { History } from "./history.ts";
import type { Change, Entry } from "./store.ts";

const entry = { key: "a", namespace: "" } as Entry; // no test reads more of it

/** Makes a history with one change per revision, from `from` to `to`, at the given time. */
function changed(history: History<Change>, from: number, to: number, timeMs: number): void {
  for (let revision = from; revision <= to; revision++)
    history.push({ type: "MODIFIED", revision, entry, previous: entry, timeMs } satisfies Change);
}

function compacted(isCached = true): History<Change> {
  return new History({ limit: 1_000_000, isCompacted: true }, isCached, { list: 0, watch: 0 });
}

function firstAfter(history: History<Change>, revision: number): number | undefined {
  return history.changesAfter(revision)?.[0]?.revision;
}

describe("a watch cache", () => {
  test("keeps the last 100 changes, however old they are", () => {
    const history = compacted();
    changed(history, 1, 100, 0);
    history.compactTo(100);
    expect(firstAfter(history, 0)).toBe(1);
    changed(history, 101, 101, 100_000);
    expect(history.watchFloor).toBe(1);
    expect(history.changesAfter(0)).toBeUndefined();
    expect(firstAfter(history, 1)).toBe(2);
  });

  test("keeps all changes of the last 75 seconds", () => {
    const history = compacted();
    changed(history, 1, 1000, 0);
    changed(history, 1001, 1500, 74_000);
    expect(firstAfter(history, 0)).toBe(1);
  });

  test("shrinks when its changes are old", () => {
    const history = compacted();
    changed(history, 1, 1000, 0);
    changed(history, 1001, 1900, 200_000);
    changed(history, 1901, 2000, 400_000);
    expect(history.changesAfter(1000)).toBeUndefined();
    expect(firstAfter(history, 1900)).toBe(1901);
  });

  test("drops nothing else, so its memory is bounded by the changes of two compactions and its own", () => {
    const history = compacted();
    for (let round = 1; round <= 50; round++) {
      changed(history, round * 1000 - 999, round * 1000, round * 300_000);
      history.compactTo(Math.max(0, round - 1) * 1000);
    }
    expect(history.size).toBeLessThanOrEqual(3000);
    expect(history.watchFloor).toBeGreaterThan(47_000);
  });

  test("begins again when the definition of the kind changes, while older versions can be listed", () => {
    const history = compacted();
    changed(history, 1, 10, 0);
    history.expireWatches(12);
    expect(history.changesAfter(11)).toBeUndefined();
    expect(history.changesAfter(12)).toEqual([]);
    expect([...history.undone(5)].map(({ revision }) => revision)).toEqual([10, 9, 8, 7, 6]);
  });
});

describe("a compaction", () => {
  test("forgets what only lists of older versions need", () => {
    const history = compacted();
    changed(history, 1, 300, 0);
    changed(history, 301, 500, 100_000);
    history.compactTo(500);
    expect(history.listFloor).toBe(500);
    expect(history.size).toBeLessThan(500);
    expect(firstAfter(history, 499)).toBe(500);
  });

  test("ends the history of watches, too, for a kind without a cache", () => {
    const history = compacted(false);
    changed(history, 1, 10, 0);
    history.compactTo(7);
    expect(history.changesAfter(6)).toBeUndefined();
    expect(firstAfter(history, 7)).toBe(8);
    expect(history.size).toBe(3);
  });

  test("to an older revision has no effect", () => {
    const history = compacted();
    changed(history, 1, 10, 0);
    history.compactTo(7);
    history.compactTo(3);
    expect(history.listFloor).toBe(7);
  });
});

test("the number of changes limits lists and watches, also between compactions", () => {
  const history = new History<Change>({ limit: 100, isCompacted: true }, true, { list: 0, watch: 0 });
  changed(history, 1, 1000, 0);
  expect(history.size).toBeLessThanOrEqual(125);
  expect(history.listFloor).toBeGreaterThanOrEqual(800);
  expect(history.changesAfter(700)).toBeUndefined();
  expect(firstAfter(history, 950)).toBe(951);
});

test("without compactions only the number of changes counts", () => {
  const history = new History<Change>({ limit: 200, isCompacted: false }, true, { list: 0, watch: 0 });
  changed(history, 1, 200, 0);
  changed(history, 201, 250, 10 ** 9);
  expect(firstAfter(history, 0)).toBe(1);
  changed(history, 251, 251, 10 ** 9);
  expect(history.changesAfter(0)).toBeUndefined();
  expect(history.listFloor).toBe(51);
});
