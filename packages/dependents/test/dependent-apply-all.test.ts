/** Several dependents that need each other, or do not. */
import "@treadle/testing/matchers";
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll, type DependentStep } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { entries, merge, type Options, page, said, Site, site } from "./sites.ts";

describe("several", () => {
  const node = (name: string, options: Partial<Options> = {}): DependentStep<Site> =>
    page({
      name,
      objectName: name,
      readyWhen: (live: ConfigMap) => live.data?.["ready"] === "yes" || `${name} is not ready`,
      ...options,
    });
  const ready = async (world: FakeWorld, name: string): Promise<void> => {
    await world.update(ConfigMap, name, (object) => merge(object, { data: { ready: "yes" } }));
    await world.settled();
  };
  const made = async (world: FakeWorld): Promise<readonly string[]> =>
    (await world.list(ConfigMap, "default")).map(({ metadata }) => metadata.name).toSorted();

  function diamond(): FakeWorld {
    const base = node("base");
    const left = node("left", { dependsOn: [base] });
    const right = node("right", { dependsOn: [base] });
    const top = node("top", { dependsOn: [left, right] });
    // The order of the list does not matter.
    return fakeWorld(
      handler(Site)
        .step(conditions())
        .step(dependentApplyAll("parts", [top, right, left, base]))
        .build(),
      { objects: [site()] },
    );
  }

  test("start when their dependencies are ready, and report what they wait for", async () => {
    const world = diamond();
    await world.settled();
    expect(await made(world)).toEqual(["base"]);
    expect(Object.fromEntries((await entries(world)).map(({ step, message }) => [step, message]))).toEqual({
      base: "base is not ready",
      left: "waiting for base",
      right: "waiting for base",
      top: "waiting for left, right",
    });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", reason: "NotReady", message: /base is not ready/ });
    await ready(world, "base");
    expect(await made(world)).toEqual(["base", "left", "right"]);
    await ready(world, "left");
    expect(await made(world)).not.toContain("top");
    await ready(world, "right");
    await ready(world, "top");
    expect(await world.get(Site, "a")).toBeReady();
    expect((await entries(world)).every(({ type }) => type === "Ready")).toBe(true);
  });

  test("are deleted in reverse order, each after its dependents no longer exist", async () => {
    const world = diamond();
    await world.settled();
    for (const name of ["base", "left", "right", "top"]) await ready(world, name);
    await world.update(ConfigMap, "left", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
    await world.settled();
    world.requests.clear();
    await world.delete(Site, "a");
    await world.settled();
    expect(world.requests.filter({ verb: "delete" }).map(({ name }) => name)).toEqual(["top", "left", "right"]);
    expect(await made(world)).toEqual(["base", "left"]);
    expect(await entries(world)).toMatchObject([{ step: "left", reason: "Deleting" }, { step: "base" }]);
    await world.update(ConfigMap, "left", (object) => merge(object, { metadata: { finalizers: null } }));
    await world.settled();
    expect(world.requests.filter({ verb: "delete" }).map(({ name }) => name)).toEqual(["top", "left", "right", "base"]);
    expect(await made(world)).toEqual([]);
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test("continue when a sibling fails, and all errors are reported", async () => {
    const boom = (name: string): DependentStep<Site> =>
      node(name, {
        desired: () => {
          throw new Error(`boom ${name}`);
        },
      });
    const parts = [boom("x"), node("good", { readyWhen: () => true }), boom("y")];
    const world = fakeWorld(handler(Site).step(conditions()).step(dependentApplyAll("parts", parts)).build(), { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["x Failed/Error", "good Ready", "y Failed/Error"]);
    expect(String(world.passes.at(-1)?.error)).toMatch(/boom x.*boom y/);
  });

  test.for([
    { concurrency: 1, most: 1 },
    { concurrency: 3, most: 3 },
    { concurrency: undefined, most: 5 },
  ])("run at most $most at once", async ({ concurrency, most }) => {
    const parts = Array.from({ length: 8 }, (_, i) => node(`n${i}`, { readyWhen: () => true }));
    const world = fakeWorld(
      handler(Site)
        .step(conditions())
        .step(dependentApplyAll("parts", parts, concurrency === undefined ? {} : { concurrency }))
        .build(),
      { objects: [site()] },
    );
    let running = 0;
    let highest = 0;
    const begun: string[] = [];
    world.onRequest(({ verb, name }) => {
      if (verb !== "apply") return;
      running++;
      highest = Math.max(highest, running);
      begun.push(name ?? "");
      queueMicrotask(() => queueMicrotask(() => running--));
    });
    await world.settled();
    expect(highest).toBeLessThanOrEqual(most);
    if (concurrency !== 1) expect(highest).toBeGreaterThan(1);
    expect(begun.toSorted()).toEqual(parts.map(({ name }) => name));
  });

  test("get the live objects of their dependencies", async () => {
    const base = dependentApply(Site, { name: "base", kind: ConfigMap, desired: { data: { port: "80" } } });
    const service = dependentApply(Site, {
      name: "service",
      kind: Service,
      dependsOn: [base],
      desired: (_, { dependents }) => ({ spec: { ports: [{ port: Number(dependents.base?.data?.["port"]) }] } }),
    });
    const world = fakeWorld(handler(Site).step(conditions()).step(base).step(service).build(), { objects: [site()] });
    await world.settled();
    expect((await world.get(Service, "a"))?.spec?.ports).toMatchObject([{ port: 80 }]);
  });

  test.for([
    {
      name: "a step that is not in the list",
      build: () => [node("b", { dependsOn: [node("a")] })],
      says: '"a", which is not in the list',
    },
    {
      name: "a circle",
      build: () => {
        const needs: DependentStep<Site>[] = [];
        const one = node("one", { dependsOn: needs } as never);
        const two = node("two", { dependsOn: [one] });
        needs.push(two);
        return [one, two];
      },
      says: 'in a circle: "one" on "two" on "one"',
    },
    {
      name: "a step that is not a dependent",
      build: () => [node("b", { dependsOn: [step(Site, { name: "s" })] } as never)],
      says: "made by dependentApply()",
    },
  ])("refuse at build() to depend on $name", ({ build, says }) => {
    expect(() => handler(Site).step(dependentApplyAll("parts", build())).build()).toThrow(says);
  });

  test("refuse a part that is not a dependent", () => {
    expect(() => dependentApplyAll("parts", [step(Site, { name: "s" }) as never])).toThrow('"s" is not made by dependentApply()');
    for (const concurrency of [0, 1.5, Number.NaN])
      expect(() => dependentApplyAll("parts", [node("a")], { concurrency })).toThrow("concurrency");
  });

  test("outside a group a dependency must be earlier in the list", () => {
    const base = node("base");
    const top = node("top", { dependsOn: [base] });
    expect(() => handler(Site).step(top).step(base).build()).toThrow('"top" depends on "base", which does not run before it');
    expect(() => handler(Site).step(base).step(top).build()).not.toThrow();
  });
});

/*
 * Invariants, whichever request of the operator is lost (by a conflict, or because it was forbidden) in a life of
 * an owner from its creation over a rename and a change of mind to its deletion:
 * 1. The final state is the same as without a failure. 2. A deleted owner leaves no object behind.
 * 3. Objects of other owners are unchanged.
 */
describe.each([
  { name: "a conflict", fault: () => new ApiError({ message: "conflict", status: 409, reason: "Conflict" }) },
  { name: "a right that was missing for a moment", fault: () => new ApiError({ message: "forbidden", status: 403 }) },
])("after $name at any request", ({ fault }) => {
  const base = page({
    name: "base",
    objectName: ({ spec }) => `${spec.name ?? "first"}-base`,
    desired: ({ spec }) => ({ data: { text: spec.text } }),
  });
  const top = page({ name: "top", objectName: "top", dependsOn: [base] });
  const lone = page({ name: "lone", objectName: "lone" });
  const keeping = handler(Site)
    .step(conditions())
    .step(dependentApplyAll("parts", [base, top, lone]))
    .build();

  async function rest(world: FakeWorld): Promise<void> {
    for (let i = 0; i < 6; i++) {
      await world.settled();
      await world.advance(60_000);
    }
    await world.settled();
  }

  /** A life; what there is after each of its events. */
  async function life(lost: number): Promise<{ readonly states: readonly unknown[]; readonly requests: number }> {
    const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "foreign" }, data: { a: "1" } };
    const world = fakeWorld(keeping, { objects: [foreign] });
    await world.settled();
    let requests = 0;
    world.onRequest(({ verb }) => {
      if (verb !== "watch" && ++requests === lost) throw fault();
    });
    const states: unknown[] = [];
    const look = async (): Promise<void> => {
      await rest(world);
      states.push({
        maps: (await world.list(ConfigMap, "default")).map(({ metadata, data }) => [metadata.name, data]),
        said:
          (await world.get(Site, "a")) === undefined ? "gone" : [...(await said(world)), (await world.get(Site, "a"))?.metadata.generation],
      });
    };
    await world.create(Site, site() as never);
    await look();
    await world.update(Site, "a", ({ spec }) => void Object.assign(spec, { name: "second", text: "new" }));
    await look();
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await look();
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
    await look();
    await world.delete(Site, "a");
    await look();
    return { states, requests };
  }

  test("the final state is the same as without it", { tags: ["part"] }, async ({ part }) => {
    const { states, requests } = await life(0);
    expect(states.at(-1)).toEqual({ maps: [["foreign", { a: "1" }]], said: "gone" });
    expect(requests).toBeGreaterThan(15);
    for (let lost = 1; lost <= requests; lost++)
      if (part.has(String(lost))) expect((await life(lost)).states, `request ${lost} of ${requests}`).toEqual(states);
  });
});
