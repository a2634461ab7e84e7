/** A dependent that adds no finalizer to its owner. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentApply } from "../src/index.ts";
import { Site, site } from "./sites.ts";

const config = dependentApply(Site, { name: "config", kind: ConfigMap, finalizer: "on-demand", desired: { data: { a: "b" } } });

test("the garbage collector deletes a dependent with the finalizer on demand", async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const op = await cluster.start(handler(Site).step(conditions()).step(config).build());
  await op.settled();
  expect((await cluster.get(Site, "a"))?.metadata.finalizers ?? []).toEqual([]);
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  await expect.poll(() => cluster.get(ConfigMap, "a")).toBeUndefined();
});

test("a dependent with the finalizer on demand is cleaned up while another step holds the finalizer", async () => {
  let isLeft = true;
  const other = step(Site, {
    name: "other",
    do: () => undefined,
    async cleanup(req) {
      isLeft = (await req.client.get(ConfigMap, "a")) !== undefined;
    },
    permissions: [{ kind: ConfigMap, verbs: ["get"] }],
  });
  await using cluster = await startTestCluster({ objects: [site()] });
  const op = await cluster.start(handler(Site).step(conditions()).step(other).step(config).build());
  await op.settled();
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(isLeft).toBe(false);
});
