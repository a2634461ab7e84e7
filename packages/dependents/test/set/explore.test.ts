/**
 * Injects each kind of fault at each point of the life of a set. All runs must reach the same end: no object of the set is left over, no
 * other object has changed, and a further pass writes nothing.
 */
import { crdOf, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Secret } from "@treadle/apimachinery/kinds";
import { type ExploredCluster, explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { configured, type Manifest, object, type ObjectPolicies } from "../../src/index.ts";
import { config, HANDLER, Platform, platform, platforms, Widget } from "./platforms.ts";

/** A part of so many points is explored in `npm test`. */
const SHARE = 24;

/** An object that cannot be changed: a new version of it is a new object. */
const version = (text: string, policies: ObjectPolicies = {}): Manifest =>
  object(ConfigMap, { metadata: { name: "version" }, data: { text }, immutable: true }, { update: "recreate", ...policies });

/** Objects of other owners, which no run may change. */
const FOREIGN = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "foreign" }, data: { text: "a user's" } },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "of-another", labels: { [`${HANDLER}/owner-id`]: "another", [`${HANDLER}/dependent`]: "stack" } },
    data: { text: "of another owner" },
  },
];

async function labelled(cluster: ExploredCluster): Promise<readonly string[]> {
  const maps: readonly KubernetesObject[] = [...(await cluster.list(ConfigMap)), ...(await cluster.list(Secret))];
  const ours = maps.filter(({ metadata: { name, labels = {} } }) => name !== "of-another" && Object.keys(labels).some(isOurs));
  return ours.map(({ metadata }) => metadata.name).toSorted();
}

const isOurs = (label: string): boolean => label.startsWith(HANDLER);

async function expectForeign(cluster: ExploredCluster): Promise<void> {
  for (const { metadata, data } of FOREIGN) {
    const live = await cluster.get(ConfigMap, metadata.name);
    expect(live?.data).toEqual(data);
    expect(live?.metadata.managedFields?.map(({ manager }) => manager).filter((manager) => manager?.startsWith(HANDLER))).toEqual([]);
  }
}

const change = async (cluster: ExploredCluster, spec: object): Promise<void> => {
  await cluster.update(Platform, "a", (owner) => void Object.assign(owner.spec, spec));
};

/** What a set of several waves renders. No object outlives its owner: a process with an old state would mark it again. */
const objects = ({ spec: { names, text } }: Platform): readonly Manifest[] => [
  config("migration", { text }, { apply: -1, purge: 0 }),
  config("once", {}, { reconcile: "once" }),
  version(text, { apply: 1, remove: 1 }),
  object(Secret, { metadata: { name: "secret" }, stringData: { text } }),
  ...names.map((name, i) => config(name, { text }, { apply: i, remove: -i, after: i === 1 ? ["Secret/secret"] : [] })),
];

const upgrade = async (cluster: ExploredCluster): Promise<void> => {
  await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["one", "two", "kept"] } });
  await cluster.settled();
  await change(cluster, { names: ["two", "three", "kept"], text: "new" });
  await cluster.settled();
  await cluster.update(ConfigMap, "two", (map) => void (map.data = { text: "drifted" }));
  await cluster.delete(ConfigMap, "three");
  await change(cluster, { names: ["three", "four"] });
};

const points =
  (part: { has(name: string, share?: number): boolean }) =>
  ({ id }: { readonly id: string }) =>
    id === "crash@0" || part.has(id, SHARE);
/**
 * A process that never sees a desired state does not count it. A process with an old state may adopt a released object, and release it
 * again: the server then notes that the fields are older than the apply.
 */
const ignore = [
  ["metadata", "managedFields"],
  ["status", "revision"],
  ["status", "steps", "stack", "revision"],
] as const;
const LONG = { tags: ["memory", "part"], timeout: 3_600_000 };

test("a set that is installed, upgraded and deleted has the same end after every single fault", LONG, async ({ part }) => {
  const { summary, points: tried } = await explore(
    () => platforms({ objects }),
    {
      objects: FOREIGN,
      run: upgrade,
      check: async (cluster) => {
        expect(await labelled(cluster)).toEqual(["four", "once", "secret", "three", "version"]);
        await expectForeign(cluster);
      },
    },
    { points: points(part), ignore },
  );
  console.info(`set: ${summary}`);
  expect(tried).toBeGreaterThan(part.isWhole ? 200 : 1);
});

test("a set of any kinds has the same end after every single fault", LONG, async ({ part }) => {
  const { summary, points: tried } = await explore(
    () => platforms({ objects, kinds: "any" }),
    {
      objects: FOREIGN,
      kinds: [ConfigMap, Secret],
      run: upgrade,
      check: async (cluster) => {
        expect(await labelled(cluster)).toEqual(["four", "once", "secret", "three", "version"]);
        await expectForeign(cluster);
      },
    },
    { points: points(part), ignore },
  );
  console.info(`set of any kinds: ${summary}`);
  expect(tried).toBeGreaterThan(part.isWhole ? 200 : 1);
});

test("a set with a CRD and its instances has the same end after every single fault", LONG, async ({ part }) => {
  const widget = (name: string, size: number) => object(Widget, { metadata: { name }, spec: { size } });
  const { summary, points: tried } = await explore(
    () =>
      platforms({
        objects: ({ spec: { names } }) => [
          ...(names.includes("none") ? [] : [crdOf(Widget) as unknown as Manifest]),
          ...names.filter((name) => name !== "none").map((name, i) => widget(name, i)),
          config("base"),
        ],
      }),
    {
      async run(cluster) {
        await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["one", "two"] } });
        await cluster.settled();
        await change(cluster, { names: ["two"] });
        await cluster.settled();
        await change(cluster, { names: ["none"] });
        await cluster.settled();
        await change(cluster, { names: ["two", "three"] });
      },
      check: async (cluster) => {
        expect((await cluster.list(Widget)).map(({ metadata }) => metadata.name)).toEqual(["three", "two"]);
        expect((await cluster.list(CustomResourceDefinition)).length).toBeGreaterThan(0);
      },
    },
    { points: points(part), ignore },
  );
  console.info(`set with a CRD: ${summary}`);
  expect(tried).toBeGreaterThan(part.isWhole ? 100 : 1);
});

/** Objects with every switch, in rendered order. The last one is Ready when the renderer has seen it. */
const decided: NonNullable<Parameters<typeof platforms>[0]>["objects"] = ({ spec: { names, text } }, { live }) => [
  configured(config("once", { text: "first" }), { updated: false }),
  configured(config("shared", { text }), { owned: names.includes("owned") }),
  configured(config("theirs"), { created: false }),
  configured(config("free", { text }), { checkedForReadiness: false, watched: false }),
  ...names.map((name, i) => config(name, { text }, { apply: i })),
  configured(config("last", { text }, { apply: 1 }), {
    id: "last",
    state: live["last"] === undefined ? { type: "Pending", reason: "Unseen", message: "" } : { type: "Ready", reason: "Seen", message: "" },
  }),
];

test("a set in rendered order with all switches and states has the same end after every single fault", LONG, async ({ part }) => {
  const { summary, points: tried } = await explore(
    () => platforms({ objects: decided, order: "given", live: true }),
    {
      objects: [...FOREIGN, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "theirs" }, data: { text: "theirs" } }],
      async run(cluster) {
        await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["owned", "one"] } });
        await cluster.settled();
        await change(cluster, { names: ["two"], text: "new" });
        await cluster.settled();
        await cluster.update(ConfigMap, "once", (map) => void (map.data = { text: "kept" }));
        await cluster.update(ConfigMap, "shared", (map) => void (map.data = { text: "drifted" }));
        await cluster.delete(ConfigMap, "last");
      },
      check: async (cluster) => {
        const marked = (await cluster.list(ConfigMap)).filter(({ metadata }) => metadata.labels?.[`${HANDLER}/owner-id`] !== undefined);
        const names = marked.map(({ metadata }) => metadata.name).filter((name) => name !== "of-another");
        expect(names.toSorted()).toEqual(["free", "last", "once", "two"]);
        const textOf = async (name: string) => (await cluster.get(ConfigMap, name))?.data?.["text"];
        expect([await textOf("once"), await textOf("shared"), await textOf("theirs")]).toEqual(["kept", "new", "theirs"]);
        await expectForeign(cluster);
      },
    },
    { points: points(part), ignore },
  );
  console.info(`set with all switches: ${summary}`);
  expect(tried).toBeGreaterThan(part.isWhole ? 100 : 1);
});

test("a set whose labels a user removes has the same end after every single fault", LONG, async ({ part }) => {
  const unlabel = async (cluster: ExploredCluster, name: string): Promise<void> => {
    await cluster.update(ConfigMap, name, ({ metadata }) => void delete metadata.labels);
  };
  const { summary, points: tried } = await explore(
    () => platforms(),
    {
      objects: [platform(), ...FOREIGN],
      async run(cluster) {
        await cluster.settled();
        await unlabel(cluster, "one");
        await cluster.settled();
        await unlabel(cluster, "one");
        await change(cluster, { names: ["two", "three"] });
        await cluster.settled();
        await unlabel(cluster, "three");
      },
      check: async (cluster) => {
        expect((await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name)).toEqual([
          "foreign",
          "of-another",
          "three",
          "two",
        ]);
        await expectForeign(cluster);
      },
    },
    { points: points(part), ignore },
  );
  console.info(`set without labels: ${summary}`);
  expect(tried).toBeGreaterThan(part.isWhole ? 100 : 1);
});
