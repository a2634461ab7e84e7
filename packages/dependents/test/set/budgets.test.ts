/** The requests of a set: at rest, in an installation, and in a removal. In memory, because they are counted in virtual time. */
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { config, namesOf, Platform, platform, platforms, settled, worldOf } from "./platforms.ts";

const MEMORY = { tags: ["memory"] };
const WRITES = ["create", "update", "patch", "apply", "delete"] as const;
const maps = (count: number, wave = 0): readonly Manifest[] =>
  Array.from({ length: count }, (_, i) => config(`map-${wave}-${i}`, {}, { apply: wave }));

const server = (name: string, wave = 0): Manifest => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/server" }] } };
  return object(Deployment, { metadata: { name }, spec: { selector: { matchLabels: labels }, template } }, { apply: wave });
};

function requestsOf({ requests }: FakeWorld): Readonly<Record<string, number>> {
  return requests.summary();
}

describe("a set at rest", MEMORY, () => {
  test("sends no request in a pass and in a resync", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const op = await cluster.start(platforms(), { controller: { resyncMs: 60_000 } });
    await op.settled();
    cluster.requests.clear();
    const before = op.passes.length;
    await cluster.advance(3_600_000);
    await op.settled();
    expect(op.passes.length - before).toBeGreaterThan(50);
    expect(cluster.requests.filter({ verb: [...WRITES, "list", "get"] })).toEqual([]);
  });

  test.for([{ kinds: "listed" }, { kinds: "any" }] as const)("of $kinds kinds writes nothing after a restart", async ({ kinds }) => {
    const options = kinds === "any" ? { kinds } : {};
    await using cluster = await startTestCluster({ objects: [platform()] });
    const op = await cluster.start(platforms(options));
    await op.settled();
    await op.stop();
    const before = await cluster.get(Platform, "a");
    cluster.requests.clear();
    const next = await cluster.start(platforms(options));
    await next.settled({ horizonMs: 120_000 });
    expect(cluster.requests.filter({ verb: WRITES }).map(({ verb, path, body }) => [verb, path, body])).toEqual([]);
    expect((await cluster.get(Platform, "a"))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    cluster.requests.clear();
    await next.settled({ horizonMs: 3_600_000 });
    expect(cluster.requests.filter({ verb: [...WRITES, "list", "get"] })).toEqual([]);
  });
});

describe("the installation of a set", MEMORY, () => {
  test("of N objects in two waves sends N applies, a finalizer, a checkpoint, and two writes of the status for each wave", async () => {
    const world = worldOf({ objects: () => [...maps(20), ...maps(10, 1)] });
    await world.settled();
    const { requests } = world;
    expect(requests.count({ kind: ConfigMap, verb: "apply" })).toBe(30);
    expect(requests.count({ resource: "platforms", verb: "patch" })).toBeLessThanOrEqual(1 + 1 + 2 * 2);
    expect(requests.writes.length).toBe(30 + requests.count({ resource: "platforms", verb: "patch" }));
    expect(Object.keys(requestsOf(world)).filter((each) => /^(list|get) configmaps/.test(each))).toEqual([]);
  });

  test("of kinds that the set has had before needs no checkpoint", async () => {
    const world = await settled();
    world.requests.clear();
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["one", "two", "three"]));
    await world.settled();
    expect(requestsOf(world)).toEqual({ "get platforms": 1, "apply configmaps": 1, "patch platforms/status": 1 });
  });

  test("stores a new kind before its first object", async () => {
    const world = await settled({
      objects: ({ spec }) => spec.names.map((name) => (name === "secret" ? object(Secret, { metadata: { name } }) : config(name))),
    });
    world.requests.clear();
    await world.update(Platform, "a", ({ spec }) => void (spec.names = ["one", "two", "secret"]));
    await world.settled();
    const [first, second] = world.requests.writes;
    expect([first?.resource, first?.subresource, second?.resource]).toEqual(["platforms", "status", "secrets"]);
  });

  test("writes the status at most every 10 s while 30 Deployments of a wave become ready one by one", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `server-${i}`);
    const world = worldOf({ objects: () => [...names.map((name) => server(name)), config("last", {}, { apply: 1 })] });
    await world.settled();
    world.requests.clear();
    for (const name of names) {
      await world.makeReady(Deployment, name);
      await world.settled();
      await world.advance(1_000);
      await world.settled();
    }
    await world.advance(11_000);
    await world.settled();
    expect(await namesOf(world)).toEqual(["last"]);
    // Three times 10 s, the end of each of two waves, and the begin of the second.
    expect(world.requests.count({ resource: "platforms", verb: "patch" })).toBeLessThanOrEqual(3 + 2 * 2);
    expect(world.requests.count({ verb: "apply" })).toBe(1);
  });
});

describe("the removal of a set", MEMORY, () => {
  test("sends one list for each kind, and one delete for each object", async () => {
    const world = await settled({
      objects: () => [...maps(20), object(Secret, { metadata: { name: "secret" } }), ...maps(5, 1)],
    });
    world.requests.clear();
    await world.delete(Platform, "a");
    await world.settled();
    const { "patch platforms/status": status = 0, ...others } = requestsOf(world);
    expect(others).toEqual({
      "delete configmaps": 25,
      "delete secrets": 1,
      "list configmaps": 1,
      "list secrets": 1,
      "patch platforms": 1,
    });
    expect(status).toBeLessThanOrEqual(1);
  });

  test("of dropped objects sends one delete for each, and no list", async () => {
    const world = await settled({ objects: ({ spec }) => spec.names.map((name) => config(name)) });
    world.requests.clear();
    await world.update(Platform, "a", ({ spec }) => void (spec.names = []));
    await world.settled();
    const { "patch platforms/status": status = 0, ...others } = requestsOf(world);
    expect(others).toEqual({ "delete configmaps": 2 });
    expect(status).toBeLessThanOrEqual(2);
  });
});
