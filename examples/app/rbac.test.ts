/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { ConfigMap, Deployment } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

test("the App operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [App] });
  const runs = await checkRights(cluster, app, {
    async run({ namespaces: [namespace], until }) {
      await cluster.create(App, { metadata: { name: "a", namespace }, spec: { greeting: "good morning" } });
      await until("the web server is made", async () => (await cluster.get(Deployment, `${namespace}/a-web`)) !== undefined);
      await cluster.delete(App, `${namespace}/a`);
      await until("the App is gone", async () => (await cluster.get(App, `${namespace}/a`)) === undefined);
      await until("what it had is gone", async () => (await cluster.get(ConfigMap, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(22);
});
