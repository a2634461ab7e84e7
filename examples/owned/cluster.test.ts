/** A user's story. It runs on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { configMap, startTestCluster } from "@treadle/testing";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { sites } from "./controller.ts";
import { Site } from "./site.ts";

const text = { spec: { text: "hello", copyTo: "elsewhere" } };
const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

test("a page and its copy are created, reverted after a change, and deleted with their Site", async () => {
  await using cluster = await startTestCluster({ objects: [namespace("elsewhere")] });
  const op = await cluster.start(sites);
  await cluster.create(Site, { metadata: { name: "a" }, ...text });
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  expect((await cluster.get(ConfigMap, "elsewhere/a-copy"))?.data).toEqual({ text: "hello" });

  await cluster.update(ConfigMap, "a-page", (object) => {
    object.data = { text: "drift", note: "mine" };
  });
  await cluster.delete(ConfigMap, "elsewhere/a-copy");
  await op.settled();
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello", note: "mine" });
  expect((await cluster.get(ConfigMap, "elsewhere/a-copy"))?.data).toEqual({ text: "hello" });

  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "elsewhere/a-copy")).toBeUndefined();
  // That of the reference, by the garbage collector.
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();
});

test("a ConfigMap without a controller is not modified, and its name is used after its deletion", async () => {
  await using cluster = await startTestCluster({ objects: [namespace("elsewhere"), configMap("default/a-page", { text: "mine" })] });
  const op = await cluster.start(sites);
  await cluster.create(Site, { metadata: { name: "a" }, ...text });
  await op.settled();
  expect(await cluster.get(Site, "a")).toHaveCondition("PageReady", { status: "False", reason: "NotOurs" });
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "mine" });

  await cluster.delete(ConfigMap, "a-page");
  await op.settled();
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  expect(await cluster.get(Site, "a")).toBeReady();
});

test("a settled Site costs no request", async () => {
  await using cluster = await startTestCluster({ objects: [namespace("elsewhere")] });
  const op = await cluster.start(sites);
  await cluster.create(Site, { metadata: { name: "a" }, ...text });
  await op.settled();
  cluster.requests.clear();
  await op.settled({ horizonMs: 60_000 });
  expect(cluster.requests.filter()).toEqual([]);
});
