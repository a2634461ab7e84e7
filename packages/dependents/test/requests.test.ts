/** How many requests an install costs. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentApply, dependentApplyAll } from "../src/index.ts";
import { Site, site } from "./sites.ts";

test("the install of 30 objects that are owned by label is 30 applies and at most one GET", async () => {
  const parts = Array.from({ length: 30 }, (_, i) =>
    dependentApply(Site, {
      name: `part-${i}`,
      kind: ConfigMap,
      ownership: "label",
      objectName: (owner) => `${owner.metadata.name}-${i}`,
      desired: (owner) => ({ data: { text: owner.spec.text } }),
    }),
  );
  await using cluster = await startTestCluster({ objects: [site()] });
  const op = await cluster.start(handler(Site).step(conditions()).step(dependentApplyAll("parts", parts)).build());
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  expect(cluster.requests.filter({ verb: "apply", resource: "configmaps" })).toHaveLength(30);
  expect(cluster.requests.filter({ resource: "configmaps" }).filter(({ verb }) => !["list", "watch", "apply"].includes(verb))).toEqual([]);
  expect(cluster.requests.filter({ verb: "get", resource: "sites" }).length).toBeLessThanOrEqual(1);
});
