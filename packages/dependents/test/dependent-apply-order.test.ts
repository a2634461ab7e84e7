/** dependentApplyAll with a dependency that is not ready: desired objects wait, and undesired ones are deleted. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, one } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { configMap, entries, merge, page, said, Site, site } from "./sites.ts";

const base = page({
  name: "base",
  objectName: "base",
  desired: ({ spec }) => ({ data: { text: spec.text } }),
  readyWhen: (live) => live.data?.["broken"] === undefined || "base is broken",
});

/** `switched` is wanted as long as `spec.wanted` says so; `leaf` needs it, and is always wanted. */
async function broken(switched: Parameters<typeof page>[0]): Promise<FakeWorld> {
  const middle = page({ name: "switched", objectName: "switched", dependsOn: [base], ...switched });
  const leaf = page({ name: "leaf", objectName: "leaf", dependsOn: [middle], desired: {} });
  const built = handler(Site)
    .step(conditions())
    .step(dependentApplyAll("parts", [base, middle, leaf]))
    .build();
  const world = fakeWorld(built, { objects: [site(), configMap("gate", { open: "yes" })] });
  await world.settled();
  expect(await said(world)).toEqual(["base Ready", "switched Ready", "leaf Ready"]);
  await world.update(ConfigMap, "base", (object) => merge(object, { data: { broken: "1" } }));
  await world.settled();
  expect(await entries(world)).toMatchObject([{}, { message: "waiting for base" }, { message: "waiting for switched" }]);
  return world;
}

test("build() refuses two objects of one kind with one name", () => {
  const one = dependentApply(Site, { name: "one", kind: ConfigMap, desired: {} });
  const two = dependentApply(Site, { name: "two", kind: ConfigMap, desired: {} });
  const said = 'steps "one" and "two" keep the same ConfigMap, the one with the name of the owner: set objectName for at least one of them';
  expect(() => handler(Site).step(one).step(two).build()).toThrow(said);
  expect(() =>
    handler(Site)
      .step(dependentApplyAll("parts", [one, two]))
      .build(),
  ).toThrow(said);
  const named = dependentApply(Site, { name: "named", kind: ConfigMap, objectName: "other", desired: {} });
  expect(() => handler(Site).step(one).step(named).build()).not.toThrow();
  const twin = dependentApply(Site, { name: "twin", kind: ConfigMap, objectName: "other", desired: {} });
  expect(() => handler(Site).step(named).step(twin).build()).toThrow(
    'steps "named" and "twin" keep the same ConfigMap, the one with the name "other": set another objectName for at least one of them',
  );
  const elsewhere = dependentApply(Site, { name: "elsewhere", kind: ConfigMap, objectName: "other", namespace: "n", desired: {} });
  expect(() => handler(Site).step(named).step(elsewhere).build()).not.toThrow();
});

describe("a dependent whose dependency is not ready", () => {
  test("is deleted when it is no longer desired, and its dependents wait for its dependency", async () => {
    const world = await broken({});
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await world.get(ConfigMap, "switched")).toBeUndefined();
    expect(await said(world)).toEqual(["base Pending/NotReady", "leaf Pending/WaitingForDependency"]);
    expect((await entries(world))[1]).toMatchObject({ message: "waiting for base" });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", reason: "NotReady" });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
    await world.settled();
    expect(await world.get(ConfigMap, "switched"), "it is not made before base is ready").toBeUndefined();
    await world.update(ConfigMap, "base", (object) => merge(object, { data: { broken: null } }));
    await world.settled();
    expect(await said(world)).toEqual(["base Ready", "switched Ready", "leaf Ready"]);
  });

  test("calls desired with the dependencies that exist", async () => {
    const world = await broken({
      desired: (_: Site, { dependents }: never) => (dependents["base"]?.["data"]?.["off"] ? undefined : {}),
    } as never);
    await world.update(ConfigMap, "base", (object) => merge(object, { data: { off: "1" } }));
    await world.settled();
    expect(await world.get(ConfigMap, "switched")).toBeUndefined();
  });

  test("calls desired with its reads", async () => {
    const gate = one(ConfigMap, () => "gate");
    const desired = (_: Site, { reads }: { readonly reads: { readonly gate?: ConfigMap } }) => (reads.gate === undefined ? undefined : {});
    const world = await broken({ reads: { gate }, desired } as never);
    await world.delete(ConfigMap, "gate");
    await world.settled();
    expect(await world.get(ConfigMap, "switched")).toBeUndefined();
  });

  test("stays while desired throws", async () => {
    const world = await broken({
      desired: ({ spec }) => {
        if (!spec.wanted) throw new Error("boom");
        return {};
      },
    });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await world.get(ConfigMap, "switched")).toBeDefined();
    expect((await entries(world))[1]).toMatchObject({ type: "Pending", message: "waiting for base" });
    expect(world.passes.every(({ error }) => error === undefined)).toBe(true);
  });

  test("costs no request while nothing changes", async () => {
    const watched = dependentApply(Site, {
      name: "live",
      kind: ConfigMap,
      objectName: "live",
      watched: false,
      dependsOn: [base],
      desired: () => ({}),
    });
    const built = handler(Site)
      .step(conditions())
      .step(dependentApplyAll("parts", [base, watched]))
      .build();
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    await world.update(ConfigMap, "base", (object) => merge(object, { data: { broken: "1" } }));
    await world.settled();
    world.requests.clear();
    await world.pass("a");
    expect(world.requests).toHaveLength(0);
  });
});
