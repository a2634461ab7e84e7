import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Kind, kind } from "@treadle/apimachinery";
import type { Informer, Informers } from "@treadle/informer";
import { expect, test } from "vitest";
import { quickCache } from "./quick-cache.ts";

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
