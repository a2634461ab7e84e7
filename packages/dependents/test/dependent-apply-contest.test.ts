/** dependentApply where two want the same object, or one does not know what it wants: nothing is written without end. */
import "@treadle/testing/matchers";
import { conditions, handler, type Handler } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll, dependentsOf } from "../src/index.ts";
import { ConfigMap, Namespace, Service } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { fakeWorld, startTestCluster } from "@treadle/testing";
import { entries, merge, page, said, settled, Site, site, worldOf } from "./sites.ts";

const handlerOf = (...[options, name]: [Parameters<typeof page>[0]?, string?]): Handler<Site> =>
  handler(Site, name === undefined ? {} : { name })
    .step(conditions({ ready: name === undefined }))
    .step(page(options))
    .build();

describe("an object that differs after each write", () => {
  test("is written with growing delays when desired changes at every call, and the entry names the field", async () => {
    let calls = 0;
    const world = worldOf({ desired: () => ({ data: { text: String(calls++) } }) });
    await world.settled();
    expect(world.requests.filter({ verb: "apply" }).length).toBeLessThan(8);
    expect(await said(world)).toEqual(["page Pending/Contested"]);
    expect((await entries(world))[0]?.message).toContain("data.text");
    expect(world.logs.some(({ level, text }) => level === "warn" && text.includes("differs after each write"))).toBe(true);
    world.requests.clear();
    for (let i = 0; i < 60; i++) {
      await world.advance(1_000);
      await world.settled();
    }
    expect(world.requests.length).toBeLessThan(20);
  });

  test("is Ready again when a write lasts", async () => {
    let calls = 0;
    let isSteady = false;
    const world = worldOf({ desired: () => ({ data: { text: isSteady ? "x" : String(calls++) } }) });
    await world.settled();
    isSteady = true;
    for (let i = 0; i < 5; i++) {
      await world.advance(10_000);
      await world.settled();
    }
    expect(await said(world)).toEqual(["page Ready"]);
    expect(world.dueIn("a")).toBeUndefined();
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.length).toBe(0);
  });

  test("is reverted at once while another writer changes it rarely", async () => {
    const world = await settled();
    for (let i = 0; i < 12; i++) {
      await world.update(ConfigMap, "a-page", (object) => void (object.data = { text: `by hand ${i}` }));
      await world.settled();
      expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
      await world.update(Site, "a", ({ spec }) => void (spec.text = "hello"));
    }
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("is reported as contested when another version of the operator writes it", async () => {
    await using cluster = await startTestCluster({ kinds: [Site] });
    const one = await cluster.start(handlerOf({ desired: { data: { text: "one" } } }));
    await cluster.start(handlerOf({ desired: { data: { text: "two" } } }));
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await one.settled();
    expect(cluster.requests.filter({ verb: "apply" }).length).toBeLessThan(100);
  });
});

describe("two writers of one object", () => {
  test("of the same step: force takes it from a deleted owner, not from an existing one", async () => {
    const world = worldOf({ adopt: "force", objectName: "shared" }, site("b", { text: "of b" }));
    await world.settled();
    expect([await said(world, "a"), await said(world, "b")]).toEqual([["page Ready"], ["page Failed/NotOurs"]]);
    expect((await entries(world, "b"))[0]?.message).toContain("Site default/a");
    await world.update(Site, "a", ({ metadata }) => void (metadata.finalizers = []));
    await world.delete(Site, "a");
    await world.pass("b");
    await world.settled();
    expect(await said(world, "b")).toEqual(["page Ready"]);
    expect((await world.get(ConfigMap, "shared"))?.data).toEqual({ text: "of b" });
  });

  test("of two handlers of one kind: the first keeps it, the second names its owner", async () => {
    await using cluster = await startTestCluster({ kinds: [Site] });
    const op = await cluster.start([
      handlerOf({ objectName: "shared" }),
      handlerOf({ name: "other", objectName: "shared", desired: { data: { text: "other" } } }, "others.example.dev"),
    ]);
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    expect(cluster.requests.filter({ verb: "apply" }).length).toBeLessThan(4);
    const dependents = dependentsOf((await cluster.get(Site, "a")) ?? {});
    const failed = dependents.filter(({ reason }) => reason === "NotOurs").map(({ message }) => message);
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/the same Site, managed by (others|sites)\.example\.dev/);
  });

  test("of operators for different namespaces, without a mark: the second does not take it over", async () => {
    const shared = (): Handler<Site> =>
      handler(Site)
        .step(conditions())
        .step(
          dependentApply(Site, {
            name: "shared",
            kind: Namespace,
            owned: false,
            objectName: "shared",
            desired: ({ metadata }) => ({ metadata: { labels: { by: metadata.namespace ?? "" } } }),
          }),
        )
        .build();
    await using cluster = await startTestCluster({ kinds: [Site] });
    for (const name of ["n1", "n2"]) await cluster.create(Namespace, { metadata: { name } });
    const one = await cluster.start(shared(), { namespaces: ["n1"] });
    const two = await cluster.start(shared(), { namespaces: ["n2"] });
    await cluster.create(Site, { metadata: { name: "a", namespace: "n1" }, spec: {} });
    await one.settled();
    await cluster.create(Site, { metadata: { name: "a", namespace: "n2" }, spec: {} });
    await two.settled();
    await one.settled();
    expect((await cluster.get(Namespace, "shared"))?.metadata.labels?.["by"]).toBe("n1");
    expect(dependentsOf((await cluster.get(Site, "n2/a")) ?? {}).map(({ reason }) => reason)).toEqual(["NotOurs"]);
  });
});

describe("a deletion", () => {
  test("does not reach a copy with all labels of the object", async () => {
    const world = await settled();
    const { labels = {} } = (await world.get(ConfigMap, "a-page"))?.metadata ?? {};
    await world.create(ConfigMap, { metadata: { name: "backup", labels }, data: { precious: "1" } });
    await world.pass("a");
    await world.settled();
    expect(await world.get(ConfigMap, "backup")).toBeDefined();
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "backup")).toBeDefined();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  });
});

describe("marks that a user removed", () => {
  const strip = (object: object): void => merge(object, { metadata: { labels: null } });

  test.for<{ name: string; options: Parameters<typeof settled>[0] }>([
    { name: "kept by label", options: { ownership: "label", updated: false } },
    { name: "kept by reference", options: { updated: false } },
    { name: "not watched", options: { updated: false, watched: false } },
  ])("only the labels: an object that is no longer desired is deleted; $name", async ({ options }) => {
    const world = await settled(options);
    await world.update(ConfigMap, "a-page", strip);
    await world.settled();
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    await world.advance(1_000); // What is not watched is looked at again after a while.
    await world.settled();
    expect(await entries(world)).toEqual([]);
  });

  test.for([true, false])("only the labels: the object is deleted with its owner, which waits for it; watched: %s", async (watched) => {
    const world = await settled({ ownership: "label", updated: false, watched });
    await world.update(ConfigMap, "a-page", strip);
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    await world.advance(600_000);
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("all marks: the object stays", async () => {
    const world = await settled({ updated: false });
    await world.update(ConfigMap, "a-page", (object) =>
      merge(object, { metadata: { labels: null, annotations: null, ownerReferences: null } }),
    );
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
  });

  test("all marks, between the read and the delete: the precondition fails, and the object stays", async () => {
    await using cluster = await startTestCluster({ kinds: [Site] });
    const op = await cluster.start(handlerOf());
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await op.settled();
    let isFirst = true;
    cluster.onRequest(async ({ verb, resource }) => {
      if (verb !== "delete" || resource !== "configmaps" || !isFirst) return;
      isFirst = false;
      await cluster.update(ConfigMap, "a-page", (object) =>
        merge(object, { metadata: { labels: null, annotations: null, ownerReferences: null }, data: { precious: "1" } }),
      );
    });
    await cluster.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await op.settled();
    expect(isFirst).toBe(false);
    expect((await cluster.get(ConfigMap, "a-page"))?.data).toMatchObject({ precious: "1" });
    expect(dependentsOf((await cluster.get(Site, "a")) ?? {})).toEqual([]);
  });
});

describe("two steps that exchange their objects", () => {
  const swapping = (name: string, before: string, after: string): ReturnType<typeof page> =>
    page({
      name,
      objectName: ({ spec }) => (spec.text === "swap" ? after : before),
      desired: ({ spec }) => ({ data: { [name]: spec.text } }),
    });
  const parts = [swapping("one", "x", "y"), swapping("two", "y", "x")] as const;

  test.for(["together", "one after the other"])("%s: each keeps the other's object, without fields of the former step", async (how) => {
    const inOrder = handler(Site).step(conditions()).step(parts[0]).step(parts[1]);
    const together = handler(Site)
      .step(conditions())
      .step(dependentApplyAll("parts", [...parts]));
    const world = fakeWorld((how === "together" ? together : inOrder).build(), { objects: [site()] });
    await world.settled();
    await world.update(Site, "a", ({ spec }) => void (spec.text = "swap"));
    for (let i = 0; i < 5; i++) {
      await world.settled();
      await world.advance(1_000);
    }
    expect(await said(world)).toEqual(["one Ready", "two Ready"]);
    expect((await world.get(ConfigMap, "x"))?.data).toEqual({ two: "swap" });
    expect((await world.get(ConfigMap, "y"))?.data).toEqual({ one: "swap" });
    expect((await world.get(ConfigMap, "x"))?.metadata.managedFields).toHaveLength(1);
    world.requests.clear();
    await world.pass("a");
    await world.settled();
    expect(world.requests.length).toBe(0);
  });
});

test("an owner that is deleted with --cascade=orphan leaves its objects behind", async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const op = await cluster.start(handlerOf());
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  await op.settled();
  await cluster.client.delete(Site, { name: "a", namespace: "default" }, { propagationPolicy: "Orphan" });
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "a-page")).toBeDefined();
});

test("an object of a deleted owner with the same name is reported, in another namespace too", async () => {
  const world = await settled({ namespace: "n1" }, { apiVersion: "v1", kind: "Namespace", metadata: { name: "n1" } });
  await world.update(Site, "a", ({ metadata }) => void (metadata.finalizers = []));
  await world.delete(Site, "a");
  await world.create(Site, { metadata: { name: "a" }, spec: {} });
  await world.settled();
  expect(await said(world)).toEqual(["page Failed/NotOurs"]);
  expect((await entries(world))[0]?.message).toContain("an earlier or other object of the same name, managed by");
});

test("the arguments of desired are read-only", async () => {
  const world = worldOf({
    desired: (_, inputs) => {
      (inputs.dependents as Record<string, unknown>)["x"] = 1;
      return {};
    },
  });
  await world.settled();
  expect(await said(world)).toEqual(["page Failed/ReadOnly"]);
});

test.for<{ name: string; update: (live: object, desired: object) => object }>([
  {
    name: "the desired spec in the live object",
    update: (live, desired) => ({ ...live, spec: (desired as { spec: object }).spec }),
  },
  { name: "the desired state and nothing else", update: (_, desired) => desired },
  {
    name: "the desired spec over the live spec",
    update: (live, desired) => ({ ...live, spec: { ...(live as { spec: object }).spec, ...(desired as { spec: object }).spec } }),
  },
])("a custom merge that ignores the server's defaults is stored once, not in every pass: $name", async ({ update }) => {
  const service = dependentApply(Site, {
    name: "service",
    kind: Service,
    update,
    desired: { spec: { selector: { app: "a" }, ports: [{ port: 80 }] } },
  });
  const world = fakeWorld(handler(Site).step(conditions()).step(service).build(), { objects: [site()] });
  await world.settled();
  expect(await said(world)).toEqual(["service Ready"]);
  world.requests.clear();
  for (let i = 0; i < 3; i++) await world.pass("a");
  expect(world.requests.length).toBe(0);
  await world.update(Service, "a", (object) => merge(object, { spec: { selector: { app: "other" } } }));
  await world.settled();
  expect((await world.get(Service, "a"))?.spec?.selector).toMatchObject({ app: "a" });
});
