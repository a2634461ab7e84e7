import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { both, within } from "./promises.ts";

test.for([
  { name: "resolves", promise: () => Promise.resolve(1) },
  { name: "rejects", promise: () => Promise.reject(new Error("boom")) },
])("waiting for what $name leaves no timer", async ({ promise }, { expect }) => {
  const clock = fakeClock();
  await within(clock, 1_000, promise()).catch(() => undefined);
  expect(clock.nextDue()).toBeUndefined();
});

test("a promise that is late is not waited for", async () => {
  const clock = fakeClock();
  const waiting = within(clock, 1_000, new Promise(() => undefined));
  await clock.advance(1_000);
  expect(await waiting).toBe(false);
});

test("when the second of two fails, the first is closed, however late it is made", async () => {
  const closed: string[] = [];
  const first = Promise.withResolvers<string>();
  const made = both(first.promise, Promise.reject(new Error("boom")), async (what) => void closed.push(what));
  first.resolve("client");
  await expect(made).rejects.toThrow("boom");
  expect(closed).toEqual(["client"]);
  const failing = both(Promise.reject(new Error("first")), Promise.resolve(1), async () => void closed.push("nothing"));
  await expect(failing).rejects.toThrow("first");
  expect(closed).toEqual(["client"]);
});
