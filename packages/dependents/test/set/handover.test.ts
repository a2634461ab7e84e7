/** An object that moves from one owner to another one. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { handover } from "../../src/index.ts";
import { HANDLER, Platform, platforms } from "./platforms.ts";

test("an object that is handed over is not deleted by the one, and not written by the other", async () => {
  await using cluster = await startTestCluster();
  await cluster.start(platforms());
  const from = await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["shared"] } });
  await cluster.settled();
  const to = await cluster.create(Platform, { metadata: { name: "b" }, spec: { names: ["shared"] } });
  await cluster.settled();
  const before = await cluster.get(ConfigMap, "shared");
  const keeper = { handler: HANDLER, step: "stack" };
  const move = {
    kind: ConfigMap,
    ref: { name: "shared", namespace: "default" },
    from: { ...keeper, owner: from },
    to: { ...keeper, owner: to },
  };
  expect(await handover(cluster.client, move)).toBe(true);
  expect(await handover(cluster.client, move)).toBe(true);
  cluster.requests.clear();
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = []));
  await cluster.settled();
  const after = await cluster.get(ConfigMap, "shared");
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(cluster.requests.filter({ kind: ConfigMap, verb: ["delete", "create"] })).toEqual([]);
  await cluster.delete(Platform, "a");
  await cluster.settled();
  expect(await cluster.get(ConfigMap, "shared")).toBeDefined();
  await cluster.delete(Platform, "b");
  await cluster.settled();
  expect(await cluster.get(ConfigMap, "shared")).toBeUndefined();
});

test("an object of neither owner is not handed over", async () => {
  await using cluster = await startTestCluster();
  await cluster.start(platforms());
  const from = await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: [] } });
  const to = await cluster.create(Platform, { metadata: { name: "b" }, spec: { names: [] } });
  await cluster.create(ConfigMap, { metadata: { name: "shared" } });
  const keeper = { handler: HANDLER, step: "stack" };
  const move = {
    kind: ConfigMap,
    ref: { name: "shared", namespace: "default" },
    from: { ...keeper, owner: from },
    to: { ...keeper, owner: to },
  };
  await expect(handover(cluster.client, move)).rejects.toThrow(
    /cannot hand over ConfigMap default\/shared: step "stack" of Platform default\/a/,
  );
  expect(await handover(cluster.client, { ...move, ref: { name: "missing", namespace: "default" } })).toBe(false);
});
