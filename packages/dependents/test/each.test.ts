/** One object for each item of a list: each. */
import "@treadle/testing/matchers";
import { ApiError, defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { type AnyStep, conditions, handler } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll, dependentsOf, type EachItem } from "../src/index.ts";

const Store = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Store",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({
    shards: z.array(z.object({ name: z.string(), size: z.int32().default(1) })).default([]),
    text: z.string().default("hello"),
  }),
});
type Store = ObjectOf<typeof Store>;

const store = (...names: readonly string[]): object => ({
  apiVersion: "example.dev/v1",
  kind: "Store",
  metadata: { name: "a" },
  spec: { shards: names.map((name) => ({ name })) },
});
const keep = (world: FakeWorld, ...names: readonly string[]): Promise<unknown> =>
  world.update(Store, "a", ({ spec }) => void (spec.shards = names.map((name) => ({ name, size: 1 }))));

const EACH = {
  name: "shards",
  kind: ConfigMap,
  each: (owner: Store) => owner.spec.shards.map((shard) => ({ key: shard.name, ...shard })),
} as const;
type Shard = EachItem & Store["spec"]["shards"][number];
const shards = dependentApply(Store, {
  ...EACH,
  desired: (owner, _inputs, { name, size }) => ({ data: { name, size: String(size), text: owner.spec.text } }),
});

const worldOf = (steps: readonly AnyStep[], ...objects: object[]): FakeWorld => {
  let builder = handler(Store).step(conditions());
  // The types of a list that is known only at run time do not fit: build() checks it.
  for (const each of steps) builder = builder.step(each as never);
  return fakeWorld(builder.build(), { objects });
};
const settled = async (steps: readonly AnyStep[], ...objects: object[]): Promise<FakeWorld> => {
  const world = worldOf(steps, ...objects);
  await world.settled();
  return world;
};
const namesIn = async (world: FakeWorld): Promise<readonly string[]> =>
  (await world.list(ConfigMap)).map(({ metadata }) => metadata.name).sort();
const said = async (world: FakeWorld): Promise<readonly string[]> =>
  dependentsOf((await world.get(Store, "a")) ?? {}).map(({ step, name, type, reason, message }) =>
    `${step} ${name} ${type}/${reason} ${message}`.trim(),
  );
const ready = async (world: FakeWorld): Promise<string> => {
  const found = (await world.get(Store, "a"))?.status?.conditions?.find(({ type }) => type === "Ready");
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

describe("a step with each", () => {
  test("keeps one object for each item, and deletes an object whose key is no longer in the list", async () => {
    const world = await settled([shards], store("x", "y"));
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    expect((await world.get(ConfigMap, "a-x"))?.data).toEqual({ name: "x", size: "1", text: "hello" });
    expect(await said(world)).toEqual(["shards a-x Ready/Ready", "shards a-y Ready/Ready"]);
    await keep(world, "y", "z");
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-y", "a-z"]);
    expect(await said(world)).toEqual(["shards a-y Ready/Ready", "shards a-z Ready/Ready"]);
    await keep(world);
    await world.settled();
    expect(await namesIn(world)).toEqual([]);
    expect(await said(world)).toEqual([]);
    expect(await ready(world)).toMatch(/^True/);
  });

  test("makes no request in steady state, and reverts drift of one object", async () => {
    const world = await settled([shards], store("x", "y", "z"));
    world.requests.clear();
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(world.requests.length).toBe(0);
    await world.update(ConfigMap, "a-y", (map) => void (map.data = { ...map.data, name: "changed" }));
    world.requests.clear();
    await world.settled();
    expect((await world.get(ConfigMap, "a-y"))?.data?.["name"]).toBe("y");
    expect(world.requests.filter({ verb: ["apply"] }).length).toBe(1);
  });

  test("creates an object that a user deleted again", async () => {
    const world = await settled([shards], store("x", "y"));
    await world.delete(ConfigMap, "a-y");
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
  });

  test("deletes its objects with the owner", async () => {
    const world = await settled([shards], store("x", "y"));
    await world.delete(Store, "a");
    await world.settled();
    expect(await namesIn(world)).toEqual([]);
    expect(await world.get(Store, "a")).toBeUndefined();
  });

  test("does not create an object for an item whose desired state is undefined, and deletes one that exists", async () => {
    const some = dependentApply(Store, {
      ...EACH,
      desired: (_owner, _inputs, item: Shard) => (item.size > 0 ? { data: { size: String(item.size) } } : undefined),
    });
    const world = await settled([some], store("x", "y"));
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    await world.update(Store, "a", ({ spec }) => void (spec.shards = [{ name: "x", size: 0 }, ...spec.shards.slice(1)]));
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-y"]);
    expect(await said(world)).toEqual(["shards a-y Ready/Ready"]);
  });

  test("removes an object while another one is not ready", async () => {
    const waiting = dependentApply(Store, {
      ...EACH,
      desired: {},
      readyWhen: (_live, _owner, _inputs, { key }) => key !== "x" || "x is slow",
    });
    const world = await settled([waiting], store("x", "y", "z"));
    await keep(world, "x", "y");
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    expect(await ready(world)).toBe('Unknown NotReady: step "shards": 1 of 2 objects are not ready; x: x is slow');
    expect(await said(world)).toEqual(["shards a-x Pending/NotReady x is slow", "shards a-y Ready/Ready"]);
  });

  test("takes names and namespaces from functions of the item", async () => {
    const named = dependentApply(Store, {
      ...EACH,
      objectName: (owner, item) => `${item.key}-of-${owner.metadata.name}`,
      namespace: (_owner, { key }) => key,
      desired: (_owner, _inputs, { key }) => ({ data: { key } }),
      status: (entry, _live, _error, item) => ({ ...entry, message: `shard ${item.key}` }),
    });
    const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const world = await settled([named], namespace("x"), namespace("y"), store("x", "y"));
    expect((await world.get(ConfigMap, "x/x-of-a"))?.data).toEqual({ key: "x" });
    expect(await said(world)).toEqual(["shards x-of-a Ready/Ready shard x", "shards y-of-a Ready/Ready shard y"]);
    await keep(world, "y");
    await world.settled();
    expect(await world.get(ConfigMap, "x/x-of-a")).toBeUndefined();
  });

  test("shortens a default name that is too long for a label", async () => {
    const long = "k".repeat(80);
    const world = await settled([shards], store(long));
    const [name = ""] = await namesIn(world);
    expect(name).toMatch(/^a-k+-[0-9a-f]{10}$/);
    expect(name).toHaveLength(63);
  });
});

describe("an item that fails", () => {
  const odd = dependentApply(Store, {
    ...EACH,
    desired: (_owner, _inputs, { key, size }) => {
      if (key === "odd" && size === 1) throw new Error("odd is not possible");
      return { data: { key } };
    },
  });

  test("does not stop the others, and its entry has the reason", async () => {
    const world = worldOf([odd], store("x", "odd", "y"));
    await world.pass("a");
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    expect(await said(world)).toEqual([
      "shards a-x Ready/Ready",
      'shards a-odd Failed/Error step "shards": desired threw: odd is not possible',
      "shards a-y Ready/Ready",
    ]);
    await world.update(Store, "a", ({ spec }) => void (spec.shards = spec.shards.map(({ name }) => ({ name, size: 2 }))));
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-odd", "a-x", "a-y"]);
    expect(await ready(world)).toMatch(/^True/);
  });

  test("keeps the object that it has", async () => {
    const world = await settled([odd], {
      ...store(),
      spec: { shards: [{ name: "odd", size: 2 }, { name: "x" }] },
    });
    expect(await namesIn(world)).toEqual(["a-odd", "a-x"]);
    await keep(world, "odd");
    await world.pass("a");
    expect(await namesIn(world)).toEqual(["a-odd"]);
  });

  test("of several, the first errors are in the failure of the step", async () => {
    const all = dependentApply(Store, {
      ...EACH,
      desired: (_owner, _inputs, { key }) => {
        throw new Error(`no ${key}`);
      },
    });
    const world = worldOf([all], store("x", "y"));
    await world.pass("a");
    expect(await ready(world)).toContain("no x");
    expect(await said(world)).toEqual([
      'shards a-x Failed/Error step "shards": desired threw: no x',
      'shards a-y Failed/Error step "shards": desired threw: no y',
    ]);
  });

  test("of a server that refuses it does not stop the others", async () => {
    const world = worldOf([shards], store("x", "Y", "z"));
    await world.pass("a");
    expect(await namesIn(world)).toEqual(["a-x", "a-z"]);
    expect((await said(world))[1]).toMatch(/^shards a-Y Failed\/Invalid .*metadata\.name: Invalid value: "a-Y"/);
  });

  test("in gives or readyWhen does not stop the others", async () => {
    const boom = (key: string): never => {
      throw new Error(`no ${key}`);
    };
    const step = dependentApply(Store, {
      ...EACH,
      desired: {},
      readyWhen: (_live, _owner, _inputs, { key }) => key !== "x" || boom(key),
      gives: { key: (_live, _owner, { key }) => (key === "y" ? boom(key) : key) },
    });
    const world = worldOf([step], store("x", "y", "z"));
    await world.pass("a");
    expect(await namesIn(world)).toEqual(["a-x", "a-y", "a-z"]);
    for (let i = 0; i < 2; i++) {
      expect(await said(world)).toEqual([
        'shards a-x Failed/Error step "shards": readyWhen threw: no x',
        'shards a-y Failed/Error step "shards": gives.key of the item "y" threw: no y',
        "shards a-z Ready/Ready",
      ]);
      await world.pass("a");
    }
  });

  test("by a conflict is pending", async () => {
    const conflicting = dependentApply(Store, {
      ...EACH,
      desired: () => {
        throw new ApiError({ message: "changed meanwhile", status: 409, reason: "Conflict" });
      },
    });
    const world = worldOf([conflicting], store("x"));
    await world.pass("a");
    expect(await said(world)).toEqual(["shards a-x Pending/Conflict changed meanwhile"]);
  });

  test("of a step that its owner does not wait for is logged, and retried", async () => {
    const unchecked = dependentApply(Store, { ...EACH, checkedForReadiness: false, desired: {} });
    const world = await settled([unchecked], store("x", "y"));
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    expect(await said(world)).toEqual([]);
  });
});

describe("a list that is not valid", () => {
  test.for<{ name: string; each: unknown; want: string }>([
    {
      name: "a key twice",
      each: () => [{ key: "a" }, { key: "b" }, { key: "a" }],
      want: 'each returned two items with the key "a": give each item a different key',
    },
    {
      name: "an empty key",
      each: () => [{ key: "" }],
      want: 'each returned item 0 with the key "": give each item a key, a text that is not empty',
    },
    {
      name: "no key",
      each: () => [{ key: "a" }, { name: "b" }],
      want: "each returned item 1 with the key nothing: give each item a key, a text that is not empty",
    },
    {
      name: "texts for items",
      each: () => ["a"],
      want: "each returned item 0 with the key nothing: give each item a key, a text that is not empty",
    },
    { name: "no list", each: () => ({ key: "a" }), want: 'each returned an object, which is not a list of items such as { key: "a" }' },
    { name: "nothing", each: () => undefined, want: 'each returned nothing, which is not a list of items such as { key: "a" }' },
    {
      name: "a promise",
      each: async () => [{ key: "a" }],
      want: "each returned a promise: it must return a list of items at once, from the owner alone",
    },
    {
      name: "a key that is too long",
      each: () => [{ key: "k".repeat(254) }],
      want: "each returned item 0 with a key of 254 characters: the longest may have 253",
    },
    {
      name: "a key that is no part of a name",
      each: () => [{ key: "a/b" }],
      want: 'the item "a/b" names its ConfigMap "a-a/b", which is not a name: let objectName return a valid one',
    },
    {
      name: "an error",
      each: () => {
        throw new Error("boom");
      },
      want: "boom",
    },
  ])("$name: the step fails with the reason, and nothing is deleted", async ({ each, want }) => {
    let isBroken = false;
    const step = dependentApply(Store, {
      name: "shards",
      kind: ConfigMap,
      each: (owner) => (isBroken ? (each as () => EachItem[])() : owner.spec.shards.map(({ name }) => ({ key: name }))),
      desired: {},
    });
    const world = await settled([step], store("x"));
    isBroken = true;
    await world.update(Store, "a", ({ spec }) => void (spec.text = "new"));
    await world.pass("a");
    expect(await namesIn(world)).toEqual(["a-x"]);
    const [entry = ""] = await said(world);
    expect(entry).toMatch(/^shards a-x Failed\//);
    expect(entry).toContain(want);
    await world.delete(Store, "a");
    await world.settled();
    expect(await namesIn(world)).toEqual([]);
  });

  test("two keys with one name of the object: the failure names both", async () => {
    const step = dependentApply(Store, { ...EACH, objectName: (_owner, { key }) => key.toLowerCase(), desired: {} });
    const world = worldOf([step], store("x", "X"));
    await world.pass("a");
    expect((await said(world))[0]).toContain(
      'step "shards": the items "x" and "X" both name ConfigMap default/x: let objectName return a name for each',
    );
  });

  test("one name for all is a problem of the handler", () => {
    const step = dependentApply(Store, { ...EACH, objectName: "same", desired: {} });
    expect(() => handler(Store).step(conditions()).step(step).build()).toThrow(
      'step "shards" keeps one object for each item, and all of them have the name "same": let objectName be a function of the item',
    );
  });

  test("each that is not a function is refused", () => {
    expect(() => dependentApply(Store, { name: "x", kind: ConfigMap, each: [], desired: {} } as never)).toThrow(
      'dependentApply "x": each must be a function',
    );
  });
});

describe("the objects of each for other steps", () => {
  const giver = dependentApply(Store, {
    ...EACH,
    desired: (_owner, _inputs, { key }) => ({ data: { url: `http://${key}` } }),
    gives: { url: (live, _owner, { key }) => (key === "late" && live.data?.["late"] === undefined ? undefined : live.data?.["url"]) },
  });
  const index = dependentApply(Store, {
    name: "index",
    kind: ConfigMap,
    objectName: "index",
    needs: [giver],
    dependsOn: [giver],
    desired: (_owner, { vars, dependents }) => ({ data: { ...vars.url, keys: Object.keys(dependents.shards).join(" ") } }),
  });

  test("are records by key", async () => {
    const world = await settled([dependentApplyAll("parts", [index, giver])], store("x", "y"));
    expect((await world.get(ConfigMap, "index"))?.data).toEqual({ x: "http://x", y: "http://y", keys: "x y" });
    await keep(world, "y");
    await world.settled();
    expect((await world.get(ConfigMap, "index"))?.data).toEqual({ y: "http://y", keys: "y" });
    await keep(world);
    await world.settled();
    expect((await world.get(ConfigMap, "index"))?.data).toEqual({ keys: "" });
    expect(await ready(world)).toMatch(/^True/);
  });

  test("wait until every object gives its value", async () => {
    const world = await settled([dependentApplyAll("parts", [index, giver])], store("x", "late"));
    expect(await ready(world)).toBe('Unknown MissingValue: step "index": waiting for url of step "shards" (missing for late)');
    await world.update(ConfigMap, "a-late", (map) => void (map.data = { ...map.data, late: "yes" }));
    await world.settled();
    expect((await world.get(ConfigMap, "index"))?.data).toMatchObject({ late: "http://late" });
  });
});

describe("the switches of each", () => {
  test("objects that another writer creates are waited for, and start a pass", async () => {
    const secrets = dependentApply(Store, {
      ...EACH,
      kind: Secret,
      created: false,
      gives: { user: (secret) => secret.data?.["user"] },
    });
    const copy = dependentApply(Store, {
      name: "copy",
      kind: ConfigMap,
      needs: [secrets],
      desired: (_o, { vars }) => ({ data: vars.user }),
    });
    const world = await settled([secrets, copy], store("x", "y"));
    expect(await ready(world)).toBe(
      'Unknown NotFound: step "shards": 2 of 2 objects are not ready; x: Secret a-x does not exist yet, and another writer is to create it',
    );
    const secret = (name: string): object => ({ apiVersion: "v1", kind: "Secret", metadata: { name }, data: { user: "YWRtaW4=" } });
    await world.create(Secret, secret("a-x") as never);
    await world.create(Secret, secret("a-y") as never);
    await world.settled();
    expect((await world.get(ConfigMap, "a"))?.data).toEqual({ x: "YWRtaW4=", y: "YWRtaW4=" });
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.length).toBe(0);
  });

  test("Secrets are fetched once for each version", async () => {
    const secrets = dependentApply(Store, { ...EACH, kind: Secret, desired: (_o, _i, { key }) => ({ stringData: { key } }) });
    const world = await settled([secrets], store("x", "y"));
    world.requests.clear();
    await world.pass("a");
    await world.pass("a");
    expect(world.requests.length).toBe(0);
  });

  test("objects without a watch are read in each pass, and removed with their item", async () => {
    const unwatched = dependentApply(Store, { ...EACH, watched: false, desired: (_o, _i, { key }) => ({ data: { key } }) });
    const world = await settled([unwatched], store("x", "y"));
    expect(await namesIn(world)).toEqual(["a-x", "a-y"]);
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.filter({ verb: ["get"], resource: "configmaps" }).length).toBe(2);
    expect(world.requests.length).toBe(2);
    await keep(world, "y");
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-y"]);
  });
});

describe("a long list", () => {
  const numbered = (count: number): object => store(...Array.from({ length: count }, (_, i) => `n${i}`));

  test("has at most 100 entries, the worst first", async () => {
    const step = dependentApply(Store, {
      ...EACH,
      desired: (_o, _i, { key }) => ({ data: { key } }),
      readyWhen: (_live, _owner, _inputs, { key }) => !key.endsWith("7") || "unlucky",
    });
    const world = await settled([step], numbered(250));
    const entries = await said(world);
    expect(entries).toHaveLength(100);
    expect(entries.slice(0, 26).filter((entry) => entry.endsWith("Pending/NotReady unlucky"))).toHaveLength(25);
    expect(await ready(world)).toContain("25 of 250 objects are not ready; n7: unlucky");
  });

  test("of 10,000 items is kept, and a settled pass makes no request", { tags: ["long"], timeout: 240_000 }, async () => {
    const world = await settled([shards], numbered(10_000));
    expect(await namesIn(world)).toHaveLength(10_000);
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.length).toBe(0);
    await keep(world, "n1");
    await world.settled();
    expect(await namesIn(world)).toEqual(["a-n1"]);
  });
});
