import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { orAborted } from "./or-aborted.ts";

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
