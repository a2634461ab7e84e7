/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { isNotFound } from "treadle";
import { ConfigMap, CustomResourceDefinition } from "treadle/kinds";
import { expect, test } from "vitest";
import { fleet } from "./controller.ts";
import { Fleet } from "./fleet.ts";
import { ROBOTS } from "./story.ts";

/** The server may have deleted it meanwhile. */
const ignoreGone = (error: unknown): void => {
  if (!isNotFound(error)) throw error;
};

test("the fleet operator needs each of its rights and no others", { timeout: 600_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Fleet], workloads: true, checkStatus: false });
  const noFinalizers = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  const runs = await checkRights(cluster, fleet, {
    isClusterWide: true,
    async run({ namespaces: [namespace], until }) {
      // An earlier run that lacked a right has left its CRD, which exists once in a cluster.
      for (const { metadata } of await cluster.list(Fleet)) {
        await cluster.client.patch(Fleet, { name: metadata.name, namespace: metadata.namespace ?? "" }, noFinalizers).catch(ignoreGone);
        await cluster.delete(Fleet, `${metadata.namespace}/${metadata.name}`);
      }
      if ((await cluster.get(CustomResourceDefinition, ROBOTS)) !== undefined) {
        await cluster.client.patch(CustomResourceDefinition, { name: ROBOTS }, noFinalizers).catch(ignoreGone);
        await cluster.delete(CustomResourceDefinition, ROBOTS);
      }
      await cluster.create(Fleet, { metadata: { name: "a", namespace }, spec: { robots: 1 } });
      const isReady = async (): Promise<boolean> => (await cluster.get(Fleet, `${namespace}/a`))?.status?.state === "Ready";
      await until("the fleet is ready", isReady);
      // The second change repeats an event, which needs a right of its own.
      for (const doors of ["17", "18"]) {
        await cluster.update(ConfigMap, `${namespace}/hall-1`, (hall) => void (hall.data = { ...hall.data, doors }));
        await until("the hall is reverted", async () => (await cluster.get(ConfigMap, `${namespace}/hall-1`))?.data?.["doors"] === "2");
      }
      await cluster.delete(Fleet, `${namespace}/a`);
      await until("the Fleet is gone", async () => (await cluster.get(Fleet, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(48);
});
