/** The operator under every fault at every point of a user's story: all runs must come to the same end. */
import { explore } from "@treadle/testing/explore";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { Site, sites } from "./site.ts";

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

test("whatever fails when: the same pages and copies, none left over", { tags: ["memory"], timeout: 600_000 }, async () => {
  const { summary, points } = await explore(sites, {
    objects: [namespace("elsewhere"), namespace("far-away")],
    async run(cluster) {
      await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "hello", copyTo: "elsewhere" } });
      await cluster.settled();
      await cluster.update(ConfigMap, "a-page", (page) => {
        page.data = { text: "drift", note: "mine" };
      });
      await cluster.settled();
      await cluster.delete(ConfigMap, "elsewhere/a-copy");
      await cluster.update(Site, "a", (site) => {
        site.spec.text = "good morning";
        site.spec.copyTo = "far-away";
      });
      await cluster.settled();
      await cluster.create(Site, { metadata: { name: "b" }, spec: { text: "short", copyTo: "elsewhere" } });
      await cluster.settled();
      await cluster.delete(Site, "b");
    },
  });
  console.info(`owned: ${summary}`);
  expect(points).toBeGreaterThan(50);
});
