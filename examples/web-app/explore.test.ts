/** Injects each kind of fault at each point of users' stories. All runs must reach the same end state. Simulated controllers run the workloads. */
import "@treadle/testing/matchers";
import { explore } from "@treadle/testing/explore";
import { Deployment, Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { webApp } from "./controller.ts";
import { change, conditionsOf, createCredentials } from "./shop.ts";
import { WebApp } from "./web-app.ts";

/** One of so many points is explored in `npm test`: all of them take some twenty minutes. */
const SHARE = 32;
const HEALTHY = { DatabaseReady: "True Healthy", CacheReady: "True Healthy", WebReady: "True Healthy", Ready: "True Ready" };

test("a WebApp that is created, changed, disabled and enabled reaches the same end state after every single fault", {
  tags: ["memory", "part"],
  timeout: 1_800_000,
}, async ({ part }) => {
  const { summary, points } = await explore(
    webApp,
    {
      workloads: true,
      async run(cluster) {
        await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
        await cluster.settled();
        await createCredentials(cluster);
        await cluster.settled();
        await change(cluster, { version: "1.30.0", metrics: true });
        await cluster.settled();
        await change(cluster, { cache: false });
        await cluster.settled();
        await change(cluster, { cache: true, metrics: false });
      },
      check: async (cluster) => expect(await conditionsOf(cluster)).toEqual(HEALTHY),
    },
    { points: ({ id }) => id === "crash@0" || part.has(id, SHARE) },
  );
  console.info(`web-app: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 500 : 10);
});

test("a WebApp that is suspended and resumed reaches the same end state after every single fault", {
  tags: ["memory", "part"],
  timeout: 1_800_000,
}, async ({ part }) => {
  const { summary, points } = await explore(
    webApp,
    {
      workloads: true,
      async run(cluster) {
        await createCredentials(cluster);
        await cluster.create(WebApp, { metadata: { name: "shop" }, spec: { autoscale: { minReplicas: 2, maxReplicas: 5 } } });
        await cluster.settled();
        cluster.workloads.metrics.report({ cpu: "200m" }); // 80 % of the request: the autoscaler is content with what it has
        await cluster.update(Deployment, "shop", (web) => void Object.assign(web.spec ?? {}, { replicas: 3 }));
        await cluster.settled();
        await change(cluster, { suspended: true });
        await cluster.settled();
        await cluster.delete(Secret, "db");
        await change(cluster, { cache: false });
        await cluster.settled();
        await createCredentials(cluster);
        await change(cluster, { suspended: false, cache: true });
        await cluster.settled();
        // An operator that was away during the suspension has kept the Job of the old version.
        await change(cluster, { version: "1.30.0" });
      },
      check: async (cluster) => {
        expect(await conditionsOf(cluster)).toEqual(HEALTHY);
        expect((await cluster.get(Deployment, "shop"))?.spec?.replicas).toBe(3);
      },
    },
    { points: ({ id }) => id === "crash@0" || part.has(id, SHARE) },
  );
  console.info(`web-app suspended: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 500 : 10);
});
