/** What dependents say of themselves, and of what keeps them from being ready: entries and Ready must tell one story. */
import "@treadle/testing/matchers";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { dependentApply, dependentsOf, worstDependent } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { fakeWorld, type FakeWorld } from "@treadle/testing";
import { configMap, entries, merge, page, said, settled, Site, site, writes } from "./sites.ts";

test.for([undefined, null, false, ""])("a readyWhen that returns %j is an error", async (answer) => {
  const world = await settled({ readyWhen: () => answer as never });
  expect(await entries(world)).toMatchObject([{ type: "Failed", message: expect.stringContaining("readyWhen must return true") }]);
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False" });
});

test("the values of a Secret that the step read are hidden in its entry and in Ready", async () => {
  const password = "correct-horse-battery";
  const reads = { login: one(Secret, () => ({ name: "login" })) };
  const part = dependentApply(Site, {
    name: "page",
    kind: ConfigMap,
    reads,
    desired: {},
    readyWhen: (_live, _site, { reads: { login } }) => `cannot log in with ${login?.data?.["password"]}`,
    status: (entry) => ({
      ...entry,
      message: `${entry.message} or ${password}`,
      attributes: [{ name: "login", value: `admin:${password}` }],
    }),
  });
  const data = { password: Buffer.from(password).toString("base64") };
  const world = fakeWorld(handler(Site).step(conditions()).step(part).build(), {
    objects: [site(), { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, data }],
  });
  await world.settled();
  await world.pass("a");
  const [entry] = await entries(world);
  expect(entry?.message).toBe("cannot log in with <redacted> or <redacted>");
  expect(entry?.attributes).toEqual([{ name: "login", value: "admin:<redacted>" }]);
  const stored = JSON.stringify([await world.get(Site, "a"), world.logs]);
  expect(stored).not.toContain(password);
  expect(stored).not.toContain(data.password);
});

describe("the entry and Ready", () => {
  test("both report an object of another owner", async () => {
    const world = await settled({}, configMap("a-page"));
    expect(await said(world)).toEqual(["page Failed/NotOurs"]);
    expect((await entries(world))[0]?.message).toBe('ConfigMap a-page is not ours: it has no controller; adopt: "ifUnowned" takes it over');
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "NotOurs" });
  });

  test("both report a missing namespace", async () => {
    const world = await settled({ namespace: "nowhere" });
    expect(await said(world)).toEqual(["page Failed/NotFound"]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "NotFound" });
  });

  test("a refined entry Failed makes Ready False", async () => {
    const world = await settled({ status: (entry) => ({ ...entry, type: "Failed", reason: "Broken", message: "it is broken" }) });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "Broken", message: /it is broken/ });
  });

  test("a dependent that is not ready makes Ready Unknown", async () => {
    const world = await settled({ readyWhen: () => "not yet" });
    expect(await said(world)).toEqual(["page Pending/NotReady"]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", reason: "NotReady" });
  });
});

test("an unknown field is named with the reason InvalidApply, and retried with the backoff", async () => {
  const world = await settled({ desired: () => ({ dta: { a: "1" } }) as never });
  expect(await said(world)).toEqual(["page Failed/InvalidApply"]);
  expect((await entries(world))[0]?.message).toContain(".dta: field not declared in schema");
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "InvalidApply" });
  expect(world.dueIn("a")).toBeGreaterThan(0);
});

describe("a dependent that the pass does not reach", () => {
  const first = page({ name: "first", objectName: "first", readyWhen: (live) => live.data?.["broken"] === undefined || "it is broken" });
  const second = page({ name: "second", objectName: "second" });
  const later = dependentApply(Site, { name: "later", kind: ConfigMap, objectName: "later", desired: {} });
  const paused = step(Site, {
    name: "hold",
    gate: (req) => (req.object.metadata.annotations?.["hold"] === undefined ? undefined : req.stop("on hold")),
  });
  const built = handler(Site).step(conditions()).step(paused).step(first).step(second).step(later).build();

  async function broken(): Promise<FakeWorld> {
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "second Ready", "later Ready"]);
    await world.update(ConfigMap, "first", (object) => merge(object, { data: { broken: "1" } }));
    await world.settled();
    return world;
  }

  test("follows its object in the cache, and is NotReached when the object does not exist", async () => {
    const world = await broken();
    expect(await said(world)).toEqual(["first Pending/NotReady", "second Ready", "later Ready"]);
    await world.delete(ConfigMap, "second");
    await world.settled();
    expect(await said(world)).toEqual(["first Pending/NotReady", "second Unknown/NotReached", "later Ready"]);
    expect((await entries(world))[1]).toMatchObject({ name: "second", message: 'waiting for step "first"' });
    expect(worstDependent(dependentsOf((await world.get(Site, "a")) ?? {}))?.step).toBe("first");
    await world.update(ConfigMap, "first", (object) => merge(object, { data: { broken: null } }));
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "second Ready", "later Ready"]);
  });

  test("costs no request while nothing changes", async () => {
    const world = await broken();
    world.requests.clear();
    await world.pass("a");
    await world.advance(600_000);
    await world.settled();
    expect(writes(world)).toEqual([]);
  });

  test("keeps its entry in a pass that a gate ends", async () => {
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    await world.update(Site, "a", (object) => merge(object, { metadata: { annotations: { hold: "1" } } }));
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "second Ready", "later Ready"]);
  });

  test("keeps its entry while the owner is deleted", async () => {
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    await world.update(ConfigMap, "later", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
    await world.delete(Site, "a");
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "second Ready", "later Pending/Deleting"]);
  });
});
