/** The grace period of a component, over passes and restarts. */
import { Deployment } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { App, app, change, handlerOf, main, mainOf, workload } from "./stage.ts";

const many = dependentApply(App, {
  name: "many",
  kind: Deployment,
  each: ({ spec }) => spec.names.map((key) => ({ key })),
  objectName: (_, { key }) => `many-${key}`,
  desired: (owner, _, { key }) => ({ spec: workload(key, owner) }),
});

test("the grace clock does not start again after a restart, when an object was removed before", { tags: ["memory"] }, async () => {
  const built = handlerOf(main([many], { graceMs: 60_000 }));
  await using cluster = await startTestCluster();
  const operator = await cluster.start(built);
  await cluster.apply(app({ names: ["a", "b"] }));
  await cluster.settled();
  await change(cluster, { names: ["a"] });
  await cluster.advance(50_000);
  await operator.stop();
  expect(await mainOf(cluster)).toMatch(/^False Creating: many: /);
  await cluster.start(built);
  await cluster.advance(15_000);
  expect(await mainOf(cluster)).toMatch(/^False Down: not ready within 60 s: many: /);
});
