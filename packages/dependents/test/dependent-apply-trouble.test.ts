/** dependentApply where the world around it went wrong: kinds that are gone, entries of others, objects of others. */
import "@treadle/testing/matchers";
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { dependentApply, type DependentEntry } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type FakeWorld, fakeWorld, startTestCluster } from "@treadle/testing";
import { configMap, entries, merge, type Options, page, said, settled, Site, site } from "./sites.ts";

const Late = defineResource({
  group: "late.example.dev",
  version: "v1",
  kind: "Late",
  scope: "Namespaced",
  spec: z.object({ text: z.string() }),
});

describe("the CRD of a dependent is removed", () => {
  test.for([true, false])("its owner can be deleted; watched: %s", { tags: ["since-1.34"] }, async (watched) => {
    const late = dependentApply(Site, { name: "late", kind: Late, watched, desired: ({ spec }) => ({ spec: { text: spec.text } }) });
    await using cluster = await startTestCluster({ kinds: [Site, Late] });
    const op = await cluster.start(handler(Site).step(conditions()).step(late).build());
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeReady();
    await cluster.uninstall(Late);
    await op.settled();
    await cluster.delete(Site, "a");
    await op.settled();
    expect(await cluster.get(Site, "a")).toBeUndefined();
  });
});

describe("entries that are not of this step", () => {
  const entry = (given: Partial<DependentEntry>): DependentEntry => ({
    step: "page",
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "theirs",
    namespace: "elsewhere",
    type: "Ready",
    reason: "Ready",
    message: "",
    lastTransitionTime: "2025-01-01T00:00:00Z",
    ...given,
  });
  const ofAnother = entry({ handler: "other" });
  const say = (world: FakeWorld, dependents: readonly DependentEntry[]): Promise<unknown> =>
    world.updateStatus(Site, "a", (object) => merge(object, { status: { dependents } }));

  test("but of another handler with the same step name are not used to find objects", async () => {
    const world = await settled();
    await say(world, [ofAnother, ...(await entries(world))]);
    world.requests.clear();
    await world.delete(Site, "a");
    await world.settled();
    expect(new Set(world.requests.filter({ verb: "list" }).map(({ namespace }) => namespace))).toEqual(new Set(["default"]));
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("but of another handler with the same step name do not replace the entry of a waiting dependent", async () => {
    const late = dependentApply(Site, { name: "page", kind: Late, desired: { spec: { text: "" } } });
    const world = fakeWorld(handler(Site).step(conditions()).step(late).build(), { objects: [site()], missing: [Late] });
    await say(world, [ofAnother]);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready", "page Pending/KindNotInstalled"]);
  });

  test("but of another handler with the same step name do not name an object whose name cannot be computed", async () => {
    const objectName = (): string => {
      throw new Error("boom");
    };
    const world = fakeWorld(handler(Site).step(conditions()).step(page({ objectName })).build(), { objects: [site()] });
    await say(world, [ofAnother]);
    await world.settled();
    expect((await entries(world)).map(({ name, type }) => [name, type])).toEqual([
      ["theirs", "Ready"],
      ["a", "Failed"],
    ]);
  });

  test("but of a removed step are deleted, also when the handler has no dependents any more", async () => {
    const removed = entry({ step: "removed" });
    const kept = entry({ step: "removed", handler: "other" });
    const world = await settled();
    await say(world, [removed, kept, ...(await entries(world))]);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready", "removed Ready"]);
    expect((await entries(world)).at(1)).toEqual(kept);
    const none = handler(Site)
      .step(conditions())
      .step(step(Site, { name: "none", do: () => undefined }))
      .build();
    const later = fakeWorld(none, { objects: [site()] });
    await say(later, [removed, kept]);
    await later.settled();
    expect(await entries(later)).toEqual([kept]);
  });

  test("and are invalid are refused by the server, which would refuse each status with them", async () => {
    const world = await settled();
    await expect(say(world, [{ step: "page" } as DependentEntry])).rejects.toThrow("status.dependents[0].apiVersion: Required value");
  });

  test("stay in a pass that a gate ends", async () => {
    const paused = handler(Site)
      .step(conditions())
      .step(step(Site, { name: "gate", gate: (req) => req.stop("not now") }))
      .step(page())
      .build();
    const world = fakeWorld(paused, { objects: [site()] });
    await say(world, [entry({ step: "removed" })]);
    await world.settled();
    expect(await said(world)).toEqual(["removed Ready"]);
  });
});

describe("created: false, and another controller owns the object", () => {
  const theirs = { ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u-1", controller: true }] };
  const options = { created: false, objectName: "theirs" };

  test("the desired state is not applied, and the entry reports it", async () => {
    const world = await settled(options, configMap("theirs", { text: "theirs" }, theirs));
    expect(await said(world)).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world))[0]?.message).toBe("ConfigMap theirs is not ours: it belongs to Deployment web (apps/v1, uid u-1)");
    expect(await world.get(Site, "a")).not.toBeReady();
    expect((await world.get(ConfigMap, "theirs"))?.data).toEqual({ text: "theirs" });
  });

  test.for([
    { name: "there is no desired state", more: { desired: undefined } },
    { name: "updated is false", more: { updated: false } },
  ])("the object is ready when it exists, where $name", async ({ more }) => {
    const world = await settled({ ...options, ...more } as Partial<Options>, configMap("theirs", { text: "theirs" }, theirs));
    expect(await said(world)).toEqual(["page Ready"]);
  });
});
