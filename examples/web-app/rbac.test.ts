/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { ConfigMap, Deployment, HorizontalPodAutoscaler, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { webApp } from "./controller.ts";
import { WebApp } from "./web-app.ts";

type Part = typeof Deployment | typeof HorizontalPodAutoscaler | typeof Job | typeof Service | typeof StatefulSet;

test("the WebApp operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [WebApp], workloads: true });
  const runs = await checkRights(cluster, webApp, {
    async run({ namespaces: [namespace], until }) {
      const spec = { autoscale: { minReplicas: 1, maxReplicas: 2 } };
      await cluster.create(Secret, { metadata: { name: "db", namespace }, data: { user: btoa("anna"), password: btoa("secret") } });
      await cluster.create(WebApp, { metadata: { name: "a", namespace }, spec });
      const exists = async (kind: Part, name: string): Promise<boolean> => (await cluster.get(kind, `${namespace}/${name}`)) !== undefined;
      await until("the cache is made", () => exists(Deployment, "a-redis"));
      await until("the database is made", () => exists(StatefulSet, "a-store"));
      await until("its address is made", () => exists(Service, "a-store"));
      await until("the migration is made", () => exists(Job, "a-migration"));
      await until("the web server is made", () => exists(Deployment, "a"));
      await until("the autoscaler is made", () => exists(HorizontalPodAutoscaler, "a"));
      // The second change repeats an event, which needs a right of its own.
      for (const greeting of ["good morning", "good evening"]) {
        await cluster.update(WebApp, `${namespace}/a`, (app) => void (app.spec.greeting = greeting));
        await until("the web server has the greeting", async () => {
          const { template } = (await cluster.get(Deployment, `${namespace}/a`))?.spec ?? {};
          return template?.metadata?.annotations?.["examples.treadle.dev/settings"]?.includes(greeting) === true;
        });
      }
      await cluster.delete(WebApp, `${namespace}/a`);
      await until("the WebApp is gone", async () => (await cluster.get(WebApp, `${namespace}/a`)) === undefined);
      await until("what it had is gone", async () => (await cluster.get(ConfigMap, `${namespace}/a-settings`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(42);
});
