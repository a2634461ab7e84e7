/** dependentApply against a server that knows server-side apply: what users of it would do, and what would go wrong. */
import "@treadle/testing/matchers";
import { ApiError, defineResource, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { type AnyDependentStep, dependentApply, dependentApplyAll } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld } from "@treadle/testing";
import { configMap, entries, HANDLER, merge, type Options, page, said, settled, Site, site, worldOf, writes } from "./sites.ts";

describe("one object", () => {
  test("is made with its marks by one apply, beside the finalizer and the status", async () => {
    const world = await settled();
    const owner = (await world.get(Site, "a")) as KubernetesObject;
    const live = await world.get(ConfigMap, "a-page");
    expect(live?.data).toEqual({ text: "hello" });
    expect(live?.metadata.labels).toEqual({
      [`${HANDLER}/owner-id`]: expect.stringMatching(/^[0-9a-f]{32}$/),
      [`${HANDLER}/dependent`]: "page",
    });
    expect(live?.metadata.annotations).toMatchObject({ [`${HANDLER}/owner`]: "Site default/a" });
    expect(live?.metadata.ownerReferences).toMatchObject([
      { kind: "Site", name: "a", uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
    ]);
    expect(live?.metadata.managedFields).toMatchObject([{ manager: `${HANDLER}/page/${owner.metadata.uid}`, operation: "Apply" }]);
    expect(writes(world)).toEqual(["patch sites", "apply configmaps", "patch sites/status"]);
    expect(world.requests.filter({ verb: ["get", "list"] })).toEqual([]);
    expect(await entries(world)).toEqual([
      {
        step: "page",
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "a-page",
        namespace: "default",
        type: "Ready",
        reason: "Ready",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ]);
  });

  test("that is as it should be costs no request, in this process and in the next", async () => {
    const world = await settled();
    world.requests.clear();
    for (let i = 0; i < 3; i++) expect(await world.pass("a")).toContinue();
    expect(world.requests.length).toBe(0);
  });

  test.for([
    { name: "a value", change: { data: { text: "drift" } } },
    { name: "a field", change: { data: { text: null } } },
    { name: "the owner reference", change: { metadata: { ownerReferences: null } } },
    { name: "a label", change: { metadata: { labels: { [`${HANDLER}/owner-id`]: null } } } },
    { name: "all marks", change: { metadata: { ownerReferences: null, labels: null, annotations: null } } },
  ])("of which somebody changes $name is put back", async ({ change }) => {
    const world = await settled();
    const before = await world.get(ConfigMap, "a-page");
    world.requests.clear();
    await world.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } });
    await world.update(ConfigMap, "a-page", (object) => merge(object, change));
    await world.settled();
    const after = await world.get(ConfigMap, "a-page");
    expect(after?.data).toEqual(before?.data);
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(after?.metadata.ownerReferences).toEqual(before?.metadata.ownerReferences);
    expect(writes(world)).toEqual(["apply configmaps"]);
  });

  test("to which others add fields is left as it is", async () => {
    const world = await settled();
    world.requests.clear();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { more: "1" }, metadata: { labels: { team: "web" } } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello", more: "1" });
    expect(world.requests.length).toBe(0);
  });

  test("loses what is wanted no more, and keeps what others added", async () => {
    const world = await settled({ desired: ({ spec }: Site) => ({ data: spec.text === "less" ? {} : { text: spec.text, more: "1" } }) });
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { foreign: "1" } }));
    await world.update(Site, "a", ({ spec }) => void (spec.text = "less"));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ foreign: "1" });
  });

  test("that somebody deletes comes back", async () => {
    const world = await settled();
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  });

  test("can be a plain deep partial", async () => {
    const world = await settled({ desired: { data: { text: "plain" } } });
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "plain" });
  });

  test("may be a Secret: no value is repeated in metadata, and it costs nothing when nothing differs", async () => {
    const secret = dependentApply(Site, { name: "secret", kind: Secret, desired: ({ spec }) => ({ stringData: { password: spec.text } }) });
    const world = fakeWorld(handler(Site).step(conditions()).step(secret).build(), { objects: [site()] });
    await world.settled();
    expect((await world.get(Secret, "a"))?.data).toEqual({ password: Buffer.from("hello").toString("base64") });
    expect(JSON.stringify((await world.get(Secret, "a"))?.metadata)).not.toContain("applied");
    expect(await world.get(Site, "a")).toBeReady();
    world.requests.clear();
    expect(await world.pass("a")).toContinue();
    expect(writes(world)).toEqual([]);

    await world.update(Secret, "a", (object) => merge(object, { data: { password: "eA==" } }));
    await world.settled();
    expect((await world.get(Secret, "a"))?.data).toEqual({ password: Buffer.from("hello").toString("base64") });
  });
});

describe("whose it is", () => {
  test.for([
    { adopt: undefined, whose: "nobody's", metadata: {}, isTaken: false, says: /nobody/ },
    { adopt: "ifUnowned", whose: "nobody's", metadata: {}, isTaken: true },
    { adopt: "force", whose: "nobody's", metadata: {}, isTaken: true },
    {
      adopt: undefined,
      whose: "somebody's",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
      isTaken: false,
      says: /Node n/,
    },
    {
      adopt: "ifUnowned",
      whose: "somebody's",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
      isTaken: false,
      says: /Node n/,
    },
    {
      adopt: "force",
      whose: "somebody's",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
      isTaken: true,
    },
    {
      adopt: "ifUnowned",
      whose: "another operator's",
      metadata: { labels: { "other.example.dev/owner-id": "x" } },
      isTaken: false,
      says: /other.example.dev/,
    },
  ] as const)("one that is $whose, adopt $adopt: taken $isTaken", async ({ adopt, metadata, isTaken, ...rest }) => {
    const world = await settled(adopt === undefined ? {} : { adopt }, configMap("a-page", { old: "1" }, metadata));
    const live = await world.get(ConfigMap, "a-page");
    if (isTaken) {
      expect(live?.data).toEqual({ old: "1", text: "hello" });
      expect(live?.metadata.ownerReferences?.filter(({ controller }) => controller)).toMatchObject([{ kind: "Site" }]);
      expect(await said(world)).toEqual(["page Ready"]);
      return;
    }
    expect(live?.data).toEqual({ old: "1" });
    expect(await said(world)).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world))[0]?.message).toMatch("says" in rest ? rest.says : "");
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "NotOurs", message: /ConfigMap a-page/ });
    // It is no failure: nothing is tried again and again. When it goes, its event wakes us.
    expect(world.passes.every(({ error }) => error === undefined)).toBe(true);
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
    expect(await world.get(Site, "a")).toBeReady();
  });

  test("one that is not ours is not deleted with the owner", async () => {
    const world = await settled({}, configMap("a-page", { old: "1" }));
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1" });
  });

  test("two owners want one object: the first has it, the second says who, and gets it when the first is gone", async () => {
    const world = await settled({ objectName: "shared" }, site("b", { text: "of b" }));
    expect(await said(world, "a")).toEqual(["page Ready"]);
    expect(await said(world, "b")).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world, "b"))[0]?.message).toContain("Site a");
    world.requests.clear();
    await world.pass("a");
    await world.pass("b");
    expect(writes(world)).toEqual([]);

    await world.delete(Site, "a");
    await world.settled();
    expect((await world.get(ConfigMap, "shared"))?.data).toEqual({ text: "of b" });
    expect(await said(world, "b")).toEqual(["page Ready"]);
  });

  test("two steps want one object: the second says which step has it", async () => {
    const twice = [page({ objectName: "same" }), page({ name: "second", objectName: "same" })];
    const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", twice)).build(), { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["page Ready", "second Failed/NotOurs"]);
    expect((await entries(world))[1]?.message).toContain('step "page"');
  });

  test("an owner that is made anew under the same name does not take what was the old one's", async () => {
    const world = await settled(
      {},
      configMap(
        "a-page",
        {},
        { ownerReferences: [{ apiVersion: "example.dev/v1", kind: "Site", name: "a", uid: "old", controller: true }] },
      ),
    );
    expect(await said(world)).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world))[0]?.message).toMatch(/Site a .*an earlier or other object of the same name/);
  });
});

describe("in another place", () => {
  const elsewhere = { namespace: ({ spec }: Site) => spec.where ?? "elsewhere" };
  const namespaces = ["elsewhere", "there"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));

  test("a label says whose it is, where a reference cannot, and cleanup removes it", async () => {
    const world = await settled(elsewhere, ...namespaces);
    const live = await world.get(ConfigMap, "elsewhere/a-page");
    expect(live?.metadata.ownerReferences).toBeUndefined();
    expect(live?.metadata.labels).toMatchObject({ [`${HANDLER}/dependent`]: "page" });
    await world.update(ConfigMap, "elsewhere/a-page", (object) => merge(object, { data: { text: "drift" } }));
    await world.settled();
    expect((await world.get(ConfigMap, "elsewhere/a-page"))?.data).toEqual({ text: "hello" });
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "elsewhere/a-page")).toBeUndefined();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("ownership by label can be asked for", async () => {
    const world = await settled({ ownership: "label" });
    expect((await world.get(ConfigMap, "a-page"))?.metadata.ownerReferences).toBeUndefined();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("a reference that cannot be is refused with what to do", async () => {
    const world = await settled({ ...elsewhere, ownership: "reference" }, ...namespaces);
    expect((await entries(world))[0]).toMatchObject({ type: "Failed", message: expect.stringContaining('say "label"') });
  });

  test("when the place changes, the new one is made and then the old one removed", async () => {
    const world = await settled(elsewhere, ...namespaces);
    world.requests.clear();
    await world.update(Site, "a", ({ spec }) => void (spec.where = "there"));
    await world.settled();
    expect((await world.get(ConfigMap, "there/a-page"))?.data).toEqual({ text: "hello" });
    expect(await world.get(ConfigMap, "elsewhere/a-page")).toBeUndefined();
    expect(writes(world).filter((write) => write.endsWith("configmaps"))).toEqual(["apply configmaps", "delete configmaps"]);
    expect(await entries(world)).toMatchObject([{ namespace: "there", type: "Ready" }]);
  });
});

test("a cluster-scoped dependent of a namespaced owner is known by its label, and goes with it", async () => {
  const space = dependentApply(Site, {
    name: "space",
    kind: Namespace,
    objectName: ({ metadata }) => `space-${metadata.name}`,
    desired: {},
  });
  const world = fakeWorld(handler(Site).step(conditions()).step(space).build(), { objects: [site()] });
  await world.settled();
  const live = await world.get(Namespace, "space-a");
  expect(live?.metadata.ownerReferences).toBeUndefined();
  expect(live?.metadata.labels).toMatchObject({ [`${HANDLER}/dependent`]: "space" });
  expect(await entries(world)).toMatchObject([{ kind: "Namespace", name: "space-a", type: "Ready" }]);
  expect((await entries(world))[0]).not.toHaveProperty("namespace");
  await world.delete(Site, "a");
  await world.settled();
  expect((await world.get(Namespace, "space-a"))?.metadata.deletionTimestamp ?? "gone").toBeDefined();
  expect(world.requests.count({ verb: "delete", name: "space-a" })).toBe(1);
});

test("functions of the author that throw keep nothing from being cleaned up", async () => {
  let isBroken = false;
  const breaking = <T>(value: T): T => {
    if (isBroken) throw new Error("boom");
    return value;
  };
  const world = await settled({
    objectName: () => breaking("shared"),
    namespace: () => breaking("default"),
    desired: () => breaking({ data: {} }),
    readyWhen: () => breaking(true as const),
    status: (entry) => breaking(entry),
  });
  expect(await world.get(ConfigMap, "shared")).toBeDefined();
  isBroken = true;
  await world.pass("a");
  expect(await entries(world)).toMatchObject([{ name: "shared", type: "Failed", message: "boom" }]);
  await world.delete(Site, "a");
  await world.settled();
  expect(await world.get(ConfigMap, "shared")).toBeUndefined();
  expect(await world.get(Site, "a")).toBeUndefined();
});

describe("what is wanted no more", () => {
  test("is deleted, by its uid, and its entry goes with it", async () => {
    const world = await settled();
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(await entries(world)).toEqual([]);
    expect(await world.get(Site, "a")).toBeReady();
  });

  test("after a rename is deleted when the new one is ready", async () => {
    const world = await settled({ readyWhen: (live) => live.data?.["ready"] === "yes" || "not yet" });
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { ready: "yes" } }));
    await world.settled();
    await world.update(Site, "a", ({ spec }) => void (spec.name = "new"));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
    expect(await entries(world)).toMatchObject([{ name: "new", type: "Pending", message: "not yet" }]);
    await world.update(ConfigMap, "new", (object) => merge(object, { data: { ready: "yes" } }));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(await entries(world)).toMatchObject([{ name: "new", type: "Ready" }]);
  });

  test("is waited for while a finalizer of others holds it", async () => {
    const world = await settled();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await said(world)).toEqual(["page Pending/Deleting"]);
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: null } }));
    await world.settled();
    expect(await entries(world)).toEqual([]);
  });

  test("of somebody else is left where it is", async () => {
    const world = await settled({}, configMap("a-page", { old: "1" }));
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1" });
    expect(await world.get(Site, "a")).toBeReady();
  });
});

describe("switches", () => {
  test("owned: false leaves it unmarked but for the step's label, and it stays", async () => {
    const world = await settled({ owned: false });
    const live = await world.get(ConfigMap, "a-page");
    expect(live?.metadata.labels).toEqual({ [`${HANDLER}/dependent`]: "page" });
    expect(live?.metadata.annotations).toBeUndefined();
    expect(live?.metadata.ownerReferences).toBeUndefined();
    expect((await world.get(Site, "a"))?.metadata.finalizers).toBeUndefined();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { text: "drift" } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
  });

  test("owned: false: two owners do not take it from each other, and one made anew takes what the old one left", async () => {
    const world = await settled({ owned: false, objectName: "shared" }, site("b", { text: "of b" }));
    expect(await said(world, "a")).toEqual(["page Ready"]);
    expect(await said(world, "b")).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world, "b"))[0]?.message).toContain("Site default/a");
    world.requests.clear();
    await world.pass("a");
    await world.pass("b");
    expect(writes(world)).toEqual([]);
    await world.delete(Site, "a");
    await world.delete(Site, "b");
    await world.settled();
    await world.create(Site, site("a", { text: "new" }) as never);
    await world.settled();
    expect(await said(world, "a")).toEqual(["page Ready"]);
    expect((await world.get(ConfigMap, "shared"))?.data).toEqual({ text: "new" });
  });

  test("owned: false takes an object that nobody controls", async () => {
    const world = await settled({ owned: false }, configMap("a-page", { old: "1" }));
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1", text: "hello" });
  });

  test("created: false waits for somebody else, without an error", async () => {
    const world = await settled({ created: false });
    expect(await said(world)).toEqual(["page Pending/NotFound"]);
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(world.passes.every(({ error }) => error === undefined)).toBe(true);
    await world.create(ConfigMap, configMap("a-page", { theirs: "1" }) as never);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
    expect(await world.get(Site, "a")).toBeReady();
    await world.delete(Site, "a");
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toMatchObject({ theirs: "1" });
  });

  test("updated: false leaves an existing one as it is", async () => {
    const world = await settled({ updated: false });
    await world.update(Site, "a", ({ spec }) => void (spec.text = "new"));
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { text: "drift" } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "drift" });
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("watched: false reads it once a pass and is not woken", async () => {
    const world = await settled({ watched: false });
    expect(await said(world)).toEqual(["page Ready"]);
    world.requests.clear();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { text: "drift" } }));
    await world.settled();
    expect(world.requests.length).toBe(0);
    await world.pass("a");
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.filter({}).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(["get configmaps"]);
    await world.delete(Site, "a");
    for (let i = 0; i < 5; i++) {
      await world.settled();
      await world.advance(1_000);
    }
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("checkedForReadiness: false has no entry and keeps nobody waiting", async () => {
    const world = await settled({ checkedForReadiness: false, readyWhen: () => "never" });
    expect(await entries(world)).toEqual([]);
    expect(await world.get(Site, "a")).toBeReady();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  });

  test("an update of the author's own is a PUT of what it returns, guarded by the version; undefined writes nothing", async () => {
    const world = await settled({
      update: (live, wanted) =>
        live.data?.["text"] === wanted.data?.["text"] ? undefined : { ...live, data: { ...live.data, ...wanted.data, merged: "yes" } },
    });
    expect((await world.get(ConfigMap, "a-page"))?.metadata.ownerReferences).toHaveLength(1);
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.length).toBe(0);
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { text: "drift", more: "1" } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello", more: "1", merged: "yes" });
    expect(writes(world)).toEqual(["update configmaps"]);
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  });
});

describe("what the status says", () => {
  test("not ready is Pending with the reason, refined from the live object", async () => {
    const world = await settled({
      readyWhen: (live) => live.data?.["pod"] !== undefined || "no pod yet",
      status: (entry, live) => ({
        ...entry,
        reason: entry.type === "Ready" ? "PodReady" : "NoPod",
        attributes: [{ name: "podName", value: live?.data?.["pod"] ?? "" }],
      }),
    });
    expect(await entries(world)).toMatchObject([
      { type: "Pending", reason: "NoPod", message: "no pod yet", attributes: [{ name: "podName", value: "" }] },
    ]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", message: /no pod yet/ });
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { pod: "p-1" } }));
    await world.settled();
    expect(await entries(world)).toMatchObject([{ type: "Ready", reason: "PodReady", attributes: [{ name: "podName", value: "p-1" }] }]);
    expect(await world.get(Site, "a")).toBeReady();
  });

  test("a refinement to Pending makes the step wait", async () => {
    const world = await settled({ status: (entry) => ({ ...entry, type: "Pending", reason: "Linking", message: "linking" }) });
    expect(await said(world)).toEqual(["page Pending/Linking"]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown" });
  });

  test("an error is in the entry, refined and without secrets, and is retried with a back-off", async () => {
    const world = worldOf({
      status: (entry, _live, error) => ({ ...entry, attributes: [{ name: "failed", value: String(error !== undefined) }] }),
    });
    const stop = world.onRequest(({ verb, resource }) => {
      if (verb === "apply" && resource === "configmaps") throw new ApiError({ message: "denied: password=hunter2hunter2", status: 500 });
    });
    await world.settled();
    expect(await entries(world)).toMatchObject([{ type: "Failed", attributes: [{ name: "failed", value: "true" }] }]);
    expect(JSON.stringify((await world.get(Site, "a"))?.status)).not.toContain("hunter2");
    expect(world.passes.at(-1)?.error).toBeDefined();
    expect(world.dueIn("a")).toBeGreaterThan(0);
    stop();
    await world.advance(1_000);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test.for([
    {
      name: "desired",
      options: {
        desired: () => {
          throw new Error("boom");
        },
      },
    },
    {
      name: "readyWhen",
      options: {
        readyWhen: () => {
          throw new Error("boom");
        },
      },
    },
    {
      name: "objectName",
      options: {
        objectName: () => {
          throw new Error("boom");
        },
      },
    },
    {
      name: "status",
      options: {
        status: (_: unknown, live: unknown) => {
          if (live !== undefined) throw new Error("boom");
          return _;
        },
      },
    },
  ])("what $name throws is an entry and an error", async ({ options }) => {
    const world = await settled(options as Partial<Options>);
    expect(await entries(world)).toMatchObject([{ step: "page", type: "Failed", message: "boom" }]);
    expect(world.passes.at(-1)?.error).toMatchObject({ message: expect.stringContaining("boom") });
  });

  test("entries of others in the list are never lost", async () => {
    const world = await settled();
    const other = {
      step: "x",
      handler: "other",
      apiVersion: "v1",
      kind: "Pod",
      name: "p",
      type: "Ready",
      reason: "Ready",
      message: "",
      lastTransitionTime: "2025-01-01T00:00:00Z",
    };
    const dependents = [other, ...(await entries(world))];
    await world.updateStatus(Site, "a", (object) => merge(object, { status: { dependents } }));
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await entries(world)).toEqual([other]);
  });

  test("an author's own status fields and the entries do not disturb each other", async () => {
    const see = step(Site, { name: "see", do: (req) => void (req.status.seen = req.object.spec.text) });
    const world = fakeWorld(handler(Site).step(conditions()).step(see).step(page()).build(), { objects: [site()] });
    await world.settled();
    expect((await world.get(Site, "a"))?.status).toMatchObject({ seen: "hello", dependents: [{ step: "page" }] });
  });
});

describe("races and crashes", () => {
  test("a crash between the apply and the status: the next process finds its work done", async () => {
    const world = worldOf();
    const stop = world.onRequest(({ verb, resource, subresource }) => {
      if (verb === "patch" && resource === "sites" && subresource === "status") throw new Error("the process died");
    });
    await world.settled();
    stop();
    world.requests.clear();
    await world.advance(60_000);
    await world.settled();
    expect(writes(world)).toEqual(["patch sites/status"]);
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("somebody was faster with a foreign object: it is said at once, and not touched", async () => {
    const world = worldOf();
    const stop = world.onRequest(({ verb, resource }) => {
      if (verb !== "apply" || resource !== "configmaps") return;
      stop();
      throw new ApiError({ message: "exists", status: 409, reason: "AlreadyExists" });
    });
    await world.settled();
    expect(await said(world)).toEqual(["page Pending/NotSeenYet"]);
    expect(world.passes.every(({ error }) => error === undefined)).toBe(true);
    await world.advance(50);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("an object that is being deleted is made again when it is gone", async () => {
    const world = await settled();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect(await said(world)).toEqual(["page Pending/Deleting"]);
    const { uid } = ((await world.get(ConfigMap, "a-page")) as KubernetesObject).metadata;
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: null } }));
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
    expect((await world.get(ConfigMap, "a-page"))?.metadata.uid).not.toBe(uid);
  });
});

test("a kind without room for entries is refused at build(), with the fix", () => {
  const Bare = defineResource({ group: "example.dev", version: "v1", kind: "Bare", scope: "Namespaced", spec: z.object({}) });
  const kept = (options: object): AnyDependentStep => dependentApply(Bare, { name: "page", kind: ConfigMap, desired: {}, ...options });
  expect(() =>
    handler(Bare)
      .step(kept({}) as never)
      .build(),
  ).toThrow("add dependents: true");
  expect(() =>
    handler(Bare)
      .step(kept({ checkedForReadiness: false }) as never)
      .build(),
  ).not.toThrow();
});

test("a step alone can be tried with a fake req", async () => {
  const req = fakeReq(Site, { spec: { text: "x" } });
  expect(await req.run(page())).toContinue();
});

test.for([
  { name: "no name", options: { kind: ConfigMap, desired: {} }, says: "need a name" },
  { name: "no kind", options: { name: "x", desired: {} }, says: "kind must be a kind" },
  { name: "no desired", options: { name: "x", kind: ConfigMap }, says: "say with desired" },
  { name: "a wrong adopt", options: { name: "x", kind: ConfigMap, desired: {}, adopt: "yes" }, says: "adopt" },
])("untyped options with $name are refused", ({ options, says }) => {
  expect(() => dependentApply(Site, options as never)).toThrow(says);
});
