/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. Simulated controllers roll the Deployments out. */
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

test("an App reaches the same end state after every single fault", { tags: ["memory", "long"], timeout: 600_000 }, async () => {
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
