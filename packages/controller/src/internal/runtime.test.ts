import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fakeClock, type Kind, kind } from "@treadle/apimachinery";
import type { Informer, Informers } from "@treadle/informer";
import { expect, test } from "vitest";
import { both, quickCache, within } from "./runtime.ts";

test.for([
  { name: "resolves", promise: () => Promise.resolve(1) },
  { name: "rejects", promise: () => Promise.reject(new Error("boom")) },
])("waiting for what $name leaves no timer", async ({ promise }, { expect }) => {
  const clock = fakeClock();
  await within(clock, 1_000, promise()).catch(() => undefined);
  expect(clock.nextDue()).toBeUndefined();
});

test("what does not come in time is not waited for", async () => {
  const clock = fakeClock();
  const waiting = within(clock, 1_000, new Promise(() => undefined));
  await clock.advance(1_000);
  expect(await waiting).toBe(false);
});

test("of two things of which the second fails, the first is closed, however late it comes", async () => {
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

test("the cache does not hold on to a kind that was made for one read", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag gives
  const informer = { get: () => undefined } as unknown as Informer; // all that the cache asks of it
  const cache = quickCache({ get: () => informer } as unknown as Informers);
  const read = (): WeakRef<Kind> => {
    const made = kind({ group: "g", version: "v1", kind: "Thing", plural: "things", scope: "Namespaced" });
    cache.get(made, { namespace: "ns", name: "a" });
    return new WeakRef(made);
  };
  const seen = read();
  // A WeakRef keeps its object until the present turn of the event loop is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(seen.deref()).toBeUndefined();
});
