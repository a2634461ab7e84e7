/** Users' stories of the deletion of a set's owner. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { SKIP_CLEANUP_ANNOTATION } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/index.ts";
import { config, HANDLER, namesOf, type Options, Platform, platform, platforms, settled } from "./platforms.ts";

const MEMORY = { tags: ["memory"] };
const OWNER = { name: "a", namespace: "default" };

const ours = async (cluster: TestCluster): Promise<readonly string[]> =>
  (await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name).filter((name) => !name.startsWith("kube"));

async function clusterWith(options: Partial<Options> = {}, spec: object = {}): Promise<TestCluster> {
  const cluster = await startTestCluster({ objects: [platform(spec)] });
  await cluster.start(platforms(options));
  await cluster.settled();
  return cluster;
}

test("objects of an owner that is deleted with --cascade=orphan stay without marks", MEMORY, async () => {
  await using cluster = await clusterWith();
  await cluster.client.delete(Platform, OWNER, { propagationPolicy: "Orphan" });
  await cluster.settled({ horizonMs: 60_000 });
  expect(await cluster.get(Platform, "a")).toBeUndefined();
  expect(await ours(cluster)).toEqual(["one", "two"]);
  const { labels = {}, annotations = {}, managedFields = [] } = (await cluster.get(ConfigMap, "one"))?.metadata ?? {};
  expect([...Object.keys(labels), ...Object.keys(annotations)].filter((mark) => mark.startsWith(HANDLER))).toEqual([]);
  expect(managedFields.filter(({ manager }) => manager?.startsWith(HANDLER))).toEqual([]);
});

test("objects of an owner that is deleted with --cascade=foreground are deleted before it", MEMORY, async () => {
  await using cluster = await clusterWith();
  await cluster.client.delete(Platform, OWNER, { propagationPolicy: "Foreground" });
  await cluster.settled({ horizonMs: 60_000 });
  expect(await ours(cluster)).toEqual([]);
  expect(await cluster.get(Platform, "a")).toBeUndefined();
});

test("an owner whose cleanup is skipped leaves its objects", MEMORY, async () => {
  await using cluster = await clusterWith();
  await cluster.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { [SKIP_CLEANUP_ANNOTATION]: HANDLER }));
  await cluster.delete(Platform, "a");
  await cluster.settled({ horizonMs: 60_000 });
  expect(await cluster.get(Platform, "a")).toBeUndefined();
  expect(await ours(cluster)).toEqual(["one", "two"]);
});

test("an owner that is deleted while it is suspended takes its objects with it", MEMORY, async () => {
  await using cluster = await clusterWith({ suspended: ({ spec }) => spec.suspended });
  await cluster.update(Platform, "a", ({ spec }) => void (spec.suspended = true));
  await cluster.update(ConfigMap, "one", (map) => void (map.data = { text: "drifted" }));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "one"))?.data).toEqual({ text: "drifted" });
  await cluster.delete(Platform, "a");
  await cluster.settled({ horizonMs: 60_000 });
  expect(await ours(cluster)).toEqual([]);
  expect(await cluster.get(Platform, "a")).toBeUndefined();
});

test.for([
  {
    name: "a problem of the plan",
    objects: ({ spec }: Platform): readonly Manifest[] =>
      [...spec.names, ...(spec.text === "bad" ? ["one"] : [])].map((name) => config(name)),
  },
  {
    name: "a renderer that throws",
    objects: ({ spec }: Platform): readonly Manifest[] => {
      if (spec.text === "bad") throw new Error("boom");
      return spec.names.map((name) => config(name));
    },
  },
])("an owner that is deleted while its set has $name takes its objects with it", MEMORY, async ({ objects }) => {
  await using cluster = await clusterWith({ objects });
  await cluster.update(Platform, "a", ({ spec }) => void (spec.text = "bad"));
  await cluster.settled();
  expect((await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady")?.reason).toBe("Error");
  expect(await ours(cluster)).toEqual(["one", "two"]);
  await cluster.delete(Platform, "a");
  await cluster.settled({ horizonMs: 60_000 });
  expect(await ours(cluster)).toEqual([]);
  expect(await cluster.get(Platform, "a")).toBeUndefined();
});

test("an object that was purged, and whose delete did not reach the server, is deleted by the next process", MEMORY, async () => {
  const objects = (): readonly Manifest[] => [config("migration", {}, { purge: 0 }), config("late", {}, { apply: 1 })];
  await using cluster = await startTestCluster({ objects: [platform()] });
  using cut = cluster.faults.add({ on: { verb: "delete", resource: "configmaps" }, fault: "reset" });
  const op = await cluster.start(platforms({ objects }));
  await op.settled();
  await op.stop();
  expect(await ours(cluster)).toEqual(["migration"]);
  cut.remove();
  const next = await cluster.start(platforms({ objects }));
  await next.settled();
  expect(await ours(cluster)).toEqual(["late"]);
});

test("an object that a user creates under the name of a purged one is not modified", MEMORY, async () => {
  const objects = ({ spec }: Platform): readonly Manifest[] => [config("migration", {}, { purge: 0 }), config("late", { text: spec.text })];
  await using cluster = await clusterWith({ objects });
  await cluster.create(ConfigMap, { metadata: { name: "migration" }, data: { text: "a user's" } });
  await cluster.update(Platform, "a", ({ spec }) => void (spec.text = "new"));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "migration"))?.data).toEqual({ text: "a user's" });
  expect((await cluster.get(ConfigMap, "late"))?.data).toEqual({ text: "new" });
  await cluster.delete(Platform, "a");
  await cluster.settled({ horizonMs: 60_000 });
  expect(await ours(cluster)).toEqual(["migration"]);
});

test("an owner that is to retain its objects, and is deleted before a pass, retains them", async () => {
  const world = await settled({ policies: ({ spec }) => ({ onRemoval: spec.retain ? "orphan-on-delete" : "delete" }) });
  await world.update(Platform, "a", ({ spec }) => void (spec.retain = true));
  await world.delete(Platform, "a");
  await world.settled();
  expect(await world.get(Platform, "a")).toBeUndefined();
  expect((await world.get(ConfigMap, "one"))?.metadata.labels).toBeUndefined();
});

test("an object that is to be deleted by its own policy is deleted, whatever its owner retains", async () => {
  const objects = () => [config("one", {}, { onRemoval: "delete" }), config("two")];
  const world = await settled({ objects, policies: () => ({ onRemoval: "orphan" }) });
  await world.delete(Platform, "a");
  await world.settled();
  expect(await namesOf(world)).toEqual(["two"]);
});
