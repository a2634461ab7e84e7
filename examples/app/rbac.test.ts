/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { ConfigMap, Deployment, Job, Secret, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";
import { PodMonitor } from "./monitor.ts";

test("the App operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [App, PodMonitor], workloads: true });
  const runs = await checkRights(cluster, app, {
    async run({ namespaces: [namespace], until }) {
      const spec = { greeting: "good morning", metrics: true, credentials: "db", pages: [{ name: "about", text: "us" }] };
      await cluster.create(Secret, { metadata: { name: "db", namespace }, data: { user: btoa("anna"), password: btoa("secret") } });
      await cluster.create(App, { metadata: { name: "a", namespace }, spec });
      const exists = async (
        kind: typeof Deployment | typeof Job | typeof StatefulSet | typeof PodMonitor,
        name: string,
      ): Promise<boolean> => (await cluster.get(kind, `${namespace}/${name}`)) !== undefined;
      await until("the PodMonitor is made", () => exists(PodMonitor, "a"));
      await until("the database is made", () => exists(StatefulSet, "a-store"));
      await until("the migration is made", () => exists(Job, "a-migration"));
      await until("the web server is made", () => exists(Deployment, "a-web"));
      await cluster.delete(App, `${namespace}/a`);
      await until("the App is gone", async () => (await cluster.get(App, `${namespace}/a`)) === undefined);
      await until("what it had is gone", async () => (await cluster.get(ConfigMap, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(40);
});
