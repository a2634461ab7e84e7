/** Kinds without which a step runs: `ifNotServed: "skip"` in reads and owns, and `req.isServed`. */
import "../src/matchers.ts";
import { ApiError, defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld, startTestCluster, type TestCluster } from "../src/index.ts";

const Site = defineResource({
  group: "optional.treadle.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: z.object({}),
  status: z.object({ text: z.string().optional(), isServed: z.boolean().optional() }),
});
const Monitor = defineResource({ group: "optional.treadle.dev", version: "v1", kind: "Monitor", scope: "Namespaced", spec: z.object({}) });
const Unread = defineResource({ group: "optional.treadle.dev", version: "v1", kind: "Unread", scope: "Namespaced", spec: z.object({}) });
/** A cluster-scoped kind: a namespaced object cannot own its objects by reference. */
const Wide = defineResource({ group: "optional.treadle.dev", version: "v1", kind: "Wide", scope: "Cluster", spec: z.object({}) });

const site = { apiVersion: "optional.treadle.dev/v1", kind: "Site", metadata: { name: "a" }, spec: {} };
const NINE = Array.from({ length: 9 }, (_, i) => `a-${i}`);

/** Creates nine ConfigMaps, and a Monitor where the server has them. */
const making = step(Site, {
  name: "making",
  conditions: ["Made"],
  reads: {
    maps: many(ConfigMap, () => ({ matchLabels: {} })),
    monitor: one(Monitor, ({ metadata }) => metadata.name, { ifNotServed: "skip" }),
  },
  owns: [ConfigMap, { kind: Monitor, ifNotServed: "skip" }],
  async do(req) {
    const { apiVersion, kind, metadata } = req.object;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true }];
    const there = new Set(req.reads.maps.map((map) => map.metadata.name));
    for (const name of NINE) if (!there.has(name)) await req.client.create(ConfigMap, { metadata: { name, ownerReferences }, data: {} });
    req.status.isServed = req.isServed(Monitor);
    if (req.isServed(Monitor) && req.reads.monitor === undefined)
      await req.client.create(Monitor, { metadata: { name: metadata.name, ownerReferences }, spec: {} });
    req.conditions.true("Made");
  },
  cleanup: (req) => void req.reads.monitor,
});
const sites: AnyHandler = handler(Site).step(conditions()).step(making).build();

const maps = async (cluster: Pick<TestCluster, "list">): Promise<readonly string[]> =>
  (await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name).filter((name) => NINE.includes(name));

describe("a missing kind that a step can do without", () => {
  test("stops none of nine other objects, and a pass creates the tenth when the kind is installed", async () => {
    await using cluster = await startTestCluster({ objects: [site] });
    const op = await cluster.start(sites, { missing: [Monitor] });
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeReady();
    expect((await cluster.get(Site, "a"))?.status).toMatchObject({ isServed: false });
    expect(await maps(cluster)).toEqual(NINE);

    await cluster.install(Monitor);
    await op.settled();
    // Its rights let the operator ask every 10 s; on a real server that is real time.
    await expect.poll(async () => (await cluster.get(Site, "a"))?.status?.isServed, { timeout: 30_000 }).toBe(true);
    await op.settled();
    expect(await cluster.get(Monitor, "a")).toBeDefined();
  });

  test("is reverted when it was installed, removed and installed again", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [site], kinds: [Monitor] });
    const op = await cluster.start(sites);
    await op.settled();
    expect(await cluster.get(Monitor, "a")).toBeDefined();
    await cluster.uninstall(Monitor);
    await op.settled();
    expect((await cluster.get(Site, "a"))?.status).toMatchObject({ isServed: false });
    expect(await cluster.get(Site, "a")).toBeReady();
    await cluster.install(Monitor);
    await op.settled();
    expect(await cluster.get(Monitor, "a")).toBeDefined();
  });

  test("does not hold a cleanup", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [site] });
    const op = await cluster.start(sites, { missing: [Monitor] });
    await op.settled();
    await cluster.delete(Site, "a");
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeUndefined();
  });

  test("is the same in fakeWorld and fakeReq", { tags: ["memory"] }, async () => {
    const world = fakeWorld(sites, { objects: [site], missing: [Monitor] });
    await world.settled();
    expect((await world.get(Site, "a"))?.status).toMatchObject({ isServed: false });
    expect(await maps(world)).toEqual(NINE);
    await world.install(Monitor);
    await world.settled();
    expect(await world.get(Monitor, "a")).toBeDefined();

    const req = fakeReq(Site, {}, { missing: [Monitor] });
    await req.run(making);
    expect(req.status).toMatchObject({ isServed: false });
    const served = fakeReq(Site, {});
    await served.run(making);
    expect(served.status).toMatchObject({ isServed: true });
  });

  test("makes a step wait that declares it without the option as well", { tags: ["memory"] }, async () => {
    const both = step(Site, {
      name: "both",
      owns: [Monitor],
      reads: { monitor: one(Monitor, () => "a", { ifNotServed: "skip" }) },
      do() {},
    });
    expect(await fakeReq(Site, {}, { missing: [Monitor] }).run(both)).toMatchObject({
      type: "wait",
      reason: expect.stringContaining("Monitor (optional.treadle.dev/v1) is not installed"),
    });
  });
});

test.for([
  { name: "one()", read: one(Monitor, () => "a", { ifNotServed: "skip" }), want: undefined },
  { name: "a live one()", read: one(Monitor, () => "a", { ifNotServed: "skip", live: true }), want: undefined },
  { name: "an unwatched one()", read: one(Monitor, () => "a", { ifNotServed: "skip", watch: false }), want: undefined },
  { name: "many()", read: many(Monitor, () => ({ matchLabels: {} }), { ifNotServed: "skip" }), want: [] },
  { name: "a live many()", read: many(Monitor, () => ({ matchLabels: {} }), { ifNotServed: "skip", live: true }), want: [] },
])("$name of a missing kind is absent in every phase", { tags: ["memory"] }, async ({ read, want }) => {
  const seen: unknown[] = [];
  const look = (req: { readonly reads: { readonly it: unknown }; isServed(kind: typeof Monitor): boolean }): void =>
    void seen.push([req.reads.it, req.isServed(Monitor)]);
  const looking = step(Site, { name: "look", reads: { it: read }, gate: look, do: look, cleanup: look, post: look });
  const world = fakeWorld(handler(Site).step(looking).build(), { objects: [site], missing: [Monitor] });
  await world.settled();
  await world.delete(Site, "a");
  await world.settled();
  expect(seen.length).toBeGreaterThanOrEqual(5);
  expect(new Set(seen.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify([want, false])]));
});

test("isServed of a kind that the handler does not declare fails the step with the fix", { tags: ["memory"] }, async () => {
  const asking = step(Site, { name: "asking", do: (req) => void req.isServed(Unread) });
  await expect(fakeReq(Site, {}).run(asking)).rejects.toThrow(
    'isServed: Unread (optional.treadle.dev/v1) is not declared by handler "sites.optional.treadle.dev": name it in reads, owns or watch(), in this version',
  );
});

test("isServed of something that is not a kind fails the step", { tags: ["memory"] }, async () => {
  const asking = step(Site, { name: "asking", do: (req) => void req.isServed(undefined as never) });
  await expect(fakeReq(Site, {}).run(asking)).rejects.toThrow("isServed: give it a kind");
});

describe("a refused watch of a kind that every step can do without", { tags: ["memory"] }, () => {
  const refuse = (cluster: TestCluster): (() => void) =>
    cluster.onRequest(({ resource, verb }) => {
      if (resource === "monitors" && (verb === "list" || verb === "watch"))
        throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
    });

  test("holds neither the start nor the step, and a pass follows the grant", async () => {
    await using cluster = await startTestCluster({ objects: [site], kinds: [Monitor] });
    const grant = refuse(cluster);
    const op = await cluster.start(sites);
    await cluster.advance(1_000);
    expect(await cluster.get(Site, "a")).toBeReady();
    expect((await cluster.get(Site, "a"))?.status).toMatchObject({ isServed: false });
    expect(await maps(cluster)).toEqual(NINE);
    grant();
    await cluster.advance(60_000);
    await op.settled();
    expect((await cluster.get(Site, "a"))?.status).toMatchObject({ isServed: true });
    expect(await cluster.get(Monitor, "a")).toBeDefined();
  });

  test("that begins while the operator runs makes the read absent, and holds a cleanup until the grant", async () => {
    await using cluster = await startTestCluster({ objects: [site], kinds: [Monitor] });
    const op = await cluster.start(sites);
    await op.settled();
    const grant = refuse(cluster);
    await cluster.advance(900_000); // Until the open watch has ended.
    expect((await cluster.get(Site, "a"))?.status).toMatchObject({ isServed: false });
    expect(await cluster.get(Site, "a")).toBeReady();
    await cluster.delete(Site, "a");
    await cluster.advance(60_000);
    expect((await cluster.get(Site, "a"))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", reason: "Deleting", message: expect.stringContaining("monitors") }),
    );
    grant();
    await cluster.advance(60_000);
    expect(await cluster.get(Site, "a")).toBeUndefined();
  });

  test("leaves no object behind that has no owner reference", async () => {
    const own = step(Site, {
      name: "own",
      owns: [{ kind: Wide, ifNotServed: "skip" }],
      reads: { wides: many(Wide, ({ metadata }) => ({ matchLabels: { of: metadata.name } }), { ifNotServed: "skip" }) },
      async do(req) {
        const labels = { of: req.object.metadata.name };
        if (req.isServed(Wide) && req.reads.wides.length === 0)
          await req.client.create(Wide, { metadata: { name: "w", labels }, spec: {} });
      },
      async cleanup(req) {
        for (const { metadata } of req.reads.wides) await req.client.delete(Wide, metadata.name);
        return req.reads.wides.length > 0 ? req.wait("deleting") : undefined;
      },
    });
    await using cluster = await startTestCluster({ kinds: [Wide], objects: [site] });
    const op = await cluster.start(handler(Site).step(conditions()).step(own).build());
    await op.settled();
    expect(await cluster.get(Wide, "w")).toBeDefined();
    const grant = cluster.onRequest(({ resource, verb }) => {
      if (resource === "wides" && (verb === "list" || verb === "watch"))
        throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
    });
    await cluster.advance(900_000);
    await cluster.delete(Site, "a");
    await cluster.advance(120_000);
    expect(await cluster.get(Site, "a")).toBeDefined();
    grant();
    await cluster.advance(120_000);
    expect(await cluster.get(Wide, "w")).toBeUndefined();
    expect(await cluster.get(Site, "a")).toBeUndefined();
  });

  test("holds a step that cannot do without it", async () => {
    const strict = step(Site, {
      name: "strict",
      conditions: ["Strict"],
      reads: { secret: one(Secret, () => "s") },
      do: (req) => req.conditions.true("Strict"),
    });
    await using cluster = await startTestCluster({ objects: [site], kinds: [Monitor] });
    await cluster.start(handler(Site).step(conditions()).step(making).step(strict).build());
    cluster.onRequest(({ resource, verb }) => {
      if (resource === "secrets" && (verb === "list" || verb === "watch"))
        throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
    });
    await cluster.advance(900_000);
    const { conditions: reported } = (await cluster.get(Site, "a"))?.status ?? {};
    expect(reported).toContainEqual(expect.objectContaining({ type: "Strict", reason: "Forbidden" }));
    expect(reported).toContainEqual(expect.objectContaining({ type: "Made", status: "True" }));
  });
});
