/** Policies as annotations, end to end: from YAML to what happens to the object, across restarts and a rename of the operator. */
import "@treadle/testing/matchers";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ConfigMap, CustomResourceDefinition, Secret } from "@treadle/apimachinery/kinds";
import { conditions, type Handler, handler } from "@treadle/reconcile";
import { fakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { dependentSet, type Manifest, manifests, type Renderer } from "../../src/index.ts";
import { config, HANDLER, namesOf, type Options, Platform, platform, platforms, POLICIES, settled } from "./platforms.ts";

const OLD = "old.example.dev";

/** A handler with another name, and what it was called before. */
function named(
  names: { readonly name: string; readonly formerNames?: readonly string[] },
  options: Partial<Options> = {},
): Handler<Platform> {
  const kinds = [ConfigMap, Secret, CustomResourceDefinition];
  const stack = dependentSet(Platform, { name: "stack", condition: "StackReady", kinds, objects: () => [], ...options });
  return handler(Platform, names).step(conditions()).step(stack).build();
}

async function inFolder<R>(files: Readonly<Record<string, string>>, run: (objects: Renderer) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(path.join(tmpdir(), "treadle-set-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    return await run(manifests(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const yaml = (name: string, annotations: readonly string[]): string =>
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  annotations:
    example.org/kept: "yes"
${annotations.map((line) => `    ${line}\n`).join("")}`;

describe("annotations in a folder of YAML", () => {
  test("order the objects, choose what becomes of them, and are not on the live objects", async () => {
    await inFolder(
      {
        "a.yaml": yaml("late", [`${HANDLER}/apply-order: "2"`, `${HANDLER}/delete-policy: OrphanOnDelete`]),
        "b.yaml": yaml("first", ["treadle.dev/apply-order: '-1'", "treadle.dev/update-policy: ssaOverride"]),
        "c.yaml": yaml("middle", [`${HANDLER}/adoption-policy: Always`, `${HANDLER}/reconcile-policy: onObjectOrComponentChange`]),
      },
      async (objects) => {
        const world = await settled({ objects: objects as Options["objects"] });
        const written = world.requests.filter({ kind: ConfigMap, verb: "apply" }).map(({ name }) => name);
        expect(written).toEqual(["first", "middle", "late"]);
        const annotationsOf = async (name: string): Promise<object> => {
          const { annotations = {} } = (await world.get(ConfigMap, name))?.metadata ?? {};
          const { [`${HANDLER}/applied`]: _, [`${HANDLER}/owner`]: __, ...rest } = annotations;
          return rest;
        };
        expect(await annotationsOf("late")).toEqual({
          "example.org/kept": "yes",
          [POLICIES]: '{"apply":2,"onRemoval":"orphan-on-delete"}',
        });
        expect(await annotationsOf("first")).toEqual({
          "example.org/kept": "yes",
          [POLICIES]: '{"apply":-1,"update":"apply-and-reclaim"}',
        });
        expect(await annotationsOf("middle")).toEqual({
          "example.org/kept": "yes",
          [POLICIES]: expect.stringMatching(/^\{"adopt":"force","reconcile":"on-object-or-component-change","inputs":"[^"]+"\}$/),
        });
        await world.delete(Platform, "a");
        await world.settled();
        expect(await namesOf(world)).toEqual(["late"]);
      },
    );
  });

  test("with two values for one policy are refused, with both", async () => {
    const both = ["treadle.dev/apply-order: '1'", `${HANDLER}/apply-order: '2'`];
    await inFolder({ "a.yaml": yaml("x", both) }, async (objects) => {
      const world = await settled({ objects: objects as Options["objects"] });
      const found = (await world.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
      expect(found?.message).toBe(
        `ConfigMap default/x: the annotations treadle.dev/apply-order and ${HANDLER}/apply-order are "1" and "2": remove one, they set the same policy`,
      );
    });
  });

  test("under a former name of the operator count", async () => {
    await inFolder({ "a.yaml": yaml("x", [`${OLD}/delete-policy: orphan`]) }, async (objects) => {
      const world = fakeWorld(named({ name: HANDLER, formerNames: [OLD] }, { objects: objects as Options["objects"] }), {
        objects: [platform()],
      });
      await world.settled();
      expect((await world.get(ConfigMap, "x"))?.metadata.annotations).toMatchObject({ [POLICIES]: '{"onRemoval":"orphan"}' });
      expect((await world.get(ConfigMap, "x"))?.metadata.annotations).not.toHaveProperty(`${OLD}/delete-policy`);
    });
  });
});

describe("the policies on an object", () => {
  test.for([
    { before: "orphan", after: "delete", stays: true },
    { before: "delete", after: "orphan", stays: false },
  ] as const)("($before) govern it after a restart with the default $after, when it is not rendered any more", async (row) => {
    const { before, after, stays } = row;
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms({ defaults: { onRemoval: before }, objects: () => [config("x"), config("kept")] }));
    await first.settled();
    await first.stop();
    const second = await cluster.start(platforms({ defaults: { onRemoval: after }, objects: () => [config("kept")] }));
    await second.settled();
    expect((await cluster.get(ConfigMap, "x")) !== undefined).toBe(stays);
    expect((await cluster.get(ConfigMap, "kept"))?.metadata.annotations?.[POLICIES]).toBe(
      after === "delete" ? undefined : '{"onRemoval":"orphan"}',
    );
    expect(marksOn(await cluster.get(ConfigMap, "x"), HANDLER)).toEqual([]);
  });

  test("are those of the custom resource, which outweigh the operator's, and those of the object outweigh both", async () => {
    const world = await settled({
      defaults: { onRemoval: "orphan" },
      policies: ({ spec }) => (spec.retain ? { onRemoval: "orphan-on-delete" } : {}),
      objects: () => [config("plain"), config("own", {}, { onRemoval: "delete" })],
    });
    const noteOf = async (name: string): Promise<string | undefined> =>
      (await world.get(ConfigMap, name))?.metadata.annotations?.[POLICIES];
    expect([await noteOf("plain"), await noteOf("own")]).toEqual(['{"onRemoval":"orphan"}', '{"onRemoval":"delete"}']);
    await world.update(Platform, "a", ({ spec }) => void (spec.retain = true));
    await world.settled();
    expect([await noteOf("plain"), await noteOf("own")]).toEqual(['{"onRemoval":"orphan-on-delete"}', '{"onRemoval":"delete"}']);
    await world.delete(Platform, "a");
    await world.settled();
    expect(await namesOf(world)).toEqual(["plain"]);
  });
});

/** The labels, annotations and finalizers under the name of an operator, and its field managers. */
function marksOn(object: ConfigMap | undefined, name: string): readonly string[] {
  const { labels = {}, annotations = {}, finalizers = [], managedFields = [] } = object?.metadata ?? {};
  const managers = managedFields.map(({ manager = "" }) => manager);
  return [...Object.keys(labels), ...Object.keys(annotations), ...finalizers, ...managers].filter((each) => each.startsWith(name));
}

test("marks that a manifest brings from a cluster are left out", async () => {
  const exported: Manifest = {
    ...config("x", { text: "1" }),
    metadata: {
      name: "x",
      labels: { app: "x", [`${HANDLER}/owner-id`]: "of another owner", [`${HANDLER}/dependent`]: "other" },
      annotations: {
        [`${HANDLER}/owner`]: "Platform other/b",
        [`${HANDLER}/applied`]: "0",
        [POLICIES]: '{"onRemoval":"orphan"}',
      },
    },
  };
  const world = await settled({ objects: () => [exported, config("y")] });
  const [x, y] = [await world.get(ConfigMap, "x"), await world.get(ConfigMap, "y")];
  expect(x?.metadata.labels).toEqual({ app: "x", ...y?.metadata.labels });
  expect(x?.metadata.annotations?.[POLICIES]).toBeUndefined();
  expect(x?.metadata.annotations?.[`${HANDLER}/owner`]).toBe("Platform default/a");
  await world.delete(Platform, "a");
  await world.settled();
  expect(await namesOf(world)).toEqual([]);
});

test("events end with the annotation on the custom resource", async () => {
  const world = await settled();
  expect(world.events.map(({ reason }) => reason)).toContain("Created");
  await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { [`${HANDLER}/disable-events`]: "true" }));
  await world.settled();
  const { length } = world.events;
  await world.update(Platform, "a", ({ spec }) => void (spec.names = ["two", "three"]));
  await world.update(ConfigMap, "two", (object) => void (object.data = {}));
  await world.settled();
  expect(world.events.slice(length).filter(({ note }) => note.startsWith("set "))).toEqual([]);
  expect(await namesOf(world)).toEqual(["three", "two"]);
});

describe("a renamed operator", () => {
  const widgets: Manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tablets.table.example.dev" },
    spec: {
      group: "table.example.dev",
      scope: "Namespaced",
      names: { plural: "tablets", singular: "tablet", kind: "Tablet", listKind: "TabletList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  } as Manifest;
  const tablets = { group: "table.example.dev", version: "v1", kind: "Tablet", plural: "tablets", scope: "Namespaced" } as const;
  const permissions = [{ kind: tablets, verbs: ["list"] as const }];
  const objects = (): readonly Manifest[] => [
    config("plain", { text: "1" }),
    config("noted", {}, { onRemoval: "orphan-on-apply" }),
    config("put", {}, { update: "replace" }),
    widgets,
  ];
  const crdOf = async (cluster: TestCluster): Promise<CustomResourceDefinition | undefined> =>
    await cluster.get(CustomResourceDefinition, "tablets.table.example.dev");

  test("takes all marks of its objects with it, and writes nothing after that", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(named({ name: OLD }, { objects, permissions, replaces: true }));
    await first.settled();
    const before = await cluster.get(ConfigMap, "plain");
    expect(marksOn(before, OLD).length).toBeGreaterThan(0);
    expect((await crdOf(cluster))?.metadata.finalizers).toEqual([`example.dev/${OLD}`]);
    await first.stop();
    const renamed = named({ name: HANDLER, formerNames: [OLD] }, { objects, permissions, replaces: true });
    const second = await cluster.start(renamed);
    // As long as the marks of the old version stay for it.
    await second.settled({ horizonMs: 60_000 });
    for (const name of ["plain", "noted", "put"]) {
      const object = await cluster.get(ConfigMap, name);
      // A PUT does not change who has written a field that stays.
      const former = marksOn(object, OLD).filter((mark) => name !== "put" || mark !== OLD);
      expect([name, former]).toEqual([name, []]);
      expect(object?.metadata.labels).toMatchObject({ [`${HANDLER}/dependent`]: "stack" });
    }
    expect((await cluster.get(ConfigMap, "plain"))?.metadata.uid).toBe(before?.metadata.uid);
    expect((await cluster.get(ConfigMap, "noted"))?.metadata.annotations?.[POLICIES]).toBe('{"onRemoval":"orphan-on-apply"}');
    expect((await crdOf(cluster))?.metadata.finalizers?.filter((name) => !name.startsWith("customresource"))).toEqual([
      `example.dev/${HANDLER}`,
    ]);
    cluster.requests.clear();
    await cluster.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/x": "" }));
    await second.settled();
    expect(cluster.requests.filter({ verb: ["apply", "create", "update", "patch", "delete", "list", "get"] })).toEqual([]);
    await cluster.delete(Platform, "a");
    await second.settled();
    expect(await cluster.get(Platform, "a")).toBeUndefined();
    for (const name of ["plain", "noted", "put"]) expect([name, await cluster.get(ConfigMap, name)]).toEqual([name, undefined]);
    expect(await crdOf(cluster)).toBeUndefined();
  });
});
