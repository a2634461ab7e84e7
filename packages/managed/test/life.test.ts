/** The life of one external resource on the in-memory API server. */
import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { Bucket, bucketHandler, conditionsOf, outside, world } from "./stage.ts";

const FINALIZER = "store.test/buckets.store.test";

function start(options: Parameters<typeof outside>[0] = {}, managedOptions: Parameters<typeof bucketHandler>[1] = {}) {
  const clock = fakeClock();
  const api = outside({ clock, ...options });
  return { api, clock, w: world(bucketHandler(api, managedOptions), { clock }) };
}

describe("life", () => {
  test("a bucket is created, observed and Ready, with its name in the annotation and in the status", async () => {
    const { api, w } = start();
    await w.create(Bucket, { metadata: { name: "a" } });
    await w.settled();
    expect(api.items).toMatchObject([{ name: "default-a" }]);
    expect(await conditionsOf(w)).toEqual({ Ready: "False/Creating", Synced: "True/ReconcileSuccess", UpToDate: "Unknown/NotObserved" });
    await w.advance(5_000);
    await w.settled();
    expect(await conditionsOf(w)).toEqual({ Ready: "True/Available", Synced: "True/ReconcileSuccess", UpToDate: "True/ObserveMatched" });
    expect(await w.get(Bucket, "a")).toMatchObject({
      metadata: { annotations: { "treadle.dev/external-name": "default-a" }, finalizers: [FINALIZER] },
      status: { externalName: "default-a", region: "eu" },
    });
  });

  test("a poll of a settled bucket observes once and sends no request", async () => {
    const { api, w } = start();
    await w.create(Bucket, { metadata: { name: "a" } });
    for (let i = 0; i < 3; i++) {
      await w.settled();
      await w.advance(66_000);
    }
    api.clearCalls();
    w.requests.clear();
    await w.settled();
    expect(api.calls.map(({ verb }) => verb)).toEqual(["observe"]);
    expect([...w.requests]).toEqual([]);
  });
});
