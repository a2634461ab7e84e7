/** Users' stories of a set whose operator changes: another name, another operator's place, another version, its removal. */
import { crdOf, fakeClock, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import { createManager } from "@treadle/controller";
import { createClient } from "@treadle/client";
import { type AnyHandler, PAUSED_ANNOTATION } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { config, HANDLER, type Options, Platform, platform, platforms, Widget } from "./platforms.ts";

const MEMORY = { tags: ["memory"] };
const CRD_NAME = "widgets.widgets.dev";
const OLD = "old-platforms";
const finalizer = (name: string): string => `example.dev/${name}`;
/** As long as the marks of the old version stay for it. */
const ROLLOUT = { horizonMs: 60_000 };
const WRITES = ["create", "update", "patch", "apply", "delete"] as const;

const withCrd = ({ spec: { text } }: Platform): readonly Manifest[] => [
  crdOf(Widget) as unknown as Manifest,
  object(Widget, { metadata: { name: "ours" }, spec: { size: 1 } }),
  config("late", { text }, { apply: 1, onRemoval: "orphan-on-apply" }),
];

const definition = async (cluster: TestCluster) => await cluster.get(CustomResourceDefinition, CRD_NAME);
const marksOf = ({ metadata }: KubernetesObject): readonly string[] =>
  [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {}), ...(metadata.finalizers ?? [])].filter(
    (mark) => mark.includes("platforms") && !mark.startsWith("kubectl"),
  );
const names = async (cluster: TestCluster): Promise<readonly string[]> =>
  (await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name).toSorted();
const conditionOf = async (cluster: TestCluster) =>
  (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");

async function run(cluster: TestCluster, handler: AnyHandler, settled = {}): Promise<void> {
  const op = await cluster.start(handler, { missing: [Widget] });
  await op.settled(settled);
  await op.stop();
}

test("a renamed handler moves labels, policies and the finalizer of CRDs, and deletes no object", MEMORY, async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  await run(cluster, platforms({ objects: withCrd }, { name: OLD }));
  const before = await definition(cluster);
  expect(before?.metadata.finalizers).toContain(finalizer(OLD));
  cluster.requests.clear();
  await run(cluster, platforms({ objects: withCrd }, { formerNames: [OLD] }), ROLLOUT);
  const after = await definition(cluster);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after?.metadata.finalizers?.filter((each) => each.includes("platforms"))).toEqual([finalizer(HANDLER)]);
  expect(cluster.requests.filter({ verb: "delete" })).toEqual([]);
  const late = await cluster.get(ConfigMap, "late");
  expect([...new Set(marksOf(late as KubernetesObject).map((mark) => mark.split("/")[0]))]).toEqual([HANDLER]);
  expect(late?.metadata.annotations?.[`${HANDLER}/policies`]).toMatch(/orphan-on-apply/);
  cluster.requests.clear();
  await run(cluster, platforms({ objects: withCrd }, { formerNames: [OLD] }), ROLLOUT);
  expect(cluster.requests.filter({ verb: WRITES }).map(({ verb, path }) => `${verb} ${path}`)).toEqual([]);
});

test("a replaced operator's fields and finalizers move to the set", MEMORY, async () => {
  const theirs = "other.example.dev/cleanup";
  await using cluster = await startTestCluster({ objects: [platform({ names: ["one"] }, { finalizers: [theirs] })], kinds: [Platform] });
  await cluster.client.create(
    ConfigMap,
    { metadata: { name: "one", namespace: "default" }, data: { text: "theirs", dropped: "later" } },
    { fieldManager: "manager" },
  );
  const uid = (await cluster.get(ConfigMap, "one"))?.metadata.uid;
  await run(cluster, platforms({}, { takesOver: [{ finalizers: [theirs], fieldManagers: ["manager"] }] }), ROLLOUT);
  const live = await cluster.get(ConfigMap, "one");
  expect(live?.metadata.uid).toBe(uid);
  expect(live?.data).toEqual({ text: "hello" });
  expect((await cluster.get(Platform, "a"))?.metadata.finalizers).toEqual([finalizer(HANDLER)]);
});

describe("a drain", { tags: ["memory"] }, () => {
  test("by release takes the finalizer off the CRDs, and all objects stay", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    await run(cluster, platforms({ objects: withCrd }));
    const drain = await cluster.start(platforms({ objects: withCrd }), { missing: [Widget], controller: { drain: "release" } });
    await drain.settled();
    await drain.manager.drained();
    await drain.stop();
    expect((await cluster.get(Platform, "a"))?.metadata.finalizers).toBeUndefined();
    expect((await definition(cluster))?.metadata.finalizers ?? []).not.toContain(finalizer(HANDLER));
    expect(await cluster.get(Widget, "ours")).toBeDefined();
    expect(await names(cluster)).toContain("late");
    const writes = cluster.requests.filter({ verb: "patch" }).filter(({ body }) => JSON.stringify(body).includes("finalizers"));
    expect(writes.slice(-2).map(({ resource }) => resource)).toEqual(["customresourcedefinitions", "platforms"]);
  });

  test("by clean removes all objects", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    await run(cluster, platforms({ objects: withCrd }));
    const drain = await cluster.start(platforms({ objects: withCrd }), { missing: [Widget], controller: { drain: "clean" } });
    await drain.settled(ROLLOUT);
    await drain.manager.drained();
    await drain.stop();
    expect((await cluster.get(Platform, "a"))?.metadata.finalizers).toBeUndefined();
    expect(await definition(cluster)).toBeUndefined();
    expect(await names(cluster)).not.toContain("late");
  });
});

test("a dry run logs what each object would get, and writes nothing", MEMORY, async () => {
  const clock = fakeClock();
  await using cluster = await startTestCluster({ clock, objects: [platform({ names: ["one", "two"] })], kinds: [Platform, Widget] });
  const writes: string[] = [];
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport: cluster.server.transport(), clock }),
    clock,
    probes: false,
    metrics: false,
    signals: false,
    dryRun: { onWrite: ({ verb, kind, ref }) => void writes.push(`${verb} ${kind} ${ref.name}`) },
  });
  manager.add(platforms({ objects: ({ spec }) => spec.names.map((name, apply) => config(name, { text: spec.text }, { apply })) }));
  await manager.start();
  await cluster.settled();
  await clock.advance(1_000);
  await manager.stop();
  expect(writes.filter((write) => write.includes("ConfigMap"))).toEqual(["apply ConfigMap one", "apply ConfigMap two"]);
  expect(await names(cluster)).not.toContain("one");
  expect((await cluster.get(Platform, "a"))?.metadata.finalizers).toBeUndefined();
});

test("a new version of the operator applies what it renders for the same input", MEMORY, async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  await run(cluster, platforms());
  const objects: NonNullable<Options["objects"]> = ({ spec }) => [config("one", { text: `${spec.text}, version 2` }), config("three")];
  await run(cluster, platforms({ objects }));
  expect((await cluster.get(ConfigMap, "one"))?.data).toEqual({ text: "hello, version 2" });
  expect(await names(cluster)).not.toContain("two");
  expect(await names(cluster)).toContain("three");
  expect((await conditionOf(cluster))?.reason).toBe("Ready");
});

test.for([1, 2, 3, 4, 5, 6])(
  "an operator that restarts after %i s in the middle of waves and of a removal ends as one that does not",
  MEMORY,
  async (seconds) => {
    const waves = ({ spec: { names: given, text } }: Platform): readonly Manifest[] =>
      given.map((name, i) => config(name, { text }, { apply: i, remove: -i }));
    const slow = { on: { resource: "configmaps", verb: ["patch", "delete"] as never }, fault: "delay" as const, ms: 700 };
    await using cluster = await startTestCluster({ objects: [platform({ names: ["one", "two", "three", "four"] })] });
    using _ = cluster.faults.add(slow as never);
    const first = await cluster.start(platforms({ objects: waves }));
    await cluster.advance(seconds * 500);
    await first.stop();
    await run(cluster, platforms({ objects: waves }), ROLLOUT);
    expect((await names(cluster)).filter((name) => !name.startsWith("kube"))).toEqual(["four", "one", "three", "two"]);
    await cluster.delete(Platform, "a");
    const second = await cluster.start(platforms({ objects: waves }));
    await cluster.advance(seconds * 500);
    await second.stop();
    await run(cluster, platforms({ objects: waves }), ROLLOUT);
    expect((await names(cluster)).filter((name) => !name.startsWith("kube"))).toEqual([]);
    expect(await cluster.get(Platform, "a")).toBeUndefined();
  },
);

test("a paused owner keeps its objects as they are, and continues afterwards", MEMORY, async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const op = await cluster.start(platforms());
  await op.settled();
  await cluster.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { [PAUSED_ANNOTATION]: "true" }));
  await cluster.update(ConfigMap, "one", (map) => void (map.data = { text: "drifted" }));
  await op.settled(ROLLOUT);
  expect((await cluster.get(ConfigMap, "one"))?.data).toEqual({ text: "drifted" });
  await cluster.update(Platform, "a", ({ metadata }) => void delete metadata.annotations?.[PAUSED_ANNOTATION]);
  await op.settled();
  expect((await cluster.get(ConfigMap, "one"))?.data).toEqual({ text: "hello" });
});

test("a manager of some namespaces keeps objects in others, and removes them", MEMORY, async () => {
  const elsewhere = ({ spec }: Platform): readonly Manifest[] =>
    spec.names.map((name) => object(ConfigMap, { metadata: { name, namespace: "elsewhere" }, data: { text: spec.text } }));
  await using cluster = await startTestCluster({ objects: [platform()], kinds: [Namespace] });
  await cluster.create(Namespace, { metadata: { name: "elsewhere" } });
  const op = await cluster.start(platforms({ objects: elsewhere }), { namespaces: ["default"], rbac: "administrator" });
  await op.settled();
  const there = async () =>
    (await cluster.list(ConfigMap, "elsewhere")).map(({ metadata }) => metadata.name).filter((name) => !name.startsWith("kube"));
  expect(await there()).toEqual(["one", "two"]);
  cluster.requests.clear();
  await op.settled({ horizonMs: 600_000 });
  expect(cluster.requests.filter({ verb: WRITES })).toEqual([]);
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["two", "three"]));
  await op.settled();
  expect(await there()).toEqual(["three", "two"]);
  await op.stop();
  const next = await cluster.start(platforms({ objects: elsewhere }), { namespaces: ["default"], rbac: "administrator" });
  await cluster.delete(Platform, "a");
  await next.settled(ROLLOUT);
  expect(await there()).toEqual([]);
  expect(await cluster.get(Platform, "a")).toBeUndefined();
});
