/** Sets under a life that is not as planned: other versions of the operator, other owners, kinds that come and go. */
import { crdOf, defineResource } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { fakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { dependentSet, dependentsOf, type Manifest, object } from "../../src/index.ts";
import { condition, config, namesOf, Platform, platform, platforms, settled, Widget } from "./platforms.ts";

const conditionOf = async (cluster: TestCluster, name = "a") =>
  (await cluster.get(Platform, name))?.status?.conditions?.find(({ type }) => type === "StackReady");
const maps = async (cluster: TestCluster) =>
  (await cluster.list(ConfigMap, "default"))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kube-root-ca.crt")
    .toSorted();

describe("an older version of the operator, without the set", () => {
  test("loses nothing that a newer one has stored", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms());
    await cluster.settled();
    await first.stop();
    const older = await cluster.start(handler(Platform).step(conditions()).build());
    await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
    await cluster.settled();
    await older.stop();
    await cluster.start(platforms());
    await cluster.settled();
    expect(await maps(cluster)).toEqual(["two"]);
  });
});

test("a set that was renamed keeps and removes the objects that it renders", async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const first = await cluster.start(platforms());
  await cluster.settled();
  await first.stop();
  await cluster.start(platforms({ name: "stack2" }));
  await cluster.settled();
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
  await cluster.settled();
  expect(await maps(cluster)).toEqual(["two"]);
  await cluster.delete(Platform, "a");
  await cluster.settled();
  expect(await maps(cluster)).toEqual([]);
});

test("two owners of one object: nothing flaps in 20 passes", async () => {
  await using cluster = await startTestCluster({ objects: [platform({ names: ["x"] }), platform({ names: ["x"] }, { name: "b" })] });
  await cluster.start(platforms());
  await cluster.settled();
  cluster.requests.clear();
  for (let i = 0; i < 20; i++) await cluster.settled({ horizonMs: 60_000 });
  expect(cluster.requests.writes.filter(({ resource }) => resource !== "events")).toEqual([]);
});

test("two steps of one object: nothing flaps in 20 passes", async () => {
  const set = (name: string, text: string) =>
    dependentSet(Platform, {
      name,
      condition: name === "one" ? "OneReady" : "TwoReady",
      kinds: [ConfigMap],
      objects: () => [config("x", { text })],
    });
  const world = fakeWorld(handler(Platform).step(conditions()).step(set("one", "1")).step(set("two", "2")).build(), {
    objects: [platform()],
  });
  await world.settled();
  world.requests.clear();
  for (let i = 0; i < 20; i++) {
    await world.advance(60_000);
    await world.settled();
  }
  // Both sets fill status.state: the second one wins once.
  expect(world.requests.writes.length).toBeLessThan(2);
});

test("an entry of a kind whose name a core kind has, stays in a pass that does not reach the set", async () => {
  const KService = defineResource({ group: "serving.dev", version: "v1", kind: "Service", scope: "Namespaced", spec: z.object({}) });
  const gate = step(Platform, { name: "gate", do: (req) => (req.object.spec.retain ? req.wait("held", 60_000) : undefined) });
  const stack = dependentSet(Platform, {
    name: "stack",
    condition: "StackReady",
    kinds: [Service, KService],
    objects: () => [object(KService, { metadata: { name: "web" }, spec: {} })],
  });
  const world = fakeWorld(handler(Platform).step(conditions()).step(gate).step(stack).build(), { objects: [platform()] });
  await world.settled();
  expect(dependentsOf((await world.get(Platform, "a")) ?? {}).map(({ name }) => name)).toEqual(["web"]);
  await world.update(Platform, "a", ({ spec }) => void (spec.retain = true));
  await world.settled();
  expect(dependentsOf((await world.get(Platform, "a")) ?? {}).map(({ name }) => name)).toEqual(["web"]);
});

describe("any kinds", { tags: ["memory"] }, () => {
  test("one kind whose list fails does not stop the others", async () => {
    await using cluster = await startTestCluster({ objects: [platform()], kinds: [Widget, ConfigMap] });
    cluster.faults.add({ on: { verb: ["list", "watch"], resource: "widgets" }, fault: "serverError", times: 1e9 });
    await cluster.start(platforms({ kinds: "any", objects: () => [config("one"), object(Widget, { metadata: { name: "w" }, spec: {} })] }));
    await cluster.settled({ horizonMs: 120_000 });
    expect(await maps(cluster)).toEqual(["one"]);
  });
});

test("a namespace that is deleted and created again gets its objects back", async () => {
  const options = {
    objects: () => [
      object(Namespace, { metadata: { name: "space" } }),
      object(ConfigMap, { metadata: { name: "in", namespace: "space" } }),
    ],
  };
  await using cluster = await startTestCluster({ objects: [platform()] });
  await cluster.start(platforms(options));
  await cluster.settled();
  await cluster.delete(Namespace, "space");
  await cluster.settled({ horizonMs: 120_000 });
  expect(await cluster.get(ConfigMap, "space/in")).toBeDefined();
  expect(await conditionOf(cluster)).toMatchObject({ reason: "Ready" });
});

test("the annotation with policies, removed by a user together with the object from the list", async () => {
  const world = await settled({ objects: ({ spec }) => spec.names.map((name) => config(name, {}, { onRemoval: "orphan" })) });
  await world.update(ConfigMap, "one", ({ metadata }) => void delete metadata.annotations);
  await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two"]));
  await world.settled();
  expect(await namesOf(world)).toEqual(["one", "two"]);
  expect(await condition(world)).toMatchObject({ reason: "Ready" });
});

test("an orphan keeps its CRD when the owner is deleted", { tags: ["memory"] }, async () => {
  const crd = (policies: Record<string, string>) =>
    ({ ...crdOf(Widget), metadata: { name: "widgets.widgets.dev", annotations: policies } }) as unknown as Manifest;
  await using cluster = await startTestCluster({ objects: [platform({ names: ["first"] })] });
  await cluster.start(
    platforms({
      objects: ({ spec }) =>
        spec.names.includes("first")
          ? [
              crd({ "treadle.dev/delete-policy": "orphan" }),
              object(Widget, { metadata: { name: "kept" }, spec: {} }, { onRemoval: "orphan" }),
            ]
          : [crd({}), config("never", {}, { statusHint: { conditions: ["Served"] } })],
    }),
    { missing: [Widget] },
  );
  await cluster.settled();
  await cluster.update(Platform, "a", ({ spec }) => void (spec.names = ["second"]));
  await cluster.settled();
  await cluster.delete(Platform, "a");
  await cluster.settled();
  expect(await cluster.get(Widget, "kept")).toBeDefined();
});

describe("an object that was purged", () => {
  const purged = (more: object = {}, name = "old.example.dev") => {
    const stack = dependentSet(Platform, {
      name: "stack",
      condition: "StackReady",
      kinds: [ConfigMap],
      policies: ({ spec }) => ({ onRemoval: spec.retain ? "orphan-on-delete" : "delete" }),
      objects: () => [config("migration", {}, { purge: 0 }), config("kept")],
    });
    return handler(Platform, { name, ...more })
      .step(conditions())
      .step(stack)
      .build();
  };

  test("is not created again under another name of the handler", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(purged());
    await cluster.settled();
    await first.stop();
    cluster.requests.clear();
    await cluster.start(purged({ formerNames: ["old.example.dev"] }, "new.example.dev"));
    await cluster.settled({ horizonMs: 3_600_000 });
    expect(await maps(cluster)).toEqual(["kept"]);
    expect(cluster.requests.filter({ kind: ConfigMap, name: "migration" })).toEqual([]);
  });

  test("is not created again for another policy", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    await cluster.start(purged());
    await cluster.settled();
    cluster.requests.clear();
    await cluster.update(Platform, "a", ({ spec }) => void (spec.retain = true));
    await cluster.settled();
    expect(cluster.requests.filter({ kind: ConfigMap, name: "migration" })).toEqual([]);
  });
});
