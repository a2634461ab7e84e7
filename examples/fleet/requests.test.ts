/** The requests of an install and of the steady state. */
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { fleet } from "./controller.ts";
import { Fleet, Robot } from "./fleet.ts";

test("30 objects in four waves cost 30 applies, one finalizer, one checkpoint, and two status writes for each wave", {
  tags: ["memory"],
}, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(fleet, { missing: [Robot], controller: { resyncMs: 60_000 } });
  await cluster.create(Fleet, { metadata: { name: "north" }, spec: {} });
  await cluster.settled();
  const { requests } = cluster;
  expect(requests.count({ verb: "apply" })).toBe(30);
  const writes = requests.writes.filter(({ verb, resource }) => verb !== "apply" && resource !== "events");
  expect(writes.filter(({ subresource }) => subresource === undefined).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
    "patch fleets",
  ]);
  expect(writes.filter(({ subresource }) => subresource === "status").length).toBeLessThanOrEqual(2 * 4 + 1);

  requests.clear();
  const passes = op.passes.length;
  await cluster.advance(600_000);
  await cluster.settled({ horizonMs: 0 });
  expect(op.passes.length).toBeGreaterThan(passes + 5);
  expect(requests.filter().filter(({ verb }) => verb !== "watch")).toEqual([]);
});
