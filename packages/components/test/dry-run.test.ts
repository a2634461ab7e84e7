/** A dry run of an operator with components. */
import { Deployment } from "@treadle/apimachinery/kinds";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { App, app, handlerOf, main, web } from "./stage.ts";

test("a dry run reports the writes of a suspension, also if a number of replicas is to be stored first", { tags: ["memory"] }, async () => {
  const built = handlerOf(main([web("web")]));
  await using cluster = await startTestCluster({ workloads: true });
  const operator = await cluster.start(built);
  await cluster.apply(app());
  await cluster.settled();
  await cluster.update(Deployment, "web", ({ spec }) => void (spec!.replicas = 5));
  await cluster.settled();
  await operator.stop();
  await cluster.update(App, "a", ({ spec }) => void (spec.suspended = true));
  const changes: object[] = [];
  const { clock } = cluster;
  const manager = createManager({
    client: (options) => createClient({ ...options, transport: cluster.server.transport(), clock }),
    clock,
    probes: false,
    metrics: false,
    signals: false,
    dryRun: { onWrite: ({ kind, change }) => void (kind === "Deployment" && changes.push(change as object)) },
  });
  manager.add(built);
  await manager.start();
  await manager.settled();
  await manager.stop();
  expect(changes).toMatchObject([{ spec: { replicas: 0 } }]);
  expect((await cluster.get(Deployment, "web"))?.spec?.replicas).toBe(5);
});
