import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { AbortableWaits, orAborted } from "./or-aborted.ts";

const boom = new Error("boom");

test("orAborted settles like the promise, and leaves no listener", async () => {
  const { signal } = new AbortController();
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
  expect(await orAborted(Promise.resolve(1), undefined)).toBe(1);
  await expect(orAborted(Promise.reject(boom), signal)).rejects.toBe(boom);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("orAborted rejects with the signal's reason, and a late failure is not an unhandled rejection", async () => {
  const late = Promise.withResolvers<void>();
  const ending = new AbortController();
  const waiting = orAborted(late.promise, ending.signal);
  ending.abort(boom);
  await expect(waiting).rejects.toBe(boom);
  await expect(orAborted(late.promise, AbortSignal.abort(boom))).rejects.toBe(boom);
  late.reject(new Error("too late"));
});

test("AbortableWaits settles like each promise, with one listener until its end", async () => {
  const { signal } = new AbortController();
  const waits = new AbortableWaits(signal);
  expect(await waits.until(Promise.resolve(1))).toBe(1);
  await expect(waits.until(Promise.reject(boom))).rejects.toBe(boom);
  expect(await waits.until(Promise.resolve(2))).toBe(2);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  waits.end();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(await new AbortableWaits(undefined).until(Promise.resolve(3))).toBe(3);
});

test("AbortableWaits rejects the present wait and all later ones, and a late failure is not an unhandled rejection", async () => {
  const late = Promise.withResolvers<void>();
  const ending = new AbortController();
  const waits = new AbortableWaits(ending.signal);
  const waiting = waits.until(late.promise);
  ending.abort(boom);
  await expect(waiting).rejects.toBe(boom);
  await expect(waits.until(Promise.resolve(1))).rejects.toBe(boom);
  await expect(new AbortableWaits(AbortSignal.abort(boom)).until(late.promise)).rejects.toBe(boom);
  late.reject(new Error("too late"));
});
