/** The requests of an install and of a deletion. */
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { openShop, requestsIn } from "./story.ts";
import { Widget } from "./widget.ts";

/** 4 objects of the platform, and 7 of each of 2 tenants. */
const OBJECTS = 18;
const WAVES = 4;

test("an install costs one apply for each object, and at most two status writes for each wave", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  const requests = requestsIn(cluster.requests);
  const statuses = requests.filter((request) => request === "patch platforms/status");
  expect(requests.filter((request) => request.startsWith("apply "))).toHaveLength(OBJECTS);
  expect(
    requests.filter((request) => request === "patch platforms"),
    "the finalizer",
  ).toHaveLength(1);
  // One checkpoint stores the kinds, and one the migrations before they are deleted.
  expect(statuses.length).toBeLessThanOrEqual(2 * WAVES + 2);
  const others = requests.filter((request) => !request.startsWith("apply ") && !request.startsWith("patch platforms"));
  expect(others.toSorted(), "the license, and the migrations that are done").toEqual(["delete jobs", "delete jobs", "get secrets"]);
});

test("a deletion costs one delete for each object", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  cluster.requests.clear();
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  // The migrations do not exist any more.
  expect(cluster.requests.count({ verb: "delete" })).toBe(OBJECTS - 2);
});
