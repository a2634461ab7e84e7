import type { KubernetesObject } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { eventObject } from "./event-object.ts";
import { EventSeries, type Series } from "./event-series.ts";

const object = (uid: string): KubernetesObject => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  metadata: { name: uid, namespace: "ns", uid },
});

function recording(series = new EventSeries()) {
  let made = 0;
  return {
    series,
    add(note: string, atMs: number, { uid = "a", reason = "Failed" } = {}) {
      const about = object(uid);
      const occurrence = { about, controller: "widgets", note: { type: "Warning", reason, note, action: "work" } as const };
      const reporter = { controller: "widgets", instance: "me" };
      return series.add(occurrence, atMs, (shown) => eventObject(about, { reporter, note: shown, atMs, id: String(made++) }));
    },
  };
}

/** As if the server had been told. */
function sent(added: { readonly series: Series } | undefined, atMs: number): void {
  if (added === undefined) throw new Error("nothing was added");
  added.series.sentCount = added.series.count;
  added.series.sentAtMs = atMs;
}

describe("equal events", () => {
  test("are one object, whose count is sent each time that it has doubled", () => {
    const { add } = recording();
    const told: number[] = [];
    for (let i = 1; i <= 100; i++) {
      const added = add("no route", i * 1000);
      if (added?.isDue !== true) continue;
      told.push(added.series.count);
      sent(added, i * 1000);
    }
    expect(told).toEqual([1, 2, 4, 8, 16, 32, 64]);
  });

  test("start a new series after six minutes; the last count of the old one is sent", () => {
    const { add, series } = recording();
    const first = add("no route", 0);
    sent(first, 0);
    for (let i = 1; i <= 2; i++) if (add("no route", i)?.isDue === true) sent(first, i);
    expect(series.nextDueAt()).toBe(360_002);
    expect(series.due(360_002)).toEqual([first?.series]);
    expect(first?.series.count).toBe(3);
    expect(series.nextDueAt(), "an operator at rest has nothing to wait for").toBeUndefined();
    expect(add("no route", 400_000)?.series).not.toBe(first?.series);
  });

  test("last for hours: the count is sent at least twice an hour", () => {
    const { add, series } = recording();
    const first = add("no route", 0);
    for (let i = 0; i < 1000; i++) add("no route", i);
    sent(first, 1000);
    for (let at = 1000; at < 1_801_000; at += 60_000) add("no route", at);
    expect(series.due(1_800_000)).toEqual([]);
    expect(series.due(1_801_000)).toEqual([first?.series]);
  });
});

test("notes that differ each time become one event, after ten of them in ten minutes", () => {
  const { add } = recording();
  const all = Array.from({ length: 30 }, (_, i) => add(`attempt ${i}`, i)?.series);
  expect(new Set(all).size).toBe(11);
  expect(all.at(-1)?.count).toBe(20);
  expect(all.at(-1)?.object.note).toBe("one of many that differ: attempt 10");
  expect(add("attempt 31", 600_000)?.series.object.note, "ten minutes later").toBe("attempt 31");
});

test("an object may have 25 events at once, then one in five minutes; other objects are not affected", () => {
  const { add } = recording();
  const admitted = Array.from({ length: 40 }, (_, i) => add("x", 0, { reason: `Reason${i}` })).filter((added) => added !== undefined);
  expect(admitted).toHaveLength(25);
  expect(add("x", 0, { uid: "b" })).toBeDefined();
  expect(add("x", 299_999, { reason: "Late" })).toBeUndefined();
  expect(add("x", 300_000, { reason: "Late" })).toBeDefined();
  expect(add("x", 300_001, { reason: "Later" })).toBeUndefined();
});

test("any number of objects does not fill the memory", () => {
  const { add, series } = recording();
  for (let i = 0; i < 10_000; i++) add("x", 0, { uid: `u${i}` });
  expect(series.unsent().length).toBe(4096);
});
