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

describe("an object that differs again each time it is written", () => {
  test("because desired never gives the same answer is written with growing delays, and the entry says at what", async () => {
    let calls = 0;
    const world = worldOf({ desired: () => ({ data: { text: String(calls++) } }) });
    await world.settled();
    expect(world.requests.filter({ verb: "apply" }).length).toBeLessThan(8);
    expect(await said(world)).toEqual(["page Pending/Contested"]);
    expect((await entries(world))[0]?.message).toContain("data.text");
    expect(world.logs.some(({ level, text }) => level === "warn" && text.includes("again and again"))).toBe(true);
    world.requests.clear();
    for (let i = 0; i < 60; i++) {
      await world.advance(1_000);
      await world.settled();
    }
    expect(world.requests.length).toBeLessThan(20);
  });

  test("is Ready again when it keeps what is written", async () => {
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

  test("is put back at once as long as somebody only changes it now and then", async () => {
    const world = await settled();
    for (let i = 0; i < 12; i++) {
      await world.update(ConfigMap, "a-page", (object) => void (object.data = { text: `by hand ${i}` }));
      await world.settled();
      expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
      await world.update(Site, "a", ({ spec }) => void (spec.text = "hello"));
    }
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("because another version of the operator wants something else", async () => {
    await using cluster = await startTestCluster({ kinds: [Site] });
    const one = await cluster.start(handlerOf({ desired: { data: { text: "one" } } }));
    await cluster.start(handlerOf({ desired: { data: { text: "two" } } }));
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await one.settled();
    expect(cluster.requests.filter({ verb: "apply" }).length).toBeLessThan(100);
  });
});

describe("two that want one object", () => {
  test("of the same step: force does not take it from an owner that is there, but from one that is gone", async () => {
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

  test("of two handlers of one kind: the first has it, the second says whose it is", async () => {
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

  test("of operators for different namespaces, without a mark: the second does not take it", async () => {
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

describe("what may be deleted", () => {
  test("is no copy of an object, although it has all of its labels", async () => {
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

describe("marks that somebody took off", () => {
  const strip = (object: object): void => merge(object, { metadata: { labels: null } });

  test.for<{ name: string; options: Parameters<typeof settled>[0] }>([
    { name: "kept by label", options: { ownership: "label", updated: false } },
    { name: "kept by reference", options: { updated: false } },
    { name: "not watched", options: { updated: false, watched: false } },
  ])("the labels alone: what is wanted no more is deleted all the same; $name", async ({ options }) => {
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

  test.for([true, false])("the labels alone: it is deleted with its owner, which waits for it; watched: %s", async (watched) => {
    const world = await settled({ ownership: "label", updated: false, watched });
    await world.update(ConfigMap, "a-page", strip);
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    await world.advance(600_000);
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("all of them: it stays, whoever owned it", async () => {
    const world = await settled({ updated: false });
    await world.update(ConfigMap, "a-page", (object) =>
      merge(object, { metadata: { labels: null, annotations: null, ownerReferences: null } }),
    );
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
  });

  test("all of them, between the look and the delete: the version that was seen is not there any more, so it stays", async () => {
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

describe("steps that exchange their objects", () => {
  const swapping = (name: string, before: string, after: string): ReturnType<typeof page> =>
    page({
      name,
      objectName: ({ spec }) => (spec.text === "swap" ? after : before),
      desired: ({ spec }) => ({ data: { [name]: spec.text } }),
    });
  const parts = [swapping("one", "x", "y"), swapping("two", "y", "x")] as const;

  test.for(["together", "one after the other"])("%s: each has the other's, with nothing left of what it was", async (how) => {
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

test("an owner that is deleted with --cascade=orphan leaves its objects where they are", async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const op = await cluster.start(handlerOf());
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  await op.settled();
  await cluster.client.delete(Site, { name: "a", namespace: "default" }, { propagationPolicy: "Orphan" });
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "a-page")).toBeDefined();
});

test("what belongs to an earlier object of the same name is said to, in another namespace too", async () => {
  const world = await settled({ namespace: "n1" }, { apiVersion: "v1", kind: "Namespace", metadata: { name: "n1" } });
  await world.update(Site, "a", ({ metadata }) => void (metadata.finalizers = []));
  await world.delete(Site, "a");
  await world.create(Site, { metadata: { name: "a" }, spec: {} });
  await world.settled();
  expect(await said(world)).toEqual(["page Failed/NotOurs"]);
  expect((await entries(world))[0]?.message).toContain("an earlier or other object of the same name, managed by");
});

test("what desired is given cannot be changed", async () => {
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
    name: "the spec that is wanted in the live object",
    update: (live, desired) => ({ ...live, spec: (desired as { spec: object }).spec }),
  },
  { name: "what is wanted and nothing else", update: (_, desired) => desired },
  {
    name: "one spec over the other",
    update: (live, desired) => ({ ...live, spec: { ...(live as { spec: object }).spec, ...(desired as { spec: object }).spec } }),
  },
])("a merge of one's own that ignores what the server adds is stored once, not in every pass: $name", async ({ update }) => {
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
