/** An object that a function pauses, with the events and the log of an operator. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { generationChanged } from "@treadle/controller";
import { conditions, handler, pause, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeWorld, startTestCluster } from "../src/index.ts";

const Site = defineResource({
  group: "pause.treadle.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({ passes: z.int32().optional() }),
});
const site = { apiVersion: "pause.treadle.dev/v1", kind: "Site", metadata: { name: "a" }, spec: {} };
const freezing = handler(Site)
  .step(conditions())
  .step(pause({ when: ({ metadata }: ObjectOf<typeof Site>) => metadata.labels?.["tier"] === "frozen" && "the label tier is frozen" }))
  .step(step(Site, { name: "count", do: (req) => void (req.status.passes = (req.object.status?.passes ?? 0) + 1) }))
  .build();
const paused = (object: ObjectOf<typeof Site> | undefined): unknown => object?.status?.conditions?.find(({ type }) => type === "Paused");

test("a label that pauses an object starts a pass, also with a predicate that rejects labels", { tags: ["memory"] }, async () => {
  const world = fakeWorld(freezing, { objects: [site], controller: { predicate: generationChanged } });
  await world.settled();
  await world.update(Site, "a", (object) => void (object.metadata.labels = { tier: "frozen" }));
  await world.settled();
  expect(paused(await world.get(Site, "a"))).toMatchObject({ status: "True", reason: "Requested", message: "the label tier is frozen" });
  expect((await world.get(Site, "a"))?.status?.passes).toBe(1);
  await world.update(Site, "a", (object) => void (object.metadata.labels = { tier: "hot" }));
  await world.settled();
  expect(paused(await world.get(Site, "a"))).toMatchObject({ status: "False", reason: "NotPaused" });
  expect((await world.get(Site, "a"))?.status?.passes).toBe(2);
});

test("an operator logs the begin of the pause with its reason, and its end", async () => {
  await using cluster = await startTestCluster({ objects: [site] });
  const op = await cluster.start(freezing);
  await op.settled();
  await cluster.update(Site, "a", (object) => void (object.metadata.labels = { tier: "frozen" }));
  await op.settled();
  await cluster.update(Site, "a", (object) => void (object.metadata.labels = {}));
  await op.settled();
  const lines = op.logs.filter(({ text }) => text.includes("paused")).map(({ text }) => text);
  expect(lines).toEqual([
    "paused by the function of pause(): not modified until it returns no reason: the label tier is frozen",
    "no longer paused",
  ]);
});
