/** Users' stories. They run on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { readFileSync } from "node:fs";
import path from "node:path";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { ConfigMap, CustomResourceDefinition, Deployment, Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { fleet } from "./controller.ts";
import { Fleet, Robot } from "./fleet.ts";
import { conditionOf, COUNTS, countsOf, ROBOTS } from "./story.ts";

async function begun(): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads: true });
  await cluster.start(fleet, { missing: [Robot] });
  await cluster.create(Fleet, { metadata: { name: "north" }, spec: {} });
  await cluster.settled();
  return cluster;
}

test("the fleet takes at most 45 lines of TypeScript with its resource", () => {
  const lines = ["fleet.ts", "controller.ts", "main.ts"].flatMap((file) =>
    readFileSync(path.join(import.meta.dirname, file), "utf8")
      .trimEnd()
      .split("\n"),
  );
  expect(lines.length).toBeLessThanOrEqual(45);
});

test("a fleet of 30 objects from YAML and TypeScript is installed in four waves", async () => {
  await using cluster = await begun();
  expect(await conditionOf(cluster)).toBe("True Ready: 30 objects are ready");
  expect(await countsOf(cluster)).toEqual(COUNTS);
  expect(await cluster.get(Fleet, "north")).toBeReady();
  expect((await cluster.get(Deployment, "display"))?.metadata.labels).toMatchObject({ fleet: "north" });
  expect((await cluster.get(Robot, "charger-1"))?.spec).toEqual({ task: "charge" });
  const first = (name: string): number => cluster.requests.filter({ verb: "apply" }).findIndex((request) => request.name === name);
  const order = ["hall-1", "router", "north-1", "display"].map(first);
  expect(order, "an object of each wave").toEqual(order.toSorted((a, b) => a - b));
  expect((await cluster.get(ConfigMap, "view-halls"))?.metadata.annotations, "policies are not applied").not.toHaveProperty(
    "treadle.dev/apply-order",
  );
});

test("a changed object of a fleet is reverted, and deleted ones are recreated", async () => {
  await using cluster = await begun();
  await cluster.update(ConfigMap, "hall-2", (hall) => void (hall.data = { ...hall.data, doors: "17" }));
  await cluster.delete(Service, "router");
  await cluster.delete(Robot, "north-3");
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "hall-2"))?.data).toEqual({ doors: "3", floor: "0" });
  expect(await countsOf(cluster)).toEqual(COUNTS);
});

test("a fleet grows and shrinks with its spec, and no other object is written", async () => {
  await using cluster = await begun();
  cluster.requests.clear();
  await cluster.update(Fleet, "north", ({ spec }) => void (spec.robots = 9));
  await cluster.settled();
  expect(await countsOf(cluster)).toEqual({ ...COUNTS, Robot: 11 });
  await cluster.update(Fleet, "north", ({ spec }) => void (spec.robots = 2));
  await cluster.settled();
  expect(await countsOf(cluster)).toEqual({ ...COUNTS, Robot: 4 });
  const applied = cluster.requests.filter({ verb: "apply" }).map(({ resource, name }) => `${resource} ${name}`);
  expect(applied).toEqual(["robots north-9"]);
  expect(await conditionOf(cluster)).toBe("True Ready: 24 objects are ready");
});

test("a paused fleet reverts nothing, and can be deleted", async () => {
  await using cluster = await begun();
  await cluster.update(Fleet, "north", ({ spec }) => void (spec.paused = true));
  await cluster.settled();
  await cluster.delete(Service, "router");
  await cluster.settled();
  expect(await countsOf(cluster)).toEqual({ ...COUNTS, Service: 2 });
  await cluster.delete(Fleet, "north");
  await cluster.settled();
  expect(await countsOf(cluster)).toEqual({});
});

test("a deleted fleet removes its robots before their CRD, unless a user has a robot", async () => {
  await using cluster = await begun();
  await cluster.create(Robot, { metadata: { name: "mine" }, spec: { task: "play" } });
  await cluster.delete(Fleet, "north");
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("Unknown DeletionBlocked: Robot default/mine is not of this Fleet: delete it first");
  expect(await countsOf(cluster)).toEqual(COUNTS);
  await cluster.delete(Robot, "mine");
  await cluster.settled();
  await expect.poll(() => cluster.get(Fleet, "north")).toBeUndefined();
  expect(await cluster.get(CustomResourceDefinition, ROBOTS)).toBeUndefined();
  expect(await countsOf(cluster)).toEqual({});
});
