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
  test("is created with its marks by one apply, besides the finalizer and the status", async () => {
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

  test("that is as desired costs no request, in this process and in the next", async () => {
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
  ])("is reverted after a user changes $name", async ({ change }) => {
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

  test("is not modified when other writers add fields", async () => {
    const world = await settled();
    world.requests.clear();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { more: "1" }, metadata: { labels: { team: "web" } } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello", more: "1" });
    expect(world.requests.length).toBe(0);
  });

  test("loses fields that are no longer desired, and keeps fields of other writers", async () => {
    const world = await settled({ desired: ({ spec }: Site) => ({ data: spec.text === "less" ? {} : { text: spec.text, more: "1" } }) });
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { foreign: "1" } }));
    await world.update(Site, "a", ({ spec }) => void (spec.text = "less"));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ foreign: "1" });
  });

  test("is created again after a user deletes it", async () => {
    const world = await settled();
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  });

  test("can be given as a plain partial object", async () => {
    const world = await settled({ desired: { data: { text: "plain" } } });
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "plain" });
  });

  test("may be a Secret: its metadata repeats no value, and a settled pass costs no request", async () => {
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

describe("ownership", () => {
  test.for([
    { adopt: undefined, whose: "without an owner", metadata: {}, isTaken: false, says: /it has no controller/ },
    { adopt: "ifUnowned", whose: "without an owner", metadata: {}, isTaken: true },
    { adopt: "force", whose: "without an owner", metadata: {}, isTaken: true },
    {
      adopt: undefined,
      whose: "of another owner",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
      isTaken: false,
      says: /Node n/,
    },
    {
      adopt: "ifUnowned",
      whose: "of another owner",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true }] },
      isTaken: false,
      says: /Node n/,
    },
    {
      adopt: "force",
      whose: "of another owner",
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

  test("an object of another owner is not deleted with ours", async () => {
    const world = await settled({}, configMap("a-page", { old: "1" }));
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1" });
  });

  test("two owners with one object: the second names the first, and takes over after the first is deleted", async () => {
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

  test("two steps with one object: the second names the first", async () => {
    const twice = [page({ objectName: "same" }), page({ name: "second", objectName: () => "same" })];
    const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", twice)).build(), { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["page Ready", "second Failed/NotOurs"]);
    expect((await entries(world))[1]?.message).toContain('step "page"');
  });

  test("a recreated owner does not take the objects of the deleted owner with its name", async () => {
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

describe("in another namespace", () => {
  const elsewhere = { namespace: ({ spec }: Site) => spec.where ?? "elsewhere" };
  const namespaces = ["elsewhere", "there"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));

  test("a label marks the owner where a reference is not possible, and the cleanup deletes the object", async () => {
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

  test("ownership by label is an option", async () => {
    const world = await settled({ ownership: "label" });
    expect((await world.get(ConfigMap, "a-page"))?.metadata.ownerReferences).toBeUndefined();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("an impossible reference is refused, with the fix", async () => {
    const world = await settled({ ...elsewhere, ownership: "reference" }, ...namespaces);
    expect((await entries(world))[0]).toMatchObject({ type: "Failed", message: expect.stringContaining('set it to "label"') });
  });

  test("after a change of the namespace the new object is created, then the old one is deleted", async () => {
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

test("a cluster-scoped dependent of a namespaced owner is found by its label, and deleted with the owner", async () => {
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

test("functions of the author that throw do not block the cleanup", async () => {
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
  expect(await entries(world)).toMatchObject([{ name: "shared", type: "Failed", message: 'step "page": desired threw: boom' }]);
  await world.delete(Site, "a");
  await world.settled();
  expect(await world.get(ConfigMap, "shared")).toBeUndefined();
  expect(await world.get(Site, "a")).toBeUndefined();
});

describe("an object that is no longer desired", () => {
  test("is deleted by its uid, with its entry", async () => {
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

  test("makes the step wait while a finalizer blocks its deletion", async () => {
    const world = await settled();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await said(world)).toEqual(["page Pending/Deleting"]);
    await world.update(ConfigMap, "a-page", (object) => merge(object, { metadata: { finalizers: null } }));
    await world.settled();
    expect(await entries(world)).toEqual([]);
  });

  test("is not deleted when another owner has it", async () => {
    const world = await settled({}, configMap("a-page", { old: "1" }));
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1" });
    expect(await world.get(Site, "a")).toBeReady();
  });
});

describe("switches", () => {
  test("owned: false sets only the label of the step, and the object stays", async () => {
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

  test("owned: false: two owners do not take the object from each other, and a recreated owner takes over", async () => {
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

  test("owned: false takes an object without a controller", async () => {
    const world = await settled({ owned: false }, configMap("a-page", { old: "1" }));
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ old: "1", text: "hello" });
  });

  test("created: false waits for another writer, without an error", async () => {
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

  test("updated: false does not modify an existing object", async () => {
    const world = await settled({ updated: false });
    await world.update(Site, "a", ({ spec }) => void (spec.text = "new"));
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { text: "drift" } }));
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "drift" });
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("watched: false reads the object once in each pass, and its changes trigger no pass", async () => {
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

  test("checkedForReadiness: false has no entry, and no step waits", async () => {
    const world = await settled({ checkedForReadiness: false, readyWhen: () => "never" });
    expect(await entries(world)).toEqual([]);
    expect(await world.get(Site, "a")).toBeReady();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  });

  test("a custom update is a PUT of its result with the version that was seen; undefined writes nothing", async () => {
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

describe("the status", () => {
  test("reports an object that is not ready as Pending, refined from the live object", async () => {
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

  test("makes the step wait when it is refined to Pending", async () => {
    const world = await settled({ status: (entry) => ({ ...entry, type: "Pending", reason: "Linking", message: "linking" }) });
    expect(await said(world)).toEqual(["page Pending/Linking"]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown" });
  });

  test("reports an error, refined and without secrets, and the pass is retried with a backoff", async () => {
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
  ])("reports an error that $name throws", async ({ name, options }) => {
    const world = await settled(options as Partial<Options>);
    expect(await entries(world)).toMatchObject([{ step: "page", type: "Failed", message: `step "page": ${name} threw: boom` }]);
    expect(world.passes.at(-1)?.error).toMatchObject({ message: expect.stringContaining("boom") });
  });

  test("keeps the entries of other handlers", async () => {
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

  test("has room for the author's fields and the entries", async () => {
    const see = step(Site, { name: "see", do: (req) => void (req.status.seen = req.object.spec.text) });
    const world = fakeWorld(handler(Site).step(conditions()).step(see).step(page()).build(), { objects: [site()] });
    await world.settled();
    expect((await world.get(Site, "a"))?.status).toMatchObject({ seen: "hello", dependents: [{ step: "page" }] });
  });
});

describe("races and crashes", () => {
  test("after a crash between the apply and the status the next process applies nothing again", async () => {
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

  test("an object that another writer created first is reported at once, and not modified", async () => {
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

  test("an object that is being deleted is created again when it no longer exists", async () => {
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

test("build() refuses a kind without status.dependents, with the fix", () => {
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

test("one step runs with fakeReq", async () => {
  const req = fakeReq(Site, { spec: { text: "x" } });
  expect(await req.run(page())).toContinue();
});

test.for([
  { name: "no name", options: { kind: ConfigMap, desired: {} }, says: "need a name" },
  { name: "no kind", options: { name: "x", desired: {} }, says: "kind must be a kind" },
  { name: "no desired", options: { name: "x", kind: ConfigMap }, says: "set desired" },
  { name: "a wrong adopt", options: { name: "x", kind: ConfigMap, desired: {}, adopt: "yes" }, says: "adopt" },
])("untyped options with $name are refused", ({ options, says }) => {
  expect(() => dependentApply(Site, options as never)).toThrow(says);
});
