/** What docs/sets.md promises: its first set, its annotations, and its rules that no other test has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Namespace, Service } from "@treadle/apimachinery/kinds";
import { fakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { handover, type ObjectPolicies } from "../../src/index.ts";
import { annotationsOf, readPolicies } from "../../src/set/policies/annotations.ts";
import { readYaml } from "../../src/set/render/yaml.ts";
import { config, HANDLER, namesOf, Platform, platforms, settled, worldOf } from "./platforms.ts";
import { Shop, shops } from "./shop.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../../docs/sets.md"), "utf8");
const PREFIXES = ["shops.example.dev", "treadle.dev"];

describe("docs/sets.md", () => {
  test("has a first set that is installed in waves", async () => {
    const world = fakeWorld(shops, {
      objects: [{ apiVersion: "example.dev/v1", kind: "Shop", metadata: { name: "a" }, spec: {} }],
    });
    await world.settled();
    expect(await world.get(Namespace, "shop-a")).toBeDefined();
    expect(await world.get(Deployment, "shop-a/web")).toBeUndefined();
    await world.makeReady(Job, "shop-a/migrate");
    await world.settled();
    await world.makeReady(Deployment, "shop-a/web");
    await world.settled();
    expect(await world.get(Service, "shop-a/web")).toBeDefined();
    expect((await world.get(Shop, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady")?.status).toBe("True");
  });

  /** A fence of annotations, and the policies in the fence after it. */
  const pairs = [
    ...PAGE.matchAll(/```yaml\nmetadata:\n( {2}annotations:\n.*?)```\s+```ts\n.*?(\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\}),?\s*\);\n```/gs),
  ].map(([, yaml = "", policies = ""]) => ({
    annotations: annotationsIn(`metadata:\n${yaml}`),
    // A literal of TypeScript is YAML, too.
    policies: readYaml(policies)[0]?.value as ObjectPolicies,
  }));

  test("shows every annotation", () => {
    const shown = new Set(pairs.flatMap(({ annotations }) => Object.keys(annotations).map((key) => key.slice(key.indexOf("/") + 1))));
    const every = { apply: 1, purge: 1, remove: 1, adopt: "never", update: "apply", reconcile: "once", onRemoval: "orphan" } as const;
    const known = annotationsOf({ ...every, reapplyMs: 1000, statusHint: { hasReadyCondition: true }, after: ["Job.batch/a"] });
    expect([...shown].toSorted()).toEqual(Object.keys(known).toSorted());
  });

  test.for(pairs.map((pair) => ({ name: Object.keys(pair.annotations).join(", "), ...pair })))(
    "says the same in YAML and in TypeScript: $name",
    ({ annotations, policies }) => {
      const fromYaml = readPolicies(annotations, { prefixes: PREFIXES });
      expect(fromYaml).toMatchObject({ problems: [], rest: undefined });
      const written = Object.fromEntries(Object.entries(annotationsOf(policies)).map(([key, value]) => [`treadle.dev/${key}`, value]));
      expect(readPolicies(written, { prefixes: PREFIXES })).toEqual(fromYaml);
    },
  );
});

function annotationsIn(yaml: string): Readonly<Record<string, string>> {
  const object = readYaml(yaml)[0]?.value as KubernetesObject | undefined;
  return object?.metadata.annotations ?? {};
}

describe("a set", () => {
  test("of ConfigMaps in four waves is applied in one pass", async () => {
    const world = worldOf({ objects: () => [0, 1, 2, 3].map((apply) => config(`wave-${apply}`, {}, { apply })) });
    await world.pass("a");
    expect(await namesOf(world)).toEqual(["wave-0", "wave-1", "wave-2", "wave-3"]);
  });

  test("creates a purged object again when its desired state changes", async () => {
    const world = await settled({ objects: ({ spec }) => [config("one", { text: spec.text }, { purge: 0 })] });
    expect(await namesOf(world)).toEqual([]);
    world.requests.clear();
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["other"]));
    await world.settled();
    expect(world.requests.filter({ kind: ConfigMap, verb: ["apply", "delete"] })).toEqual([]);
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "other"));
    await world.settled();
    expect(world.requests.filter({ kind: ConfigMap, verb: ["apply", "delete"] }).map(({ verb }) => verb)).toEqual(["apply", "delete"]);
    expect(await namesOf(world)).toEqual([]);
  });

  test("releases an object that another owner then adopts", async () => {
    await using cluster = await startTestCluster();
    await cluster.start(platforms({ objects: ({ spec }) => spec.names.map((name) => config(name, {}, { onRemoval: "orphan-on-apply" })) }));
    await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["shared"] } });
    await cluster.create(Platform, { metadata: { name: "b" }, spec: { names: [] } });
    await cluster.settled();
    const before = await cluster.get(ConfigMap, "shared");
    await cluster.update(Platform, "a", ({ spec }) => void (spec.names = []));
    await cluster.settled();
    const released = await cluster.get(ConfigMap, "shared");
    expect(JSON.stringify({ ...released?.metadata })).not.toContain(HANDLER);
    await cluster.update(Platform, "b", ({ spec }) => void (spec.names = ["shared"]));
    await cluster.settled();
    await cluster.delete(Platform, "a");
    await cluster.settled();
    expect((await cluster.get(ConfigMap, "shared"))?.metadata.uid).toBe(before?.metadata.uid);
    await cluster.delete(Platform, "b");
    await cluster.settled();
    expect(await cluster.get(ConfigMap, "shared")).toBeUndefined();
  });

  test("keeps an object that was handed over while both owners render it", async () => {
    await using cluster = await startTestCluster();
    await cluster.start(platforms());
    const from = await cluster.create(Platform, { metadata: { name: "a" }, spec: { names: ["shared"] } });
    await cluster.settled();
    const to = await cluster.create(Platform, { metadata: { name: "b" }, spec: { names: ["shared"] } });
    await cluster.settled();
    const uid = (await cluster.get(ConfigMap, "shared"))?.metadata.uid;
    const keeper = { handler: HANDLER, step: "stack" };
    const ref = { name: "shared", namespace: "default" };
    await handover(cluster.client, { kind: ConfigMap, ref, from: { ...keeper, owner: from }, to: { ...keeper, owner: to } });
    await cluster.settled();
    await cluster.update(Platform, "a", ({ spec }) => void (spec.names = []));
    await cluster.settled();
    expect((await cluster.get(ConfigMap, "shared"))?.metadata.uid).toBe(uid);
  });

  test("that was renamed adopts the objects that it renders, and leaves the others", async () => {
    await using cluster = await startTestCluster();
    const before = await cluster.start(platforms());
    await cluster.create(Platform, { metadata: { name: "a" }, spec: {} });
    await cluster.settled();
    await before.stop();
    await cluster.start(platforms({ name: "renamed", objects: () => [config("one")] }));
    await cluster.settled();
    await cluster.delete(Platform, "a");
    await cluster.settled();
    expect(await cluster.get(ConfigMap, "one")).toBeUndefined();
    expect(await cluster.get(ConfigMap, "two")).toBeDefined();
  });
});
