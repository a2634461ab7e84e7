/** Injects each kind of fault at each point of users' stories. All runs must reach the same end state. Simulated controllers run the workloads. */
import "@treadle/testing/matchers";
import { explore, type ExploredCluster } from "@treadle/testing/explore";
import { ConfigMap, Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

/** Changes the spec of the App. */
const change = (cluster: ExploredCluster, spec: Partial<App["spec"]>): Promise<unknown> =>
  cluster.update(App, "greeter", (object) => void Object.assign(object.spec, spec));

test("an App reaches the same end state after every single fault", { tags: ["memory", "long"], timeout: 1_800_000 }, async () => {
  const { summary, points } = await explore(app, {
    workloads: true,
    async run(cluster) {
      await cluster.create(App, { metadata: { name: "greeter" }, spec: { greeting: "good morning", replicas: 1 } });
      await cluster.settled();
      await change(cluster, { greeting: "good evening", metrics: true, pages: [{ name: "about", text: "us" }] });
      await cluster.create(ConfigMap, { metadata: { name: "app-theme" }, data: { "style.css": "h1 { color: red }" } });
      await cluster.settled();
      await change(cluster, { paused: true, pages: [{ name: "jobs", text: "none" }] });
      await cluster.settled();
      await cluster.delete(ConfigMap, "app-theme");
      await change(cluster, { paused: false, version: "1.19.0" });
    },
    check: async (cluster) => expect(await cluster.get(App, "greeter")).toBeReady(),
  });
  console.info(`app: ${summary}`);
  expect(points).toBeGreaterThan(50);
});

test("an App with a database reaches the same end state after every single fault", {
  tags: ["memory", "long"],
  timeout: 1_800_000,
}, async () => {
  const { summary, points } = await explore(app, {
    workloads: true,
    async run(cluster) {
      const credentials = { metadata: { name: "db" }, data: { password: btoa("secret") } };
      await cluster.create(App, { metadata: { name: "greeter" }, spec: { credentials: "db", keepStore: true } });
      await cluster.create(Secret, credentials);
      await cluster.settled();
      await cluster.update(Secret, "db", (secret) => void (secret.data = { ...secret.data, user: btoa("anna") }));
      await cluster.settled();
      await change(cluster, { version: "1.30.0", migrateAfter: new Date(cluster.clock.now() + 5_000).toISOString() });
      await cluster.settled();
      await change(cluster, { replicas: 2 });
      await cluster.settled();
      // The Job reaches the end of its time to live: twice, because an operator that was away starts it in between.
      await cluster.advance(3_700_000);
      await cluster.settled();
      await cluster.advance(3_700_000);
    },
    check: async (cluster) => expect(await cluster.get(App, "greeter")).toBeReady(),
  });
  console.info(`app with a database: ${summary}`);
  expect(points).toBeGreaterThan(50);
});
