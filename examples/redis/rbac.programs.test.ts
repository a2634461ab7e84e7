/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { ConfigMap, Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { Redis, redis } from "./redis.ts";

test("the redis operator needs each of its rights and no others", { timeout: 600_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Redis], workloads: true, checkStatus: false });
  const runs = await checkRights(cluster, redis, {
    async run({ namespaces: [namespace], until }) {
      await cluster.create(Secret, { metadata: { name: "password", namespace }, stringData: { password: "pass" } });
      await cluster.create(Redis, { metadata: { name: "cache", namespace }, spec: { passwordSecret: "password" } });
      const isReady = async (): Promise<boolean> => (await cluster.get(Redis, `${namespace}/cache`))?.status?.state === "Ready";
      await until("the Redis is ready", isReady);
      // The second change repeats an event, which needs a right of its own.
      for (const text of ["a", "b"]) {
        await cluster.update(ConfigMap, `${namespace}/cache`, (map) => void (map.data = { "redis.conf": text }));
        await until("the configuration is reverted", async () =>
          ((await cluster.get(ConfigMap, `${namespace}/cache`))?.data?.["redis.conf"] ?? "").includes("maxmemory"),
        );
      }
      await cluster.delete(Redis, `${namespace}/cache`);
      await until("the Redis no longer exists", async () => (await cluster.get(Redis, `${namespace}/cache`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(34);
});
