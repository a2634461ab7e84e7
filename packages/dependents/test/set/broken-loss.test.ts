/** What looks like the owner's and is not: copies with its labels, and what users create while a set is removed. */
import { crdOf, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { config, namesOf, Platform, platform, platforms, settled, Widget } from "./platforms.ts";

const CRD_NAME = "widgets.widgets.dev";

const objects = ({ spec: { names } }: Platform): readonly Manifest[] =>
  names.includes("none")
    ? [config("base")]
    : [config("base"), crdOf(Widget) as unknown as Manifest, object(Widget, { metadata: { name: "ours" }, spec: { size: 1 } })];

async function begun(): Promise<TestCluster> {
  const cluster = await startTestCluster({ objects: [platform({ names: ["all"] })] });
  await cluster.start(platforms({ objects }), { missing: [Widget] });
  await cluster.settled();
  return cluster;
}

const conditionOf = async (cluster: TestCluster) =>
  (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");

/** What `kubectl get -o yaml | sed | kubectl create` makes: labels and annotations, no managed fields. */
function copyOf({ metadata: { labels, annotations } }: KubernetesObject, name: string): object {
  return { metadata: { name, labels, annotations } };
}

describe("a copy of an instance, with its labels", { tags: ["memory"] }, () => {
  test("keeps its CRD when the owner is deleted", async () => {
    await using cluster = await begun();
    const ours = (await cluster.get(Widget, "ours")) as KubernetesObject;
    await cluster.create(Widget, { ...copyOf(ours, "copy"), spec: { size: 7 } } as never);
    await cluster.delete(Platform, "a");
    await cluster.settled();
    expect(await cluster.get(Widget, "copy")).toBeDefined();
    expect(await conditionOf(cluster)).toMatchObject({ reason: "DeletionBlocked" });
    await cluster.delete(Widget, "copy");
    await cluster.settled({ horizonMs: 60_000 });
    expect(await cluster.get(Platform, "a")).toBeUndefined();
    expect(await cluster.get(CustomResourceDefinition, CRD_NAME)).toBeUndefined();
  });

  test("keeps its CRD when that is dropped", async () => {
    await using cluster = await begun();
    const ours = (await cluster.get(Widget, "ours")) as KubernetesObject;
    await cluster.create(Widget, { ...copyOf(ours, "copy"), spec: { size: 7 } } as never);
    await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["none"]));
    await cluster.settled();
    expect(await cluster.get(Widget, "copy")).toBeDefined();
    expect(await conditionOf(cluster)).toMatchObject({ reason: "DeletionBlocked" });
    await cluster.delete(Widget, "copy");
    await cluster.settled({ horizonMs: 60_000 });
    expect(await cluster.get(CustomResourceDefinition, CRD_NAME)).toBeUndefined();
    expect(await conditionOf(cluster)).toMatchObject({ reason: "Ready" });
  });
});

test("an instance that a user creates while the set is removed keeps its CRD", { tags: ["memory"] }, async () => {
  await using cluster = await begun();
  // The instance of the set takes time, so the CRD waits.
  await cluster.update(Widget, "ours", ({ metadata }) => void (metadata.finalizers = ["example.dev/slow"]));
  await cluster.settled();
  await cluster.delete(Platform, "a");
  await cluster.settled();
  expect((await cluster.get(Widget, "ours"))?.metadata.deletionTimestamp).toBeDefined();
  // cluster.create() would install the CRD again.
  await cluster.client.create(Widget, { metadata: { name: "theirs", namespace: "default" }, spec: { size: 2 } });
  await cluster.update(Widget, "ours", ({ metadata }) => void delete metadata.finalizers);
  await cluster.settled();
  expect(await cluster.get(Widget, "theirs")).toBeDefined();
  expect(await conditionOf(cluster)).toMatchObject({ reason: "DeletionBlocked" });
  await cluster.delete(Widget, "theirs");
  await cluster.settled({ horizonMs: 60_000 });
  expect(await cluster.get(Platform, "a")).toBeUndefined();
  expect(await cluster.get(CustomResourceDefinition, CRD_NAME)).toBeUndefined();
});

describe("a copy of an object that is replaced", () => {
  const options = { replaces: true, defaults: { update: "replace" } } as const;

  test("stays", async () => {
    const world = await settled(options);
    const one = (await world.get(ConfigMap, "one")) as KubernetesObject;
    await world.create(ConfigMap, { ...copyOf(one, "copy"), data: { mine: "yes" } } as never);
    await world.pass("a");
    await world.settled();
    expect(await namesOf(world)).toEqual(["copy", "one", "two"]);
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual(["copy"]);
  });

  test("does not keep the original, which is still removed", async () => {
    const world = await settled(options);
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
    await world.settled();
    expect(await namesOf(world)).toEqual(["two"]);
  });
});

describe("a set whose step state was removed", () => {
  test("removes what it does not render any more", async () => {
    const world = await settled({ objects: ({ spec }) => (spec.names.includes("none") ? [] : spec.names.map((name) => config(name))) });
    await world.updateStatus(Platform, "a", (owner) => void delete (owner as { status?: unknown }).status);
    await world.update(Platform, "a", (owner) => void (owner.spec.names = ["none"]));
    await world.settled();
    expect(await namesOf(world)).toEqual([]);
  });

  test("removes all when its owner is deleted", async () => {
    const world = await settled();
    await world.updateStatus(Platform, "a", (owner) => void delete (owner as { status?: unknown }).status);
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual([]);
    expect(await world.get(Platform, "a")).toBeUndefined();
  });
});
