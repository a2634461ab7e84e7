/** The operator under every fault at every point of a user's story: all runs must come to the same end. */
import { explore, type ExploredCluster } from "@treadle/testing";
import { Deployment } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

/** What the Deployment controller and a kubelet would do. */
async function rollOut(cluster: ExploredCluster): Promise<void> {
  await cluster.settled();
  await cluster.updateStatus(Deployment, "greeter-web", (live) => {
    const replicas = live.spec?.replicas ?? 0;
    live.status = { observedGeneration: live.metadata.generation ?? 0, replicas, readyReplicas: replicas, availableReplicas: replicas };
  });
  await cluster.settled();
}

test("whatever fails when: the same parts, ready or gone", { tags: ["memory"], timeout: 180_000 }, async () => {
  const { summary, points } = await explore(app, {
    async run(cluster) {
      await cluster.create(App, { metadata: { name: "greeter" }, spec: { greeting: "good morning", replicas: 2 } });
      await rollOut(cluster);
      await cluster.update(App, "greeter", (object) => {
        object.spec.greeting = "good evening";
      });
      await rollOut(cluster);
      await cluster.update(App, "greeter", (object) => {
        object.spec.paused = true;
      });
      await cluster.settled();
      await cluster.update(App, "greeter", (object) => {
        object.spec.paused = false;
      });
      await rollOut(cluster);
    },
  });
  console.info(`app: ${summary}`);
  expect(points).toBeGreaterThan(50);
});
