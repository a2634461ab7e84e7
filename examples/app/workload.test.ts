/** With the controllers of a cluster and somebody who runs pods, nobody has to play them. On a real server only. */
import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { Deployment } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

test("an App becomes ready when its pods run", { tags: ["real"] }, async () => {
  await using cluster = await startTestCluster();
  await cluster.start(app);
  await cluster.create(App, { metadata: { name: "greeter" }, spec: { greeting: "good morning", replicas: 2 } });
  const ready = async () => (await cluster.get(App, "greeter"))?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  await expect.poll(ready, { timeout: 60_000 }).toBe("True");
  expect((await cluster.get(Deployment, "greeter-web"))?.status?.availableReplicas).toBe(2);
});
