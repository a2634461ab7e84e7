/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. */
import { explore } from "@treadle/testing/explore";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { sites } from "./controller.ts";
import { Site } from "./site.ts";

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

test("a Site reaches the same end state after every single fault", { tags: ["memory", "long"], timeout: 600_000 }, async () => {
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
