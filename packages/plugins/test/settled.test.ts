/**
 * What owners cost to which nothing happens.
 *
 * @module-tag memory
 */
import { runtimeOf } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { capability, map, type PluginStep, setStage } from "./stage.ts";

const HOUR_MS = 3_600_000;

/** A step that notes whether its passes return promises. */
function noting(step: PluginStep, promises: boolean[]): PluginStep {
  const [symbol] = Object.getOwnPropertySymbols(step);
  const runtime = runtimeOf(step);
  const run = (req: unknown): unknown => {
    const result: unknown = runtime?.do?.(req as never);
    promises.push(result instanceof Promise);
    return result;
  };
  // All that the handler reads of a step.
  return { [symbol as symbol]: { ...runtime, do: run } } as unknown as PluginStep;
}

test("passes of a settled owner ask no plugin, send no request and return no promise", async () => {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("address")] });
  const promises: boolean[] = [];
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")], {
    watched: (step) => noting(step, promises),
  });
  const { cluster, operator } = stage;
  await cluster.settled({ horizonMs: HOUR_MS });
  // The CapabilityInfos are written then.
  await stage.pass(1_000);
  const plans = pg.plans.length;
  const passes = operator.passes.length;
  promises.length = 0;
  cluster.requests.clear();
  // The resync of each 10 hours.
  await cluster.advance(25 * HOUR_MS);
  await cluster.settled();
  expect(operator.passes.length).toBeGreaterThanOrEqual(passes + 2);
  expect(pg.plans).toHaveLength(plans);
  expect([...new Set(promises)]).toEqual([false]);
  // Informers renew their watches.
  expect(Object.keys(cluster.requests.summary()).filter((request) => !request.startsWith("watch "))).toEqual([]);
});
