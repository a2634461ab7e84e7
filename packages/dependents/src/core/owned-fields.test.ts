import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace, Service } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appliedFields, extractOwned, firstDifference } from "./owned-fields.ts";

describe("firstDifference", () => {
  const labelled = { "f:metadata": { "f:labels": { "f:a": {} } } };
  const container = (more: object = {}): object => ({ name: "c", image: "i", ...more });
  const containers = { "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:image": {} } } } };
  const ports = {
    "f:ports": {
      'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} },
      'k:{"port":80,"protocol":"UDP"}': { ".": {}, "f:port": {}, "f:protocol": {} },
    },
  };

  test.for<{ name: string; wanted: object; live: object; owned: object; want: string | undefined; trusted?: null }>([
    { name: "the same", wanted: { data: { a: "1" } }, live: { data: { a: "1" } }, owned: { "f:data": { "f:a": {} } }, want: undefined },
    {
      name: "another value",
      wanted: { data: { a: "1" } },
      live: { data: { a: "2" } },
      owned: { "f:data": { "f:a": {} } },
      want: "data.a",
      trusted: null,
    },
    {
      name: "a field of ours is missing in the live object",
      wanted: { data: { a: "1" } },
      live: { data: {} },
      owned: { "f:data": { "f:a": {} } },
      want: "data.a",
      trusted: null,
    },
    {
      name: "a field of ours is no longer desired",
      wanted: { data: {} },
      live: { data: { a: "1" } },
      owned: { "f:data": { "f:a": {} } },
      want: "data.a",
    },
    { name: "no field is desired any more", wanted: {}, live: { data: { a: "1" } }, owned: { "f:data": { "f:a": {} } }, want: "data" },
    {
      name: "a new field is desired",
      wanted: { data: { a: "1", b: "1" } },
      live: { data: { a: "1" } },
      owned: { "f:data": { "f:a": {} } },
      want: "data.b",
    },
    {
      name: "a field with our value that another writer owns",
      wanted: { data: { a: "1", b: "1" } },
      live: { data: { a: "1", b: "1" } },
      owned: { "f:data": { "f:a": {} } },
      want: "data.b",
    },
    {
      name: "a field of others",
      wanted: { data: { a: "1" } },
      live: { data: { a: "1", b: "2" }, spec: 1 },
      owned: { "f:data": { "f:a": {} } },
      want: undefined,
    },
    { name: "no field is ours yet", wanted: { data: { a: "1" } }, live: { data: { a: "1" } }, owned: {}, want: "data" },
    { name: "no field is desired, and none is ours", wanted: {}, live: { data: {} }, owned: {}, want: undefined },
    {
      name: "an undefined field is not desired",
      wanted: { data: { a: "1", b: undefined } },
      live: { data: { a: "1" } },
      owned: { "f:data": { "f:a": {} } },
      want: undefined,
    },
    {
      name: "what names the object",
      wanted: { apiVersion: "v1", kind: "X", metadata: { name: "n", namespace: "ns", uid: "u", resourceVersion: "1", labels: { a: "1" } } },
      live: { metadata: { labels: { a: "1" } } },
      owned: labelled,
      want: undefined,
    },
    {
      name: "metadata that only names",
      wanted: { metadata: { name: "n" }, data: { a: "1" } },
      live: { data: { a: "1" } },
      owned: { "f:data": { "f:a": {} } },
      want: undefined,
    },
    {
      name: "a whole map with defaults inside",
      wanted: { sel: { a: 1 } },
      live: { sel: { a: 1, b: { c: 2 } } },
      owned: { "f:sel": {} },
      want: "sel",
      trusted: null,
    },
    {
      name: "a whole list with defaults inside",
      wanted: { l: [{ a: 1 }] },
      live: { l: [{ a: 1, b: 2 }] },
      owned: { "f:l": {} },
      want: "l",
      trusted: null,
    },
    { name: "a whole list that is longer", wanted: { l: [1] }, live: { l: [1, 2] }, owned: { "f:l": {} }, want: "l", trusted: null },
    { name: "a whole list in another order", wanted: { l: [1, 2] }, live: { l: [2, 1] }, owned: { "f:l": {} }, want: "l", trusted: null },
    { name: "an empty map", wanted: { emptyDir: {} }, live: { emptyDir: {} }, owned: { "f:emptyDir": {} }, want: undefined },
    {
      name: "an element of a list-map",
      wanted: { spec: { containers: [container()] } },
      live: { spec: { containers: [container({ pull: "x" })] } },
      owned: containers,
      want: undefined,
    },
    {
      name: "elements of others around it",
      wanted: { spec: { containers: [container()] } },
      live: { spec: { containers: [{ name: "b" }, container()] } },
      owned: containers,
      want: undefined,
    },
    {
      name: "another value in an element",
      wanted: { spec: { containers: [container()] } },
      live: { spec: { containers: [container({ image: "j" })] } },
      owned: containers,
      want: 'spec.containers[{"name":"c"}].image',
      trusted: null,
    },
    {
      name: "a missing element",
      wanted: { spec: { containers: [container()] } },
      live: { spec: { containers: [] } },
      owned: containers,
      want: 'spec.containers[{"name":"c"}]',
      trusted: null,
    },
    {
      name: "an element that is not ours yet",
      wanted: { spec: { containers: [container(), { name: "d" }] } },
      live: { spec: { containers: [container(), { name: "d" }] } },
      owned: containers,
      want: "spec.containers[1]",
    },
    {
      name: "keys with defaults left out",
      wanted: { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] },
      live: {
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 80, protocol: "UDP" },
        ],
      },
      owned: ports,
      want: undefined,
    },
    {
      name: "keys with defaults left out, in another order",
      wanted: { ports: [{ port: 80, protocol: "UDP" }, { port: 80 }] },
      live: {
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 80, protocol: "UDP" },
        ],
      },
      owned: ports,
      want: undefined,
    },
    { name: "a member of a set", wanted: { f: ["a"] }, live: { f: ["b", "a"] }, owned: { "f:f": { 'v:"a"': {} } }, want: undefined },
    {
      name: "a missing member of a set",
      wanted: { f: ["a"] },
      live: { f: ["b"] },
      owned: { "f:f": { 'v:"a"': {} } },
      want: 'f["a"]',
      trusted: null,
    },
    { name: "a position", wanted: { l: ["a"] }, live: { l: ["a"] }, owned: { "f:l": { "i:0": {} } }, want: undefined },
    { name: "a key that is no JSON", wanted: { l: ["a"] }, live: { l: ["a"] }, owned: { "f:l": { "k:{": {} } }, want: "l[{]" },
    { name: "a list where a map was", wanted: { x: ["a"] }, live: { x: { a: 1 } }, owned: { "f:x": { "f:a": {} } }, want: "x.a" },
    {
      name: "a name of Object.prototype",
      wanted: { data: { a: "1" } },
      live: { data: { a: "1" } },
      owned: { "f:data": { "f:a": {}, "f:constructor": {} } },
      want: "data.constructor",
    },
  ])("$name", ({ wanted, live, owned, want, trusted = want }) => {
    const given = owned as Record<string, unknown>;
    expect(firstDifference(wanted, live, { owned: given, trust: false })).toBe(want);
    expect(firstDifference(wanted, live, { owned: given, trust: true }), "trusted").toBe(trusted ?? undefined);
  });
});

test("the fields that a manager applied are those of its Apply entry of the object itself", () => {
  const fieldsV1 = { "f:data": {} };
  const live = (entry: object): KubernetesObject => ({ apiVersion: "v1", kind: "X", metadata: { name: "x", managedFields: [entry] } });
  expect(appliedFields(live({ manager: "m", operation: "Apply", fieldsV1 }), "m")).toBe(fieldsV1);
  for (const other of [
    { manager: "m", operation: "Update" },
    { manager: "m2", operation: "Apply" },
    { manager: "m", operation: "Apply", subresource: "status" },
  ])
    expect(appliedFields(live({ ...other, fieldsV1 }), "m")).toBeUndefined();
});

test("what is ours of an object is extracted at the fields that we own", () => {
  const owned = {
    "f:metadata": { "f:labels": { "f:a": {} } },
    "f:spec": { "f:l": { 'k:{"name":"c"}': { ".": {}, "f:image": {} } }, "f:whole": {} },
  };
  const live = {
    metadata: { labels: { a: "1", b: "2" } },
    spec: { l: [{ name: "b" }, { name: "c", image: "i", pull: "x" }], whole: [1, 2], other: 1 },
  };
  expect(extractOwned(live, owned)).toEqual({
    "f:metadata": { "f:labels": { "f:a": "1" } },
    "f:spec": { "f:l": { 'k:{"name":"c"}': { "f:image": "i" } }, "f:whole": [1, 2] },
  });
});

/*
 * Invariants, with the API server as the judge of what is owned, for random Deployments, Services and ConfigMaps:
 * 1. After an apply of `wanted` there is no difference, whatever defaults the server added.
 * 2. Fields that another writer adds make none.
 * 3. A change by another writer of a field that we applied makes one.
 * 4. Wanting less makes one, where the values are compared.
 */
describe("compared with what the API server made of an apply", () => {
  const ME = "me/web/uid";
  const name = fc.constantFrom("a", "b", "c");
  const word = fc.constantFrom("x", "y", "z");
  const words = fc.dictionary(name, word, { minKeys: 1 });
  const unique = <T extends object>(element: fc.Arbitrary<T>, key: keyof T): fc.Arbitrary<T[]> =>
    fc.uniqueArray(element, { minLength: 1, maxLength: 3, selector: (each) => each[key] });
  const port = fc.record({ containerPort: fc.constantFrom(80, 81) }, { requiredKeys: ["containerPort"] });
  const container = fc.record(
    {
      name,
      image: word,
      args: fc.array(word, { minLength: 1, maxLength: 3 }),
      env: unique(fc.record({ name, value: word }), "name"),
      ports: unique(port, "containerPort"),
    },
    { requiredKeys: ["name", "image"] },
  );
  const deployment = fc
    .record({ labels: words, containers: unique(container, "name"), nodeSelector: words, replicas: fc.constantFrom(1, 2, 3) })
    .map(({ labels, containers, nodeSelector, replicas }) => ({
      metadata: { labels },
      spec: {
        replicas,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { ...labels, app: "a" } }, spec: { containers, nodeSelector } },
      },
    }));
  const service = fc
    .record({ selector: words, ports: unique(fc.record({ name, port: fc.constantFrom(1, 2, 3) }), "name") })
    .filter(({ ports }) => new Set(ports.map((each) => each.port)).size === ports.length)
    .map((spec) => ({ spec }));
  const configMap = fc.record({ data: words });

  async function applied(
    kind: typeof ConfigMap,
    wanted: object,
  ): Promise<{ client: Client; body: KubernetesObject; live: KubernetesObject }> {
    const client = createClient({ transport: createApiServer().transport() });
    await client.create(Namespace, { metadata: { name: "ns" } });
    const given = wanted as { readonly metadata?: object };
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
    const body = { ...given, apiVersion, kind: kind.kind, metadata: { ...given.metadata, name: "d", namespace: "ns" } };
    const live = await client.apply(kind, body, { fieldManager: ME, force: true });
    return { client, body, live };
  }

  const difference = (wanted: object, live: KubernetesObject, trust = false): string | undefined =>
    firstDifference(wanted, live, { owned: appliedFields(live, ME) ?? {}, trust });

  for (const [kind, arbitrary] of [
    [ConfigMap, configMap],
    [Service, service],
    [Deployment, deployment],
  ] as const) {
    const given = arbitrary as fc.Arbitrary<object>;
    // The three are used alike: as kinds of objects with metadata.
    const of = kind as unknown as typeof ConfigMap;

    test(`${kind.kind}: none after an apply, and none by what others add`, async () => {
      await fc.assert(
        fc.asyncProperty(given, async (wanted) => {
          const { client, body, live } = await applied(of, wanted);
          for (const trust of [true, false]) expect(difference(body, live, trust)).toBeUndefined();
          const foreign = { metadata: { labels: { foreign: "1" }, annotations: { "example.com/foreign": "1" } } };
          const after = await client.patch(of, live.metadata, { type: "merge", body: foreign }, { fieldManager: "kubectl" });
          for (const trust of [true, false]) expect(difference(body, after, trust)).toBeUndefined();
        }),
        { numRuns: 30 },
      );
    });

    test(`${kind.kind}: a difference after another writer changed our field, or after the desired state changed`, async () => {
      await fc.assert(
        fc.asyncProperty(given, fc.nat(), async (wanted, which) => {
          const { client, body, live } = await applied(of, wanted);
          const leaves = leavesOf(body).filter(
            ({ path }) => !["apiVersion", "kind", "metadata.name", "metadata.namespace"].includes(path.join(".")),
          );
          const leaf = leaves[which % leaves.length];
          if (leaf === undefined) return;
          expect(difference(without(body, leaf.path), live), leaf.path.join(".")).toBeDefined();
          // What cannot be changed, or would be another element, cannot drift.
          if (leaf.path.some((key) => ["selector", "name", "port", "containerPort", "app"].includes(String(key)))) return;
          const drifted = changed(live, leaf.path, body);
          const after = await client.update(of, drifted as never, { fieldManager: "kubectl" });
          for (const trust of [true, false]) expect(difference(body, after, trust), leaf.path.join(".")).toBeDefined();
        }),
        { numRuns: 30 },
      );
    });
  }
});

interface Leaf {
  readonly path: readonly (string | number)[];
}

function leavesOf(value: unknown, path: readonly (string | number)[] = []): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => leavesOf(each, [...path, i]));
  if (typeof value === "object" && value !== null) return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  return [{ path }];
}

function without(object: object, path: readonly (string | number)[]): object {
  const copy = structuredClone(object);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (Array.isArray(at)) at.splice(last as number, 1);
  else delete at[last];
  return copy;
}

/** `live` with the leaf that stands at `path` in `body` changed: elements of lists are found by name, else by position. */
function changed(live: object, path: readonly (string | number)[], body: object): object {
  const copy = structuredClone(live);
  let at = copy as Record<string | number, unknown>;
  let wanted = body as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) {
    const next = wanted[key] as Record<string | number, unknown>;
    const index =
      Array.isArray(at) && next["name"] !== undefined ? at.findIndex((each) => (each as { name?: unknown }).name === next["name"]) : key;
    at = at[index] as Record<string | number, unknown>;
    wanted = next;
  }
  const last = path.at(-1) as string | number;
  at[last] = typeof at[last] === "number" ? (at[last] as number) + 1 : `${String(at[last])}-drift`;
  return copy;
}
