/** Users' stories of dependentApply: ownership, adoption, drift, pruning, switches. In memory and, unchanged, on a real server. */
import "@treadle/testing/matchers";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentsOf } from "../src/index.ts";
import { expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { configMap, type Options, page, Site, site, WRITES } from "./sites.ts";

/** An operator at rest, with the Site `a` and whatever else is given. */
async function started(cluster: TestCluster, options: Partial<Options> = {}): Promise<TestOperator> {
  const op = await cluster.start(handler(Site).step(conditions()).step(page(options)).build());
  await op.settled();
  cluster.requests.clear();
  return op;
}

const textOf = async (cluster: TestCluster, name = "a-page"): Promise<string | undefined> =>
  (await cluster.get(ConfigMap, name))?.data?.["text"];
const entryOf = async (cluster: TestCluster, name = "a"): Promise<string | undefined> => {
  const [entry] = dependentsOf((await cluster.get(Site, name)) ?? {});
  return entry === undefined ? undefined : `${entry.type}/${entry.reason}`;
};

test("a dependent is created, updated, reverted, and deleted with its owner", async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const op = await started(cluster);
  expect(await cluster.get(Site, "a")).toBeReady();
  expect(await textOf(cluster)).toBe("hello");
  await op.settled();
  expect(cluster.requests.filter({ verb: WRITES })).toEqual([]);

  await cluster.update(Site, "a", (object) => void (object.spec.text = "bye"));
  await op.settled();
  expect(await textOf(cluster)).toBe("bye");

  await cluster.update(ConfigMap, "a-page", (object) => void (object.data = { text: "drift", mine: "stays" }));
  await op.settled();
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "bye", mine: "stays" });

  await cluster.delete(ConfigMap, "a-page");
  await op.settled();
  expect((await cluster.get(ConfigMap, "a-page"))?.data).toEqual({ text: "bye" });

  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();
});

test("an object that is no longer desired, or renamed, is deleted", async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const op = await started(cluster);
  await cluster.update(Site, "a", (object) => void (object.spec.name = "other"));
  await op.settled();
  expect(await textOf(cluster, "other")).toBe("hello");
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();

  await cluster.update(Site, "a", (object) => void (object.spec.wanted = false));
  await op.settled();
  expect(await cluster.get(ConfigMap, "other")).toBeUndefined();
  expect(await entryOf(cluster)).toBeUndefined();
  expect(await cluster.get(Site, "a")).toBeReady();
});

test.for([
  { adopt: "never", isControlled: false, taken: false },
  { adopt: "never", isControlled: true, taken: false },
  { adopt: "ifUnowned", isControlled: false, taken: true },
  { adopt: "ifUnowned", isControlled: true, taken: false },
  { adopt: "force", isControlled: true, taken: true },
] as const)("adopt $adopt, and a controller has it: $isControlled; taken: $taken", async ({ adopt, isControlled, taken }) => {
  await using cluster = await startTestCluster({ objects: [configMap("boss")], kinds: [Site] });
  const { apiVersion, kind, metadata } = (await cluster.get(ConfigMap, "boss")) as ConfigMap;
  const ownerReferences = isControlled ? [{ apiVersion, kind, name: "boss", uid: metadata.uid ?? "", controller: true }] : [];
  await cluster.create(ConfigMap, { metadata: { name: "a-page", ownerReferences }, data: { text: "theirs" } });
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  const op = await started(cluster, { adopt });
  expect(await textOf(cluster)).toBe(taken ? "hello" : "theirs");
  expect(await entryOf(cluster)).toBe(taken ? "Ready/Ready" : "Failed/NotOurs");
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect((await cluster.get(ConfigMap, "a-page")) === undefined).toBe(taken);
});

test("two owners with one object: the second names the first, and takes over after the first is deleted", async () => {
  await using cluster = await startTestCluster({ objects: [site("a", { name: "one", text: "of a" })] });
  const op = await started(cluster);
  await cluster.create(Site, { metadata: { name: "b" }, spec: { name: "one", text: "of b" } });
  await op.settled();
  expect(await textOf(cluster, "one")).toBe("of a");
  expect(dependentsOf((await cluster.get(Site, "b")) ?? {})[0]?.message).toMatch(/Site (default\/)?a\b/);

  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "b")).toBeReady();
  expect(await textOf(cluster, "one")).toBe("of b");
});

test("an object in another namespace is found by its label, and the cleanup deletes it", async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  await cluster.create(Namespace, { metadata: { name: "elsewhere" } });
  const op = await started(cluster, { namespace: "elsewhere" });
  const stored = await cluster.get(ConfigMap, "elsewhere/a-page");
  expect(stored?.data).toEqual({ text: "hello" });
  expect(stored?.metadata.ownerReferences).toBeUndefined();
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(ConfigMap, "elsewhere/a-page")).toBeUndefined();
});

test("owned: false stays; created: false waits; updated: false does not modify the object", async () => {
  await using cluster = await startTestCluster({ objects: [site("a"), configMap("b-page", { text: "theirs" })] });
  const unowned = await started(cluster, { owned: false });
  expect(await textOf(cluster)).toBe("hello");
  await cluster.delete(Site, "a");
  await unowned.settled();
  expect(await textOf(cluster)).toBe("hello");
  await unowned.stop();

  await cluster.create(Site, { metadata: { name: "c" }, spec: {} });
  const waiting = await started(cluster, { created: false });
  expect(await entryOf(cluster, "c")).toBe("Pending/NotFound");
  await cluster.create(ConfigMap, { metadata: { name: "c-page" }, data: { text: "theirs" } });
  await waiting.settled();
  expect(await entryOf(cluster, "c")).toBe("Ready/Ready");
  await waiting.stop();

  await cluster.delete(Site, "c");
  await cluster.create(Site, { metadata: { name: "b" }, spec: {} });
  await started(cluster, { updated: false, adopt: "ifUnowned" });
  expect(await textOf(cluster, "b-page")).toBe("theirs");
});
