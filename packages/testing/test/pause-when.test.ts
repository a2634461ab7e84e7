/** An object that a function pauses, with the events and the log of an operator. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { generationChanged } from "@treadle/controller";
import { conditions, handler, pause, type Step, step } from "@treadle/reconcile";
import { defineStep } from "@treadle/reconcile/unstable/engine";
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

const byStep = handler(Site)
  .step(conditions())
  .step(
    defineStep(Site, {
      name: "tiers",
      configures: { pausesWhen: ({ metadata }) => metadata.labels?.["tier"] === "frozen" && "the label tier is frozen" },
    }) as Step<ObjectOf<typeof Site>>,
  )
  .step(step(Site, { name: "count", do: (req) => void (req.status.passes = (req.object.status?.passes ?? 0) + 1) }))
  .build();

test("a label by which a step pauses an object starts a pass, also with a predicate that rejects labels", {
  tags: ["memory"],
}, async () => {
  const world = fakeWorld(byStep, { objects: [site], controller: { predicate: generationChanged } });
  await world.settled();
  await world.update(Site, "a", (object) => void (object.metadata.labels = { tier: "frozen" }));
  await world.settled();
  expect(paused(await world.get(Site, "a"))).toMatchObject({ message: 'step "tiers" pauses this object: the label tier is frozen' });
  await world.update(Site, "a", (object) => void (object.metadata.labels = {}));
  await world.settled();
  expect(paused(await world.get(Site, "a"))).toBeUndefined();
  expect((await world.get(Site, "a"))?.status?.passes).toBe(2);
});

test.for([
  {
    name: "the function of pause()",
    by: freezing,
    line: "paused by the function of pause(): not modified until it returns no reason: the",
  },
  { name: "a step", by: byStep, line: 'paused by a step: not modified until it returns no reason: step "tiers" pauses this object: the' },
])("an operator logs the begin of a pause by $name with its reason, and its end", async ({ by, line }) => {
  await using cluster = await startTestCluster({ objects: [site] });
  const op = await cluster.start(by);
  await op.settled();
  await cluster.update(Site, "a", (object) => void (object.metadata.labels = { tier: "frozen" }));
  await op.settled();
  await cluster.update(Site, "a", (object) => void (object.metadata.labels = {}));
  await op.settled();
  const lines = op.logs.filter(({ text }) => text.includes("paused")).map(({ text }) => text);
  expect(lines).toEqual([`${line} label tier is frozen`, "no longer paused"]);
});
