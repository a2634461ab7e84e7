/** Objects that are applied once: they are done when they were the owner's, not when an object of their name existed. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { config, namesOf, Platform, platform, platforms, settled } from "./platforms.ts";

/** No event of a foreign object enqueues this owner, so the owner looks again with the backoff of waiting. */
const LOOK_AGAIN_MS = 60_000;
const later = async (world: FakeWorld): Promise<void> => {
  await world.advance(LOOK_AGAIN_MS);
  await world.settled();
};

const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { text: "theirs" } };

test("an object that is applied once is created after a user deleted the foreign object of its name", async () => {
  const world = await settled(
    { objects: () => [config("one", { text: "ours" }, { adopt: "never", reconcile: "once" })] },
    { objects: [foreign] },
  );
  await world.delete(ConfigMap, "one");
  await later(world);
  expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "ours" });
});

test("an object that is applied once in a late wave is created after a user deleted the object that it would have adopted", async () => {
  const world = await settled(
    {
      objects: () => [config("early", {}, { adopt: "never" }), config("one", { text: "ours" }, { apply: 1, reconcile: "once" })],
    },
    { objects: [foreign, { ...foreign, metadata: { name: "early" } }] },
  );
  await world.delete(ConfigMap, "one");
  await world.delete(ConfigMap, "early");
  await later(world);
  expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "ours" });
});

test("an object that is applied once is not created again when it was deleted while an earlier wave was not ready", async () => {
  const world = await settled({
    objects: ({ spec }) => [
      config("early", { text: spec.text }, spec.text === "hello" ? {} : { apply: -1, adopt: "never" }),
      ...(spec.text === "hello" ? [] : [config("taken", {}, { apply: -1, adopt: "never" })]),
      config("one", {}, { apply: 1, reconcile: "once" }),
    ],
  });
  await world.create(ConfigMap, { metadata: { name: "taken" } });
  await world.update(Platform, "a", ({ spec }) => void (spec.text = "two"));
  await world.settled();
  await world.delete(ConfigMap, "one");
  await world.settled();
  await world.delete(ConfigMap, "taken");
  await later(world);
  expect(await namesOf(world)).toEqual(["early", "taken"]);
  expect(await world.get(Platform, "a")).toBeReady();
});

test("of more than 100 objects that are applied once, a foreign one is created after its deletion", { tags: ["memory"] }, async () => {
  const names = Array.from({ length: 120 }, (_, i) => `n${i}`);
  await using cluster = await startTestCluster({ objects: [platform({ names })] });
  await cluster.create(ConfigMap, { metadata: { name: "n7" } });
  const options = { objects: () => names.map((name) => config(name, {}, { adopt: "never", reconcile: "once" })) };
  const operator = await cluster.start(platforms(options));
  await operator.settled();
  await cluster.delete(ConfigMap, "n7");
  await operator.settled({ horizonMs: LOOK_AGAIN_MS });
  expect(await cluster.get(Platform, "a")).toBeReady();
  expect(await cluster.get(ConfigMap, "n7")).toBeDefined();
  await cluster.delete(ConfigMap, "n8");
  await operator.stop();
  await (await cluster.start(platforms(options))).settled();
  expect(await cluster.get(ConfigMap, "n8")).toBeUndefined();
  expect(await cluster.get(Platform, "a")).toBeReady();
});
