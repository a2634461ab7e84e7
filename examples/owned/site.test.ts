import "@treadle/testing/matchers";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { ApiError, type KubernetesObject } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { sites } from "./controller.ts";
import { Site } from "./site.ts";

const site = (spec: object): object => ({ apiVersion: "example.com/v1", kind: "Site", metadata: { name: "a" }, spec });
const configMap = (namespace: string, name: string, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name, ...metadata },
  data: { text: "somebody else's" },
});

const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** Returns a settled world. The requests so far are cleared. */
async function settled(...objects: object[]): Promise<FakeWorld> {
  const world = fakeWorld(sites, { objects: [namespace("elsewhere"), namespace("there"), ...objects] });
  await world.settled();
  world.requests.clear();
  return world;
}

test("the first pass creates both ConfigMaps, and the second writes nothing", async () => {
  const world = await settled(site({ text: "hello", copyTo: "elsewhere" }));
  expect(await world.get(Site, "a")).toBeReady();
  const { metadata } = (await world.get(Site, "a")) as KubernetesObject;
  const page = await world.get(ConfigMap, "a-page");
  expect(page?.data).toEqual({ text: "hello" });
  expect(page?.metadata.ownerReferences).toMatchObject([{ kind: "Site", name: "a", uid: metadata.uid, controller: true }]);
  const copy = await world.get(ConfigMap, "elsewhere/a-copy");
  expect(copy?.data).toEqual({ text: "hello" });
  expect(copy?.metadata.ownerReferences).toBeUndefined();

  expect(await world.pass("a")).toContinue();
  expect(world.requests.length).toBe(0);
});

test.for(["default/a-page", "elsewhere/a-copy"])("a change or a deletion of ConfigMap %s is reverted", async (key) => {
  const world = await settled(site({ text: "hello", copyTo: "elsewhere" }));
  await world.update(ConfigMap, key, (object) => {
    object.data = { text: "drift", more: "of it" };
  });
  await world.settled();
  // A key that another writer added stays.
  expect((await world.get(ConfigMap, key))?.data).toEqual({ text: "hello", more: "of it" });

  await world.delete(ConfigMap, key);
  await world.settled();
  expect((await world.get(ConfigMap, key))?.data).toEqual({ text: "hello" });
});

test.for([
  { type: "PageReady", namespace: "default", name: "a-page", message: "ConfigMap a-page is not ours: no controller owns it" },
  { type: "CopyReady", namespace: "elsewhere", name: "a-copy", message: "ConfigMap elsewhere/a-copy is not ours: no controller owns it" },
  {
    type: "PageReady",
    namespace: "default",
    name: "a-page",
    metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
    message: "ConfigMap a-page is not ours: it belongs to Node n (v1, uid u)",
  },
])(
  "a foreign ConfigMap is not modified, and its name is used after its deletion: $message",
  async ({ type, namespace, name, metadata, message }) => {
    const world = await settled(configMap(namespace, name, metadata), site({ text: "hello", copyTo: "elsewhere" }));
    const key = `${namespace}/${name}`;
    expect(await world.get(Site, "a")).toHaveCondition(type, { status: "False", reason: "NotOurs", message });
    expect((await world.get(ConfigMap, key))?.data).toEqual({ text: "somebody else's" });

    await world.delete(ConfigMap, key);
    await world.settled();
    expect((await world.get(ConfigMap, key))?.data).toEqual({ text: "hello" });
    expect(await world.get(Site, "a")).toBeReady();
  },
);

test("a ConfigMap that the cache does not show yet is not a failure", async () => {
  const world = fakeWorld(sites, { objects: [site({ text: "hello" })] });
  const stop = world.onRequest(({ verb, resource }) => {
    if (verb !== "apply" || resource !== "configmaps") return;
    stop();
    throw new ApiError({ message: "it exists already", status: 409, reason: "Conflict" });
  });
  await world.settled();
  expect(world.dueIn("a")).toBe(50);

  await world.advance(50);
  await world.settled();
  expect(await world.get(Site, "a")).toBeReady();
  expect(world.passes.filter(({ error }) => error !== undefined)).toEqual([]);
});

test("the copy follows spec.copyTo, and is deleted when spec.copyTo is removed", async () => {
  const world = await settled(site({ text: "hello", copyTo: "elsewhere" }), configMap("default", "a-copy"));
  await world.update(Site, "a", (object) => {
    object.spec.copyTo = "there";
  });
  await world.settled();
  expect(await world.get(ConfigMap, "elsewhere/a-copy")).toBeUndefined();
  expect((await world.get(ConfigMap, "there/a-copy"))?.data).toEqual({ text: "hello" });

  await world.update(Site, "a", (object) => {
    delete object.spec.copyTo;
  });
  await world.settled();
  expect(await world.get(ConfigMap, "there/a-copy")).toBeUndefined();
  expect((await world.get(ConfigMap, "default/a-copy"))?.data).toEqual({ text: "somebody else's" });
  expect(await world.get(Site, "a")).toHaveCondition("CopyReady", { status: "True", reason: "NotWanted" });
});

test("a deleted Site deletes its copy and no foreign ConfigMap", async () => {
  const world = await settled(site({ text: "hello", copyTo: "elsewhere" }), configMap("elsewhere", "of-somebody"));
  await world.delete(Site, "a");
  await world.settled();
  await world.advance(100);
  await world.settled();
  expect(await world.get(Site, "a")).toBeUndefined();
  expect(await world.get(ConfigMap, "elsewhere/a-copy")).toBeUndefined();
  expect(await world.get(ConfigMap, "elsewhere/of-somebody")).toBeDefined();
  expect(world.requests.count({ verb: "delete", name: "a-copy" })).toBe(1);
  // The owner reference leaves this one to the garbage collector of a cluster.
  expect(world.requests.filter({ verb: "delete", name: "a-page" })).toEqual([]);
});
