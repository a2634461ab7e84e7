/** The operator under every fault at every point of a user's story: all runs must come to the same end. Deployments roll out by themselves. */
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

test("whatever fails when: the same parts, ready or gone", { tags: ["memory"], timeout: 600_000 }, async () => {
  const { summary, points } = await explore(app, {
    workloads: true,
    async run(cluster) {
      await cluster.create(App, { metadata: { name: "greeter" }, spec: { greeting: "good morning", replicas: 1 } });
      await cluster.settled();
      await cluster.update(App, "greeter", (object) => {
        object.spec.greeting = "good evening";
      });
      await cluster.settled();
      await cluster.update(App, "greeter", (object) => {
        object.spec.paused = true;
      });
      await cluster.settled();
      await cluster.update(App, "greeter", (object) => {
        object.spec.paused = false;
      });
    },
  });
  console.info(`app: ${summary}`);
  expect(points).toBeGreaterThan(50);
});
