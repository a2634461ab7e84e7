/** Operators of a test cluster with runnables: they are added to the manager, and have the rights that they declare. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import type { Runnable, RunnableEnv } from "@treadle/controller";
import { many } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { checkRights, startTestCluster } from "../src/index.ts";

/** Counts the ConfigMaps that it reads, in a Secret. */
function counting(namespace: string): Runnable {
  return {
    name: "counting",
    needsLeader: false,
    reads: [many(ConfigMap, () => ({ matchLabels: {} }))],
    permissions: [{ kind: Secret, verbs: ["create"] }],
    async start(_, { cache, client }: RunnableEnv) {
      const count = String(cache.list(ConfigMap, { namespace }).length);
      await client.create(Secret, { metadata: { name: "count", namespace }, stringData: { count } });
    },
  };
}

test("a runnable of a test operator may use what it declares", async () => {
  await using cluster = await startTestCluster();
  await cluster.create(ConfigMap, { metadata: { name: "a" } });
  await cluster.start([], { runnables: [counting("default")] });
  expect(await cluster.get(Secret, "count")).toMatchObject({ metadata: { name: "count" } });
});

test("a signal stops an operator that waits for its start", async () => {
  await using cluster = await startTestCluster({ time: "real" });
  const stop = new AbortController();
  let isStopped = false;
  const waiting: Runnable = {
    name: "waiting",
    needsCaches: false,
    start: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        stop.abort(new Error("enough"));
      }),
    stop: async () => void (isStopped = true),
  };
  await expect(cluster.start([], { runnables: [waiting], signal: stop.signal })).rejects.toThrow("stopped");
  expect(isStopped).toBe(true);
});

test("each right of a runnable is needed", async () => {
  await using cluster = await startTestCluster({ time: "real" });
  const runs = await checkRights(cluster, [], {
    runnables: (namespaces) => [counting(namespaces[0])],
    async run({ operator, namespaces: [namespace], until }) {
      await operator;
      await until("it has counted", async () => (await cluster.get(Secret, `${namespace}/count`)) !== undefined);
    },
  });
  expect(runs.map(({ without, failure }) => [without, failure])).toEqual([
    [undefined, undefined],
    ["list configmaps", "403 for list configmaps"],
    ["watch configmaps", "403 for watch configmaps"],
    ["create secrets", "403 for create secrets"],
  ]);
});
