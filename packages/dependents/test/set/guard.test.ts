/** CRDs of a set: they are not deleted as long as instances of other owners exist. */
import { crdOf } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { config, HANDLER, type Options, Platform, platform, platforms, Widget } from "./platforms.ts";

const CRD_NAME = "widgets.widgets.dev";
const crd = (): Manifest => ({ ...(crdOf(Widget) as unknown as Manifest) });
const widget = (name: string): Manifest => object(Widget, { metadata: { name }, spec: { size: 1 } });

/** Renders the CRD, unless the spec names "none", and an instance for each other name. */
const objects = ({ spec: { names } }: Platform): readonly Manifest[] => [
  config("base", { text: "desired" }),
  ...(names.includes("none") ? [] : [crd()]),
  ...names.filter((name) => name !== "none").map(widget),
];

const conditionOf = async (cluster: TestCluster, name = "a") => {
  const found = (await cluster.get(Platform, name))?.status?.conditions?.find(({ type }) => type === "StackReady");
  return { reason: found?.reason, message: found?.message };
};

async function clusterWith(options: Partial<Options> = {}, names: readonly string[] = ["ours"]): Promise<TestCluster> {
  const cluster = await startTestCluster({ objects: [platform({ names })] });
  await cluster.start(platforms({ objects, ...options }), { missing: [Widget] });
  await cluster.settled();
  await reason(cluster, "Ready");
  return cluster;
}

/** A real server takes its time until it serves a CRD, or has deleted it; an operator that waits for it is settled. */
const SOON = { timeout: 30_000 };
const reason = async (cluster: TestCluster, expected: string, name = "a"): Promise<void> => {
  await expect.poll(async () => (await conditionOf(cluster, name)).reason, SOON).toBe(expected);
};
const isGone = async (cluster: TestCluster): Promise<void> => {
  await expect.poll(() => cluster.get(Platform, "a"), SOON).toBeUndefined();
};
const isUndefined = async (cluster: TestCluster): Promise<void> => {
  await expect.poll(() => definition(cluster), SOON).toBeUndefined();
};

/** Actions of the cluster would install the CRD again. */
const near = (name: string) => ({ name, namespace: "default" });
const create = async (cluster: TestCluster, name: string): Promise<void> => {
  await cluster.client.create(Widget, { metadata: near(name), spec: { size: 2 } });
};
const hold = async (cluster: TestCluster, finalizers: readonly string[] | null): Promise<void> => {
  await cluster.client.patch(Widget, near("ours"), { type: "merge", body: { metadata: { finalizers } } });
};
const definition = async (cluster: TestCluster) => await cluster.get(CustomResourceDefinition, CRD_NAME);
const drop = async (cluster: TestCluster): Promise<void> => {
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["none"]));
  await cluster.settled();
};

describe("a CRD of a set", () => {
  test("carries the finalizer of the handler, and is deleted with its instances", async () => {
    await using cluster = await clusterWith();
    expect(await conditionOf(cluster)).toEqual({ reason: "Ready", message: "3 objects are ready" });
    expect((await definition(cluster))?.metadata.finalizers).toContain(`example.dev/${HANDLER}`);
    await drop(cluster);
    await isUndefined(cluster);
    await expect.poll(() => conditionOf(cluster), SOON).toEqual({ reason: "Ready", message: "1 object is ready" });
  });

  test("that is dropped stays with a user's instance, and the other objects are kept", async () => {
    await using cluster = await clusterWith();
    await create(cluster, "theirs");
    await drop(cluster);
    await reason(cluster, "DeletionBlocked");
    expect((await definition(cluster))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await cluster.client.get(Widget, near("theirs"))).toBeDefined();
    expect(await cluster.client.get(Widget, near("ours"))).toBeUndefined();
    expect((await conditionOf(cluster)).message).toMatch(/Widget default\/theirs/);
    await cluster.update(ConfigMap, "base", (map) => void (map.data = { text: "drifted" }));
    await cluster.settled();
    expect((await cluster.get(ConfigMap, "base"))?.data).toEqual({ text: "desired" });
    await cluster.client.delete(Widget, near("theirs"));
    await cluster.settled({ horizonMs: 60_000 });
    await isUndefined(cluster);
    await reason(cluster, "Ready");
  });

  test("stays with all objects of its owner, when that is deleted and a user's instance exists", async () => {
    await using cluster = await clusterWith();
    await create(cluster, "theirs");
    await cluster.delete(Platform, "a");
    await cluster.settled();
    await reason(cluster, "DeletionBlocked");
    expect(await cluster.client.get(Widget, near("ours"))).toBeDefined();
    expect(await cluster.get(ConfigMap, "base")).toBeDefined();
    expect((await definition(cluster))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await conditionOf(cluster)).message).toMatch(/Widget default\/theirs/);
    await cluster.client.delete(Widget, near("theirs"));
    await cluster.settled({ horizonMs: 60_000 });
    await isGone(cluster);
    expect(await cluster.get(ConfigMap, "base")).toBeUndefined();
    await isUndefined(cluster);
  });

  test("stays when an instance of another owner of the same handler exists", async () => {
    await using cluster = await startTestCluster({ objects: [platform({ names: ["ours"] })], kinds: [Platform] });
    const only = ({ metadata, spec }: Platform): readonly Manifest[] =>
      metadata.name === "b" ? [widget("of-b")] : objects({ metadata, spec } as Platform);
    await cluster.start(platforms({ objects: only }), { missing: [Widget] });
    await cluster.settled();
    await cluster.create(Platform, { metadata: { name: "b" }, spec: {} });
    await cluster.settled();
    await reason(cluster, "Ready");
    await reason(cluster, "Ready", "b");
    await cluster.delete(Platform, "a");
    await cluster.settled();
    await reason(cluster, "DeletionBlocked");
    expect((await conditionOf(cluster)).message).toMatch(/Widget default\/of-b/);
    await cluster.delete(Platform, "b");
    await cluster.settled({ horizonMs: 60_000 });
    await isGone(cluster);
    await isUndefined(cluster);
  });

  test("that a user deletes by hand is deleted and recreated, and its instances are as well", async () => {
    await using cluster = await clusterWith();
    const before = await definition(cluster);
    await cluster.delete(CustomResourceDefinition, CRD_NAME);
    await cluster.settled({ horizonMs: 60_000 });
    const after = await definition(cluster);
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await cluster.client.get(Widget, near("ours"))).toBeDefined();
    await reason(cluster, "Ready");
  });

  test("that stays when the owner is deleted blocks nothing", async () => {
    await using cluster = await clusterWith({ defaults: { onRemoval: "orphan" } });
    await create(cluster, "theirs");
    await cluster.delete(Platform, "a");
    await cluster.settled();
    await isGone(cluster);
    const left = await definition(cluster);
    expect(left?.metadata.finalizers ?? []).not.toContain(`example.dev/${HANDLER}`);
    expect(Object.keys(left?.metadata.labels ?? {}).filter((label) => label.startsWith(HANDLER))).toEqual([]);
    expect(await cluster.client.get(Widget, near("ours"))).toBeDefined();
  });
});

describe("a user's instance that is created while the set is removed", { tags: ["memory"] }, () => {
  test("keeps the CRD, when the instances of the owner are still being deleted", async () => {
    await using cluster = await clusterWith();
    await hold(cluster, ["example.com/hold"]);
    await cluster.delete(Platform, "a");
    await cluster.settled();
    expect((await conditionOf(cluster)).reason).toBe("Deleting");
    await create(cluster, "theirs");
    await hold(cluster, null);
    await cluster.settled();
    expect((await definition(cluster))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await cluster.client.get(Widget, near("theirs"))).toBeDefined();
    expect(await cluster.get(ConfigMap, "base"), "what may serve the instance stays").toBeDefined();
    expect(await conditionOf(cluster)).toMatchObject({ reason: "DeletionBlocked" });
    await cluster.client.delete(Widget, near("theirs"));
    await cluster.settled({ horizonMs: 60_000 });
    await isGone(cluster);
    await isUndefined(cluster);
  });

  test("does not hold the deletion, when it comes between the last check and the delete of the CRD", async () => {
    await using cluster = await clusterWith();
    let isCreated = false;
    cluster.onRequest(async ({ verb, resource }) => {
      if (verb !== "delete" || resource !== "customresourcedefinitions" || isCreated) return;
      isCreated = true;
      await create(cluster, "late");
    });
    await cluster.delete(Platform, "a");
    await cluster.settled({ horizonMs: 60_000 });
    expect(isCreated).toBe(true);
    await isGone(cluster);
    await isUndefined(cluster);
  });
});

describe("alsoGuards", () => {
  const onlyBase = (): readonly Manifest[] => [config("base")];
  const permissions = [{ kind: Widget, verbs: ["list"] as const }];

  test.for([
    { name: "a kind", guarded: { group: "widgets.dev", kind: "Widget" }, isBlocked: true },
    { name: "all kinds of a group", guarded: { group: "widgets.dev", kind: "*" }, isBlocked: true },
    { name: "all groups with a suffix", guarded: { group: "*.dev", kind: "Widget" }, isBlocked: true },
    { name: "another kind", guarded: { group: "widgets.dev", kind: "Gadget" }, isBlocked: false },
    { name: "another suffix", guarded: { group: "*.widgets.dev", kind: "*" }, isBlocked: false },
    { name: "a group whose kinds cannot be listed", guarded: { group: "authorization.k8s.io", kind: "*" }, isBlocked: false },
  ])("$name: the deletion is blocked: $isBlocked", async ({ guarded, isBlocked }) => {
    await using cluster = await startTestCluster({ objects: [platform()], kinds: [Widget] });
    await cluster.start(platforms({ objects: onlyBase, alsoGuards: [guarded], permissions }), { rbac: "administrator" });
    await create(cluster, "theirs");
    await cluster.settled();
    await cluster.delete(Platform, "a");
    await cluster.settled();
    expect((await cluster.get(Platform, "a")) !== undefined).toBe(isBlocked);
    if (!isBlocked) return;
    expect(await conditionOf(cluster)).toMatchObject({ reason: "DeletionBlocked" });
    await cluster.client.delete(Widget, near("theirs"));
    await cluster.settled({ horizonMs: 60_000 });
    await isGone(cluster);
  });
});
