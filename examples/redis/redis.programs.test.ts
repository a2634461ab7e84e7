import { startTestCluster } from "@treadle/testing";
import { Secret, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { Redis, redis } from "./redis.ts";

test("a Redis is installed from the chart, and follows its spec", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(redis);
  await cluster.create(Secret, { metadata: { name: "password" }, stringData: { password: "pass" } });
  await cluster.create(Redis, { metadata: { name: "cache" }, spec: { replicas: 2, passwordSecret: "password" } });
  await cluster.settled();
  expect((await cluster.get(Redis, "cache"))?.status?.state).toBe("Ready");
  await cluster.update(Redis, "cache", ({ spec }) => void (spec.replicas = 3));
  await cluster.settled();
  expect((await cluster.get(StatefulSet, "cache"))?.spec?.replicas).toBe(3);
});
