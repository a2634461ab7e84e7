/**
 * What owners cost to which nothing happens.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { capability, map, setStage } from "./stage.ts";

const HOUR_MS = 3_600_000;

test("passes of a settled owner ask no plugin and send no request", async () => {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("address")] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  const { cluster, operator } = stage;
  await cluster.settled({ horizonMs: HOUR_MS });
  // The CapabilityInfos are written then.
  await stage.pass(1_000);
  const plans = pg.plans.length;
  const passes = operator.passes.length;
  cluster.requests.clear();
  // The resync of each 10 hours.
  await cluster.advance(25 * HOUR_MS);
  await cluster.settled();
  expect(operator.passes.length).toBeGreaterThanOrEqual(passes + 2);
  expect(pg.plans).toHaveLength(plans);
  // Informers renew their watches.
  expect(Object.keys(cluster.requests.summary()).filter((request) => !request.startsWith("watch "))).toEqual([]);
});
