/** The in-use protection of configs. */
import { defineResource, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { fakeWorld, type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ProviderDefinition } from "./provider/provider.ts";
import { providerConfigs } from "./provider-configs.ts";
import { unknownUsers } from "./provider/config-users.ts";

const common = { group: "store.example.com", version: "v1" } as const;
const StoreConfig = defineResource({ ...common, kind: "StoreConfig", scope: "Cluster", spec: z.object({}), status: z.object({}) });
const SpaceConfig = defineResource({ ...common, kind: "SpaceConfig", scope: "Namespaced", spec: z.object({}), status: z.object({}) });
const spec = z.object({ config: z.string().optional(), namespace: z.string().optional(), round: z.int32().optional() });
const Bucket = defineResource({ ...common, kind: "Bucket", scope: "Namespaced", spec });
const Region = defineResource({ ...common, kind: "Region", scope: "Cluster", spec });

function providerOf(config: Kind): ProviderDefinition {
  const configOf = (object: KubernetesObject): string | Ref | undefined => {
    const { config: name, namespace } = (object as { spec?: { config?: string; namespace?: string } }).spec ?? {};
    if (name === "throws") throw new Error("boom");
    return name === undefined || namespace === undefined ? name : { name, namespace };
  };
  return { config, options: { connect: () => ({}) }, configOf };
}
const handlerOf = (config: Kind): ReturnType<typeof providerConfigs> => providerConfigs(providerOf(config), [Bucket, Region]);

const config = (name: string, kind = "StoreConfig"): object => ({ apiVersion: "store.example.com/v1", kind, metadata: { name }, spec: {} });
const user = (name: string, to: string | undefined, more: { kind?: string; namespace?: string; of?: string } = {}): object => ({
  apiVersion: "store.example.com/v1",
  kind: more.kind ?? "Bucket",
  metadata: { name, ...(more.namespace === undefined ? {} : { namespace: more.namespace }) },
  spec: { ...(to === undefined ? {} : { config: to }), ...(more.of === undefined ? {} : { namespace: more.of }) },
});

const FINALIZER = "store.example.com/storeconfigs.store.example.com";

async function finalizers(world: FakeWorld, name: string): Promise<readonly string[] | undefined> {
  const live = await world.get(StoreConfig, name);
  return live === undefined ? undefined : (live.metadata.finalizers ?? []);
}

async function ready(world: FakeWorld, kind: Kind, key: string): Promise<object | undefined> {
  const live = (await world.get(kind, key)) as {
    status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
  };
  const condition = live?.status?.conditions?.find(({ type }) => type === "Ready");
  return condition && { status: condition.status, reason: condition.reason, message: condition.message };
}

describe("a config", () => {
  test("that no object uses gets no finalizer, is Ready, and can be deleted", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "other"), user("c", undefined)] });
    await world.settled();
    expect(await finalizers(world, "a")).toEqual([]);
    expect(await ready(world, StoreConfig, "a")).toMatchObject({ status: "True" });
    await world.delete(StoreConfig, "a");
    expect(await finalizers(world, "a")).toBeUndefined();
  });

  test("that is used stays until its last object is deleted, and says which objects use it", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "a"), user("r", "a", { kind: "Region" })] });
    await world.settled();
    await world.delete(StoreConfig, "a");
    await world.settled();
    const message = "2 objects use it: Bucket default/b, Region r";
    expect(await ready(world, StoreConfig, "a")).toEqual({ status: "False", reason: "InUse", message });
    await world.delete(Bucket, "b");
    await world.settled();
    expect(await ready(world, StoreConfig, "a"), "each change would start passes of all objects").toMatchObject({ message });
    await world.advance(60_000);
    await world.settled();
    expect(await ready(world, StoreConfig, "a")).toMatchObject({ message: "1 object uses it: Region r" });
    await world.delete(Region, "r");
    await world.settled();
    expect(await finalizers(world, "a")).toBeUndefined();
  });

  test("is protected from the moment in which its first object is created", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a")] });
    await world.settled();
    await world.create(Bucket, user("b", "a") as never);
    await world.settled();
    expect(await finalizers(world, "a")).toEqual([FINALIZER]);
  });

  test("that is restored from a backup after its objects is protected at once", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [user("b", "a")] });
    await world.settled();
    await world.create(StoreConfig, config("a") as never);
    await world.settled();
    expect(await finalizers(world, "a")).toEqual([FINALIZER]);
  });

  test("is released when its last object moves to another config, which is then protected", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), config("b"), user("u", "a")] });
    await world.settled();
    expect(await finalizers(world, "b")).toEqual([]);
    await world.delete(StoreConfig, "a");
    await world.settled();
    await world.update(Bucket, "u", (bucket) => void (bucket.spec.config = "b"));
    await world.settled();
    expect(await finalizers(world, "a")).toBeUndefined();
    expect(await finalizers(world, "b")).toEqual([FINALIZER]);
  });

  test("that many objects use names ten of them", async () => {
    const users = Array.from({ length: 12 }, (_, at) => user(`u${at}`, "a"));
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), ...users] });
    await world.settled();
    await world.delete(StoreConfig, "a");
    await world.settled();
    const { message } = (await ready(world, StoreConfig, "a")) as { message: string };
    expect(message).toMatch(/^12 objects use it: Bucket default\/u\d+, /);
    expect(message).toMatch(/ and 2 more$/);
    expect(message.match(/Bucket/g)).toHaveLength(10);
  });

  test("in a namespace is used by the objects of that namespace, and by those that name it with its namespace", async () => {
    const namespaced = (name: string, namespace: string): object => ({ ...config(name, "SpaceConfig"), metadata: { name, namespace } });
    const world = fakeWorld(handlerOf(SpaceConfig), {
      objects: [
        ...["one", "two", "three"].map((space) => namespaced("a", space)),
        user("b", "a", { namespace: "one" }),
        user("r", "a", { kind: "Region", of: "two" }),
      ],
    });
    await world.settled();
    const held = async (namespace: string): Promise<number> =>
      (await world.get(SpaceConfig, `${namespace}/a`))?.metadata.finalizers?.length ?? 0;
    expect([await held("one"), await held("two"), await held("three")]).toEqual([1, 1, 0]);
  });

  test("cannot be deleted while the config of an object cannot be computed, and the error says so", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "a")] });
    await world.settled();
    await world.update(Bucket, "b", (bucket) => void (bucket.spec.config = "throws"));
    await world.delete(StoreConfig, "a");
    await world.pass("a");
    expect(await finalizers(world, "a")).toEqual([FINALIZER]);
    const { message } = (await ready(world, StoreConfig, "a")) as { message: string };
    expect(message).toContain("cannot tell which StoreConfig Bucket default/b uses: configOf() threw: boom");
  });
});

describe("a config that is being deleted, with a kind that is not installed,", () => {
  test("is released", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "a")], missing: [Region] });
    await world.settled();
    await world.delete(Bucket, "b");
    await world.delete(StoreConfig, "a");
    await world.settled();
    expect(await finalizers(world, "a")).toBeUndefined();
  });
});

test.for<{ name: string; refusal?: string; want: string | undefined }>([
  { name: "all kinds are watched", want: undefined },
  {
    name: "a watch is refused",
    refusal: "no right to list buckets",
    want: "cannot tell whether a Bucket uses it: no right to list buckets",
  },
])("the users of a config are known when $name", async ({ refusal, want }) => {
  const pass = { isServed: () => refusal === undefined, refusalOf: () => refusal, client: undefined as never };
  expect(await unknownUsers(pass, [Bucket, Region], new AbortController().signal)).toBe(want);
});

describe("a change of an object", () => {
  test("starts no pass of a config that is protected", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "a")] });
    await world.settled();
    const before = world.passes.length;
    await world.update(Bucket, "b", (bucket) => void (bucket.spec.round = 1));
    await world.create(Bucket, user("c", "a") as never);
    await world.delete(Bucket, "b");
    await world.settled();
    expect(world.passes.length).toBe(before);
  });

  test("starts no pass of a config that is being deleted, while the object uses it", async () => {
    const world = fakeWorld(handlerOf(StoreConfig), { objects: [config("a"), user("b", "a")] });
    await world.settled();
    await world.delete(StoreConfig, "a");
    await world.settled();
    const before = world.passes.length;
    await world.update(Bucket, "b", (bucket) => void (bucket.spec.round = 1));
    await world.settled();
    expect(world.passes.length).toBe(before);
    await world.delete(Bucket, "b");
    await world.settled();
    expect(await finalizers(world, "a")).toBeUndefined();
  });
});

test("an operator releases a config when its last object is deleted", async () => {
  await using cluster = await startTestCluster({ kinds: [StoreConfig, Bucket, Region], objects: [config("a"), user("b", "a")] });
  const op = await cluster.start(handlerOf(StoreConfig));
  await op.settled();
  await cluster.delete(StoreConfig, "a");
  await op.settled();
  expect((await cluster.get(StoreConfig, "a"))?.metadata.deletionTimestamp).toBeDefined();
  await cluster.delete(Bucket, "b");
  await op.settled();
  expect(await cluster.get(StoreConfig, "a")).toBeUndefined();
});

test("providerConfigs refuses an empty list of kinds", () => {
  expect(() => providerConfigs(providerOf(StoreConfig), [])).toThrow("must list the kinds");
});
