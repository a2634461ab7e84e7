/** What a set writes into the status of its owner when it applies nothing: refused, failed or suspended. */
import { expect, test } from "vitest";
import { condition, config, Platform, settled, worldOf } from "./platforms.ts";

test("the state is Error when the checks refuse what was rendered", async () => {
  const world = await settled();
  await world.update(Platform, "a", ({ spec }) => void (spec.names = ["one", "one"]));
  await world.settled();
  expect(await condition(world)).toMatchObject({ status: "False", reason: "Error" });
  expect((await world.get(Platform, "a"))?.status).toMatchObject({ state: "Error", appliedGeneration: 1 });
});

test("the state is Error when objects throws", async () => {
  const world = worldOf({
    objects: () => {
      throw new Error("boom");
    },
  });
  await world.pass("a").catch(() => undefined);
  expect(await condition(world)).toMatchObject({ status: "False", reason: "Error" });
  expect((await world.get(Platform, "a"))?.status).toMatchObject({ state: "Error" });
});

test("the time of a suspension does not count for the time limit", async () => {
  const slow = { apiVersion: "widgets.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: {} };
  const world = worldOf({
    objects: () => [config("one"), { ...slow, metadata: { name: "w", annotations: { "treadle.dev/status-hint": "has-ready-condition" } } }],
    suspended: ({ spec }) => spec.suspended,
    timeoutMs: 60_000,
  });
  await world.settled();
  expect(await condition(world)).toMatchObject({ reason: "Processing" });
  await world.update(Platform, "a", ({ spec }) => void (spec.suspended = true));
  await world.settled();
  expect(await condition(world)).toMatchObject({ reason: "Suspended" });
  await world.advance(3_600_000);
  await world.update(Platform, "a", ({ spec }) => void (spec.suspended = false));
  await world.settled();
  expect(await condition(world)).toMatchObject({ reason: "Processing" });
  await world.advance(61_000);
  await world.settled();
  expect(await condition(world)).toMatchObject({ status: "False", reason: "Timeout" });
});
