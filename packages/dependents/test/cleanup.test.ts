/** The deletion of an owner succeeds with any spec and any served kinds, and leaves no object behind. */
import "@treadle/testing/matchers";
import { ApiError, defineResource } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, many, one, type Read, type Step, step } from "@treadle/reconcile";
import { dependentApply, type DependentEntry, dependentsOf } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { merge, type Options, page, settled, Site, site } from "./sites.ts";

const gadgetOf = (version: string) =>
  defineResource({ group: "g.example.dev", version, kind: "Gadget", scope: "Namespaced", spec: z.object({ of: z.string().optional() }) });
const Gadget = gadgetOf("v1");
const GadgetV2 = gadgetOf("v2");

describe("the CRD of a dependent no longer serves the operator's version, and its objects still exist in another version", () => {
  const byHand = step(Site, {
    name: "by-hand",
    owns: [Gadget],
    reads: { gadgets: many(Gadget, ({ metadata }) => ({ matchLabels: { of: metadata.name } })) },
    async do(req) {
      if (req.reads.gadgets.length > 0) return;
      const metadata = { name: "by-hand", namespace: "default", labels: { of: req.object.metadata.name } };
      await req.client.create(Gadget, { metadata, spec: {} });
    },
    async cleanup(req) {
      for (const { metadata } of req.reads.gadgets) await req.client.delete(Gadget, metadata);
      return req.reads.gadgets.length > 0 ? req.wait("they are being deleted") : undefined;
    },
  });
  const dependent = (watched: boolean): Step<Site> =>
    dependentApply(Site, { name: "gadget", kind: Gadget, watched, ownership: "label", desired: { spec: {} } });
  const dropV1 = (cluster: TestCluster): Promise<unknown> =>
    cluster.update(CustomResourceDefinition, "gadgets.g.example.dev", ({ spec }) => {
      const [v1] = spec.versions;
      if (v1 !== undefined)
        spec.versions = [
          { ...v1, served: false, storage: false },
          { ...v1, name: "v2" },
        ];
    });

  test.for<[string, Step<Site>]>([
    ["a step of one's own", byHand],
    ["dependentApply", dependent(true)],
    ["dependentApply without a watch", dependent(false)],
  ])("%s: the owner waits, reports why, and is deleted when the version is served again", { tags: ["memory"] }, async ([, kept]) => {
    await using cluster = await startTestCluster({ kinds: [Site, Gadget] });
    const op = await cluster.start(handler(Site).step(conditions()).step(kept).build());
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    await dropV1(cluster);
    // Not settled(): the watch of the version that is gone does not come to rest.
    await cluster.advance(60_000);
    await cluster.delete(Site, "a");
    await cluster.advance(120_000);
    expect((await cluster.client.list(GadgetV2, { namespace: "default" })).items).toHaveLength(1);
    const { conditions: said = [] } = (await cluster.get(Site, "a"))?.status ?? {};
    expect(said.map(({ type, status, message }) => [type, status, message])).toEqual([
      ["Ready", "False", expect.stringContaining("the server has Gadget as g.example.dev/v2, so its objects are still there")],
    ]);
    await cluster.update(CustomResourceDefinition, "gadgets.g.example.dev", ({ spec }) => {
      spec.versions = spec.versions.map((version) => ({ ...version, served: true }));
    });
    for (let i = 0; i < 4; i++) await cluster.advance(60_000);
    expect(await cluster.get(Site, "a")).toBeUndefined();
    expect((await cluster.client.list(GadgetV2, { namespace: "default" })).items).toEqual([]);
  });
});

describe("a read with an invalid name does not block a deletion: the cleanup gets no value, and the log reports it", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  test.for<[string, Read<Site, unknown>, unknown]>([
    ["a name that is a path", one(ConfigMap, () => "a/b"), undefined],
    ["a name that is a path, of a kind that is fetched", one(Secret, () => "a/b"), undefined],
    ["a name that is a path, live", one(ConfigMap, () => "..", { live: true }), undefined],
    ["a namespace that is a path", one(ConfigMap, () => ({ name: "a", namespace: "../b" })), undefined],
    ["a function that throws", one(ConfigMap, boom), undefined],
    ["a label without a value", many(ConfigMap, () => ({ matchLabels: { a: undefined as unknown as string } })), []],
    ["a selector in a namespace that is none", many(ConfigMap, () => ({ matchLabels: {}, namespace: "a/b" })), []],
    ["a selector that the server does not know", many(ConfigMap, () => ({ matchLabels: { a: "b c" } }), { live: true }), []],
  ])("%s", async ([, read, absent]) => {
    const seen: unknown[] = [];
    const reading = step(Site, { name: "reading", reads: { read }, do() {}, cleanup: (req) => void seen.push(req.reads.read) });
    const world = fakeWorld(handler(Site).step(conditions()).step(reading).build(), { objects: [site()] });
    await world.settled();
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect(seen).toEqual([absent]);
    expect(world.logs.filter(({ text }) => text.startsWith("cleanup: cannot read read"))).toHaveLength(1);
  });
});

describe("a dependent whose name or namespace cannot be computed", () => {
  test.for<[string, Partial<Options>, object]>([
    ["a name that is a path", {}, { name: "x/y" }],
    ["a namespace that is a path", { namespace: ({ spec }) => spec.where ?? "default" }, { where: "../x" }],
    ["a namespace that no server has", { namespace: ({ spec }) => spec.where ?? "default" }, { where: "Not A Name" }],
    ["a read whose function throws", { reads: { other: one(ConfigMap, throwsFor("bad")) } }, { name: "bad" }],
  ])("is deleted by the cleanup: %s", async ([, options, spec]) => {
    const world = await settled(options);
    expect(await world.list(ConfigMap)).toHaveLength(1);
    await world.update(Site, "a", (object) => void Object.assign(object.spec, spec));
    await world.settled();
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect(await world.list(ConfigMap)).toEqual([]);
  });

  test("an entry with an invalid namespace does not block the deletion of the owner", async () => {
    const world = await settled();
    await world.updateStatus(Site, "a", (object) => {
      const [entry] = dependentsOf(object) as [DependentEntry];
      merge(object, { status: { dependents: [entry, { ...entry, namespace: "../x", name: "z" }] } });
    });
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("a namespace without rights does not block the deletion of the owner", async () => {
    await using cluster = await startTestCluster({
      kinds: [Site],
      objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "far" } }],
    });
    const kept = page({ namespace: ({ spec }) => spec.where ?? "default" });
    const op = await cluster.start(handler(Site).step(conditions()).step(kept).build(), { namespaces: ["default"] });
    cluster.onRequest(({ namespace, resource }) => {
      if (namespace === "far" && resource === "configmaps") throw new ApiError({ message: "not there", status: 403, reason: "Forbidden" });
    });
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    await cluster.update(Site, "a", ({ spec }) => void (spec.where = "far"));
    await op.settled({ horizonMs: 5_000 });
    await cluster.delete(Site, "a");
    await op.settled({ horizonMs: 3_600_000 });
    expect(await cluster.get(Site, "a")).toBeUndefined();
    for (const namespace of ["default", "far"])
      expect((await cluster.list(ConfigMap, namespace)).filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")).toEqual([]);
    expect(op.logs.map(({ text }) => text)).toContainEqual(expect.stringContaining("objects in namespace far stay"));
  });
});

/** A read whose function throws for Sites with this name in the spec. */
function throwsFor(name: string): (object: Site) => string {
  return ({ spec }) => {
    if (spec.name === name) throw new Error("boom");
    return "other";
  };
}
