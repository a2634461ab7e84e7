/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { sites } from "./controller.ts";
import { Site } from "./site.ts";

test("the Site operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [Site] });
  const runs = await checkRights(cluster, sites, {
    namespaces: 2,
    async run({ namespaces: [namespace, elsewhere = ""], until }) {
      const textOf = async (key: string) => (await cluster.get(ConfigMap, key))?.data?.["text"];
      await cluster.create(Site, { metadata: { name: "a", namespace }, spec: { text: "hello", copyTo: elsewhere } });
      await until("the page is there", async () => (await textOf(`${namespace}/a-page`)) === "hello");
      await until("the copy is there", async () => (await textOf(`${elsewhere}/a-copy`)) === "hello");
      await cluster.delete(Site, `${namespace}/a`);
      await until("the Site is gone", async () => (await cluster.get(Site, `${namespace}/a`)) === undefined);
      await until("the copy is gone", async () => (await textOf(`${elsewhere}/a-copy`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(12);
});
