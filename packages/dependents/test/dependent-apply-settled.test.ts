/** dependentApply in steady state: what it asks of the server and of the author's functions, and whom it holds up. */
import "@treadle/testing/matchers";
import { ApiError, defineResource } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, RetryAfterError, step } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { z } from "zod";
import { entries, type Options, page, said, settled, Site, site, worldOf } from "./sites.ts";

const readyOf = async (world: FakeWorld): Promise<unknown> =>
  ((await world.get(Site, "a")) as { status?: { conditions?: { type: string; status: string }[] } } | undefined)?.status?.conditions?.find(
    ({ type }) => type === "Ready",
  )?.status;

test("a settled dependent does not call desired again, and keeps its entry", async () => {
  let calls = 0;
  const world = await settled({
    desired: () => {
      calls++;
      return { data: { text: "hello" } };
    },
    readyWhen: () => "never ready",
  });
  await world.pass("a");
  const before = calls;
  world.requests.clear();
  for (let i = 0; i < 5; i++) await world.pass("a");
  expect(calls).toBe(before);
  expect(world.requests.length).toBe(0);
  expect((await entries(world))[0]).toMatchObject({ type: "Pending", message: "never ready" });
  await world.update(Site, "a", ({ spec }) => void (spec.text = "bye"));
  await world.settled();
  expect(calls).toBeGreaterThan(before);
});

test("a leftover whose labels a user removed is reported until it is deleted", async () => {
  const world = await settled({ desired: { data: {} } });
  await world.update(ConfigMap, "a-page", ({ metadata }) => {
    metadata.labels = {};
    metadata.finalizers = ["example.com/hold"];
  });
  await world.update(Site, "a", ({ spec }) => void (spec.name = "renamed"));
  for (let i = 0; i < 4; i++) {
    await world.pass("a");
    expect(await said(world)).toEqual(["page Ready", "page Pending/Deleting"]);
    expect(await readyOf(world)).not.toBe("True");
  }
  await world.update(ConfigMap, "a-page", ({ metadata }) => void (metadata.finalizers = []));
  await world.settled();
  expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  expect(await said(world)).toEqual(["page Ready"]);
});

describe("a settled dependent that is not ready", () => {
  test("is asked for its readiness again in each pass, and is not rendered again", async () => {
    let calls = 0;
    let answer: true | string = "too early";
    const world = await settled({
      desired: () => {
        calls++;
        return { data: { text: "hello" } };
      },
      readyWhen: () => answer,
    });
    await world.pass("a");
    const before = calls;
    answer = "almost";
    await world.pass("a");
    expect(calls).toBe(before);
    expect((await entries(world))[0]).toMatchObject({ type: "Pending", message: "almost" });
    answer = true;
    await world.advance(700_000);
    await world.pass("a");
    expect(await said(world)).toEqual(["page Ready"]);
    expect(await readyOf(world)).toBe("True");
  });

  test("is asked for its status again in each pass", async () => {
    let type = "Failed";
    const world = await settled({ desired: { data: {} }, status: (entry) => ({ ...entry, type, reason: type, message: type }) });
    await world.pass("a");
    expect(await said(world)).toEqual(["page Failed"]);
    type = "Ready";
    await world.pass("a");
    expect(await said(world)).toEqual(["page Ready"]);
  });
});

describe("two steps with one object", () => {
  test.for<{ name: string; options: Partial<Options> }>([
    { name: "owned", options: {} },
    { name: "owned, and taken by force", options: { adopt: "force" } },
    { name: "not owned", options: { owned: false } },
  ])("$name: the second names the first, and nothing flaps", async ({ options }) => {
    const steps = [
      page({ ...options, objectName: "same", desired: { data: { text: "first" } } }),
      page({ ...options, name: "second", objectName: () => "same", desired: { data: { text: "second" } } }),
    ];
    const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", steps)).build(), { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["page Ready", "second Failed/NotOurs"]);
    expect((await entries(world))[1]?.message).toContain('it belongs to step "page"');
    world.requests.clear();
    for (let i = 0; i < 10; i++) {
      await world.pass("a");
      await world.settled();
    }
    expect(world.requests.filter({ verb: ["apply", "patch", "update"] }).length).toBe(0);
    expect((await world.get(ConfigMap, "same"))?.data).toEqual({ text: "first" });
  });
});

describe("the proof that the owner still exists", () => {
  const parts = ["one", "two", "three"].map((name) => page({ name, objectName: name, ownership: "label" }));
  const built = handler(Site).step(conditions()).step(dependentApplyAll("parts", parts)).build();
  const gets = (world: FakeWorld): number => world.requests.filter({ verb: "get", resource: "sites" }).length;

  test("needs no GET after the pass stored the finalizer", async () => {
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["one Ready", "two Ready", "three Ready"]);
    expect(gets(world)).toBe(0);
  });

  test("costs one GET in a pass that creates three objects", async () => {
    const world = fakeWorld(built, { objects: [site("a", {}, { finalizers: ["example.dev/sites.example.dev"] })] });
    await world.settled();
    expect(await said(world)).toEqual(["one Ready", "two Ready", "three Ready"]);
    expect(gets(world)).toBe(1);
  });
});

describe("a dependent that is not checked for readiness does not hold up its owner", () => {
  const reached: string[] = [];
  const built = (options: Partial<Options>) =>
    handler(Site)
      .step(conditions())
      .step(page({ ...options, checkedForReadiness: false }))
      .step(step(Site, { name: "later", do: () => void reached.push("later") }))
      .build();

  test.for([403, 422, 500])("when its apply is refused with %i", async (status) => {
    reached.length = 0;
    const world = fakeWorld(built({}), { objects: [site()] });
    let isRefused = true;
    world.onRequest(({ verb, resource }) => {
      if (isRefused && verb === "apply" && resource === "configmaps") throw new ApiError({ message: "refused", status });
    });
    await world.pass("a");
    expect(reached).toEqual(["later"]);
    expect(await readyOf(world)).toBe("True");
    expect(world.logs.filter(({ level, text }) => level === "warn" && text.includes("its owner does not wait for it"))).toHaveLength(1);
    const first = world.dueIn("a") ?? 0;
    await world.advance(first);
    await world.pass("a");
    expect(world.dueIn("a")).toBeGreaterThan(first);
    isRefused = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
    expect(world.dueIn("a")).toBeUndefined();
  });

  test("when another writer deletes its object between a refused create and the read", async () => {
    const world = fakeWorld(built({}), { objects: [site()] });
    let isRefused = true;
    world.onRequest(({ verb, resource }) => {
      if (isRefused && verb === "apply" && resource === "configmaps")
        throw new ApiError({ message: "conflict", status: 409, reason: "Conflict" });
    });
    await world.pass("a");
    expect(await readyOf(world)).toBe("True");
    expect(world.dueIn("a")).toBe(50);
    await world.advance(50);
    await world.pass("a");
    expect(world.dueIn("a")).toBe(100);
    isRefused = false;
    await world.advance(100);
    await world.settled();
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
    expect(world.dueIn("a")).toBeUndefined();
  });

  test("and is retried after the delay that the server asks for", async () => {
    const world = fakeWorld(built({}), { objects: [site()] });
    world.onRequest(({ verb, resource }) => {
      if (verb === "apply" && resource === "configmaps") throw new ApiError({ message: "unavailable", status: 503, retryAfterMs: 30_000 });
    });
    await world.pass("a");
    expect(world.dueIn("a")).toBe(30_000);
  });

  test("and is retried after the delay of a RetryAfterError", async () => {
    const desired = (): never => {
      throw new RetryAfterError("later", 30_000);
    };
    const world = fakeWorld(built({ desired }), { objects: [site()] });
    await world.pass("a");
    expect(world.dueIn("a")).toBe(30_000);
  });

  test("when desired throws", async () => {
    reached.length = 0;
    let isBroken = true;
    const world = fakeWorld(
      built({
        desired: () => {
          if (isBroken) throw new Error("boom");
          return { data: {} };
        },
      }),
      { objects: [site()] },
    );
    await world.pass("a");
    expect(reached).toEqual(["later"]);
    expect(await readyOf(world)).toBe("True");
    isBroken = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
  });

  test("when its kind is not served", async () => {
    reached.length = 0;
    const Late = defineResource({ group: "late.example.dev", version: "v1", kind: "Late", scope: "Namespaced", spec: z.object({}) });
    const late = dependentApply(Site, { name: "late", kind: Late, checkedForReadiness: false, desired: { spec: {} } });
    const later = step(Site, { name: "later", do: () => void reached.push("later") });
    const world = fakeWorld(handler(Site).step(conditions()).step(late).step(later).build(), { objects: [site()], missing: [Late] });
    await world.pass("a");
    expect(reached).toEqual(["later"]);
    expect(await readyOf(world)).toBe("True");
    expect(world.dueIn("a")).toBe(60_000);
    await world.install(Late);
    await world.advance(60_000);
    await world.settled();
    expect(await world.get(Late, "a")).toBeDefined();
    expect(world.dueIn("a")).toBeUndefined();
  });

  test("when the GET of its object is refused", async () => {
    reached.length = 0;
    const world = fakeWorld(built({ watched: false }), { objects: [site()] });
    let isRefused = true;
    world.onRequest(({ verb, resource }) => {
      if (isRefused && verb === "get" && resource === "configmaps") throw new ApiError({ message: "refused", status: 403 });
    });
    await world.pass("a");
    expect(reached).toEqual(["later"]);
    expect(await readyOf(world)).toBe("True");
    isRefused = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
  });
});

test("an object of another owner is logged for a dependent that is not checked for readiness", async () => {
  const world = worldOf({ checkedForReadiness: false }, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-page" } });
  await world.settled();
  expect(world.logs.some(({ level, text }) => level === "warn" && text.includes("is not ours"))).toBe(true);
});
