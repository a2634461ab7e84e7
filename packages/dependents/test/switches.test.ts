/** `when`, `orphanWhen`, `includeWhen` and `absent`: whether a step keeps its object, in the passes and when the owner is deleted. */
import "@treadle/testing/matchers";
import { defineResource, type KubernetesObject, ownership } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { runtimeOf } from "@treadle/reconcile/unstable/engine";
import { dependentApply, dependentApplyAll } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { z } from "zod";
import { configMap, entries, HANDLER, type Options, page, said, settled, Site, site, writes } from "./sites.ts";

const wanted: Options["when"] = ({ spec }) => spec.wanted;
const plain: Partial<Options> = { desired: ({ spec }: Site) => ({ data: { text: spec.text } }), conditions: ["PageReady"] };
const unwant = async (world: FakeWorld): Promise<void> => {
  await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
  await world.settled();
};
const pageOf = async (world: FakeWorld): Promise<KubernetesObject | undefined> => await world.get(ConfigMap, "a-page");
const messageOf = async (world: FakeWorld): Promise<string | undefined> => (await entries(world))[0]?.message;

describe("when", () => {
  test("does not hold: what exists of ours is deleted, and created again when it holds", async () => {
    const world = await settled({ ...plain, when: wanted });
    expect(await said(world)).toEqual(["page Ready"]);
    await unwant(world);
    expect(await pageOf(world)).toBeUndefined();
    expect(await said(world)).toEqual([]);
    const object = await world.get(Site, "a");
    expect(object).toHaveCondition("PageReady", { status: "True", reason: "NotWanted", message: "it is not wanted" });
    expect(object).toHaveCondition("Ready", { status: "True" });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test.for<{ name: string; when: NonNullable<Options["when"]>; isKept: boolean }>([
    { name: "all of a list hold", when: [() => true, () => true], isKept: true },
    { name: "one of a list does not hold", when: [() => true, () => false], isKept: false },
    { name: "one of a list is not known", when: [() => undefined, () => true], isKept: false },
    { name: "an empty list", when: [], isKept: true },
    { name: "it is not known", when: () => undefined, isKept: false },
  ])("$name: kept is $isKept", async ({ when, isKept }) => {
    const world = await settled({ ...plain, when });
    expect((await pageOf(world)) !== undefined).toBe(isKept);
  });

  test("gets the reads of the step", async () => {
    const part = dependentApply(Site, {
      name: "page",
      kind: ConfigMap,
      objectName: "a-page",
      reads: { gate: one(ConfigMap, () => "gate") },
      when: (_site, { reads }) => reads.gate !== undefined,
      desired: {},
    });
    const world = fakeWorld(handler(Site).step(conditions()).step(part).build(), { objects: [site(), configMap("gate")] });
    await world.settled();
    expect(await pageOf(world)).toBeDefined();
    await world.delete(ConfigMap, "gate");
    await world.settled();
    expect(await pageOf(world)).toBeUndefined();
  });

  test("with created: false nothing is deleted, and no step waits", async () => {
    const world = await settled({ created: false, when: wanted, conditions: ["PageReady"] }, configMap("a-page"));
    await unwant(world);
    expect(await pageOf(world)).toBeDefined();
    expect(await said(world)).toEqual([]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
  });

  test("is not asked again while nothing changes", async () => {
    let calls = 0;
    const world = await settled({ ...plain, when: () => (calls++, true) });
    await world.pass("a");
    const before = calls;
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(calls).toBe(before);
  });

  test.for<{ name: string; answer: unknown; isList?: boolean; says: string }>([
    { name: "a promise", answer: async () => true, says: "when returned a promise" },
    { name: "a promise that rejects", answer: () => Promise.reject(new Error("boom")), says: "when returned a promise" },
    { name: "a text", answer: () => "yes", says: "when returned a string, but must return true, false or undefined" },
    { name: "null", answer: () => null, says: "when returned null" },
    { name: "a number in a list", answer: () => 1, isList: true, says: "when returned a number" },
    {
      name: "an error",
      answer: () => {
        throw new Error("boom");
      },
      says: "boom",
    },
  ])("that answers with $name is Failed with the reason, and nothing is deleted", async ({ answer, isList = false, says }) => {
    let given: readonly unknown[] = [() => true];
    // As a list answers: the first that is not true.
    const when: Options["when"] = (...args) => {
      const answers = given.map((each) => (each as (...args: unknown[]) => boolean)(...args));
      const other = answers.findIndex((answer) => answer !== true);
      return other < 0 ? true : (answers[other] as boolean);
    };
    const world = await settled({ ...plain, when: isList ? [() => true, when] : when });
    given = [answer];
    await unwant(world);
    expect(await entries(world)).toMatchObject([{ type: "Failed", message: expect.stringContaining(says) }]);
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", { status: "False" });
    expect(await pageOf(world)).toBeDefined();
  });
});

describe("orphanWhen", () => {
  const orphaned: Partial<Options> = { ...plain, orphanWhen: ({ spec }) => !spec.wanted };

  test("holds: the object stays as it is, without our marks, and is not deleted with its owner", async () => {
    const world = await settled(orphaned);
    await unwant(world);
    const live = (await pageOf(world)) as KubernetesObject & { readonly data: unknown };
    expect(live.data).toEqual({ text: "hello" });
    expect(live.metadata.ownerReferences ?? []).toEqual([]);
    expect(Object.keys(live.metadata.labels ?? {}).filter((key) => key.startsWith(HANDLER))).toEqual([]);
    expect(ownership(live, (await world.get(Site, "a")) as KubernetesObject, [HANDLER]).type).not.toBe("ours");
    expect(await said(world)).toEqual([]);
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", { status: "True", reason: "Released", message: "it is released" });
    await world.delete(Site, "a");
    await world.settled();
    expect(await pageOf(world)).toBeDefined();
  });

  test("costs no request once the object is released", async () => {
    const world = await settled(orphaned);
    await unwant(world);
    await world.pass("a");
    world.requests.clear();
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(writes(world)).toEqual([]);
  });

  test("creates nothing", async () => {
    const world = await settled({ ...orphaned, orphanWhen: () => true });
    expect(await pageOf(world)).toBeUndefined();
  });

  test("no longer holds: the released object is not ours, unless adopt takes it", async () => {
    for (const adopt of ["never", "ifUnowned"] as const) {
      const world = await settled({ ...orphaned, adopt });
      await unwant(world);
      await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
      await world.settled();
      expect(await said(world)).toEqual([adopt === "never" ? "page Failed/NotOurs" : "page Ready"]);
    }
  });

  test("is asked when the owner is deleted: the object is released then", async () => {
    const world = await settled({ ...plain, orphanWhen: ({ metadata }) => metadata.deletionTimestamp !== undefined });
    expect(await said(world)).toEqual(["page Ready"]);
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect((await pageOf(world))?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("that throws while the owner is deleted keeps the object and the owner, and Ready has the reason", async () => {
    const world = await settled({
      ...plain,
      orphanWhen: ({ metadata }) => {
        if (metadata.deletionTimestamp !== undefined) throw new Error("boom");
        return false;
      },
    });
    await world.delete(Site, "a");
    await world.pass("a");
    expect(await pageOf(world)).toBeDefined();
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "Deleting", message: /boom/ });
  });

  test("decides before when: the object is released, not deleted", async () => {
    const world = await settled({ ...orphaned, when: wanted });
    await unwant(world);
    expect(await pageOf(world)).toBeDefined();
  });
});

describe("a part of dependentApplyAll whose dependency is not ready", () => {
  const base = page({
    name: "base",
    objectName: "base",
    desired: {},
    readyWhen: (_, { spec }) => spec.where === undefined || "base is broken",
  });
  async function broken(options: Partial<Options>): Promise<FakeWorld> {
    const part = page({ ...plain, ...options, dependsOn: [base] });
    const built = handler(Site)
      .step(conditions())
      .step(dependentApplyAll("parts", [base, part]))
      .build();
    const world = fakeWorld(built, { objects: [site()] });
    await world.settled();
    expect(await said(world)).toEqual(["base Ready", "page Ready"]);
    await world.update(Site, "a", ({ spec }) => void ((spec.where = "broken"), (spec.wanted = false)));
    await world.settled();
    return world;
  }

  test("is deleted when its when does not hold", async () => {
    const world = await broken({ desired: {}, when: wanted });
    expect(await said(world)).toEqual(["base Pending/NotReady"]);
    expect(await pageOf(world)).toBeUndefined();
  });

  test("is released when its orphanWhen holds", async () => {
    const world = await broken({ desired: {}, orphanWhen: ({ spec }) => !spec.wanted });
    expect(await said(world)).toEqual(["base Pending/NotReady"]);
    expect((await pageOf(world))?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("loses its entry when it is not included, and its object stays", async () => {
    const world = await broken({ desired: {}, includeWhen: ({ spec }) => spec.wanted });
    expect(await said(world)).toEqual(["base Pending/NotReady"]);
    expect((await pageOf(world))?.metadata.ownerReferences).toHaveLength(1);
  });

  test("is not deleted while its until does not hold", async () => {
    const desired: Options["desired"] = ({ spec }) => (spec.wanted ? {} : undefined);
    const world = await broken({ desired, until: ({ spec }) => spec.wanted || "not now" });
    expect(await pageOf(world)).toBeDefined();
    expect(await said(world)).toEqual(["base Pending/NotReady", "page Pending/WaitingForDependency"]);
  });
});

describe("includeWhen", () => {
  const Monitor = defineResource({ group: "monitoring.dev", version: "v1", kind: "Monitor", scope: "Namespaced", spec: z.object({}) });
  const included: Partial<Options> = { ...plain, includeWhen: ({ spec }) => spec.wanted };

  test("false: nothing is rendered or deleted, and its entry is removed", async () => {
    let calls = 0;
    const world = await settled({ ...included, desired: () => (calls++, {}) });
    await unwant(world);
    const before = calls;
    await world.update(Site, "a", ({ spec }) => void (spec.text = "new"));
    await world.settled();
    expect(calls).toBe(before);
    expect(await pageOf(world)).toBeDefined();
    expect(await said(world)).toEqual([]);
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", {
      status: "True",
      reason: "NotIncluded",
      message: "it is not included",
    });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
  });

  test("false: nothing is read, also where each pass asks the server", async () => {
    const world = await settled({ ...included, watched: false });
    await unwant(world);
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.filter({ resource: "configmaps" })).toHaveLength(0);
  });

  test("false: a kind that is not served holds up no step, and the step after it runs", async () => {
    const ran: string[] = [];
    const monitor = dependentApply(Site, {
      name: "monitor",
      kind: Monitor,
      objectName: "a",
      includeWhen: ({ spec }) => spec.wanted,
      desired: {},
    });
    const needing = page({ ...plain, dependsOn: [monitor] as never });
    const built = handler(Site)
      .step(conditions())
      .step(dependentApplyAll("parts", [monitor, needing]))
      .step(step(Site, { name: "later", do: () => void ran.push("later") }))
      .build();
    const world = fakeWorld(built, { objects: [site("a", { wanted: false })], missing: [Monitor] });
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
    expect(ran).not.toEqual([]);
  });

  test("gets whether the server serves a kind", async () => {
    const answers: boolean[] = [];
    const monitor = dependentApply(Site, {
      name: "monitor",
      kind: Monitor,
      objectName: "a",
      includeWhen: (_site, { isServed }) => {
        answers.push(isServed(ConfigMap), isServed(Monitor));
        return isServed(Monitor);
      },
      desired: {},
    });
    const world = fakeWorld(handler(Site).step(conditions()).step(monitor).step(page(plain)).build(), {
      objects: [site()],
      missing: [Monitor],
    });
    await world.settled();
    expect(answers.slice(0, 2)).toEqual([true, false]);
    expect(await said(world)).toEqual(["page Ready"]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
    await world.install(Monitor);
    await world.settled();
    expect(await said(world)).toEqual(["monitor Ready", "page Ready"]);
  });

  test("what exists is deleted with the owner, whatever includeWhen returns", async () => {
    const world = await settled({ ...included, ownership: "label" });
    await unwant(world);
    await world.delete(Site, "a");
    await world.settled();
    expect(await pageOf(world)).toBeUndefined();
    expect(await world.get(Site, "a")).toBeUndefined();
  });

  test.for<{ name: string; answer: unknown; says: string }>([
    { name: "undefined", answer: undefined, says: 'step "page": includeWhen returned nothing, but must return true or false' },
    { name: "a promise", answer: Promise.resolve(true), says: "includeWhen returned a promise" },
  ])("that answers with $name is Failed with the reason", async ({ answer, says }) => {
    const world = await settled({ ...plain, includeWhen: () => answer as never });
    expect(await messageOf(world)).toContain(says);
    expect(await pageOf(world)).toBeUndefined();
  });

  test("that throws holds up no step with checkedForReadiness: false", async () => {
    const world = await settled({
      desired: {},
      checkedForReadiness: false,
      includeWhen: () => {
        throw new Error("boom");
      },
    });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
    expect(world.logs.some(({ text }) => text.includes("boom"))).toBe(true);
  });
});

describe("absent", () => {
  const foreign: Partial<Options> = { created: false, desired: undefined as never, conditions: ["PageReady"] };

  test('"wait" is the default: the entry is Pending', async () => {
    const world = await settled(foreign);
    expect(await said(world)).toEqual(["page Pending/NotFound"]);
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", { status: "False", reason: "NotFound" });
  });

  test('"ignore" continues without an entry, and the object counts when it is created', async () => {
    const world = await settled({ ...foreign, absent: "ignore" } as never);
    expect(await said(world)).toEqual([]);
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", { status: "True", reason: "Absent", message: "it does not exist" });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
    await world.create(ConfigMap, configMap("a-page") as never);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect(await said(world)).toEqual([]);
  });

  test('"fail" makes Ready False until the object is created', async () => {
    const world = await settled({ ...foreign, absent: "fail" } as never);
    expect(await entries(world)).toMatchObject([
      { type: "Failed", reason: "NotFound", message: "ConfigMap a-page does not exist: another writer must create it" },
    ]);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "NotFound" });
    expect(await world.get(Site, "a")).toHaveCondition("PageReady", { status: "False", reason: "NotFound" });
    await world.create(ConfigMap, configMap("a-page") as never);
    await world.settled();
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
  });
});

describe("build() refuses", () => {
  test.for<{ name: string; options: object; says: string }>([
    {
      name: "absent for an object that the step creates",
      options: { absent: "ignore" },
      says: 'step "page" sets absent, but creates its object: set created: false, or leave out absent',
    },
    {
      name: 'absent: "fail" without an entry',
      options: { created: false, absent: "fail", checkedForReadiness: false },
      says: 'step "page" has absent: "fail", but no entry that reports it: leave out checkedForReadiness: false, or set absent to "ignore"',
    },
    {
      name: "orphanWhen for an object that the owner does not own",
      options: { owned: false, orphanWhen: () => true },
      says: 'step "page" has orphanWhen, but no marks to remove: leave out owned: false and created: false, or leave out orphanWhen',
    },
    {
      name: "conditions without an entry",
      options: { conditions: ["PageReady"], checkedForReadiness: false },
      says: 'step "page" has conditions, but no entry from which they follow: leave out checkedForReadiness: false, or the conditions',
    },
  ])("$name", ({ options, says }) => {
    expect(() => handler(Site).step(conditions()).step(page(options)).build()).toThrow(says);
  });

  test("a dependent that depends on itself", () => {
    const dependsOn: never[] = [];
    const part = page({ dependsOn });
    dependsOn.push(part as never);
    const says = 'step "page" depends on itself: remove it from its dependsOn';
    expect(() => handler(Site).step(part).build()).toThrow(says);
  });
});

test.for<{ options: object; says: string }>([
  { options: { when: true }, says: 'dependentApply "page": when must be a function, or a list of functions' },
  { options: { when: [() => true, "x"] }, says: 'dependentApply "page": when must be a function, or a list of functions' },
  { options: { orphanWhen: null }, says: 'dependentApply "page": orphanWhen must be a function, or a list of functions' },
  { options: { includeWhen: false }, says: 'dependentApply "page": includeWhen must be a function' },
  { options: { until: "later" }, says: 'dependentApply "page": until must be a function' },
  { options: { absent: "maybe" }, says: 'dependentApply "page": absent must be "wait", "ignore" or "fail", not "maybe"' },
])("an option of a wrong type is refused: $says", ({ options, says }) => {
  expect(() => page(options)).toThrow(says);
});

test("an operator that releases objects may patch them", () => {
  const update: Options["update"] = () => undefined;
  const verbs = (options: Partial<Options>) => runtimeOf(page({ update, ...options }))?.permissions.flatMap((each) => each.verbs);
  expect(verbs({})).not.toContain("patch");
  expect(verbs({ orphanWhen: () => false })).toContain("patch");
});

test("a part that is only asked whether its object is desired reports no phase", async () => {
  const first = page({ readyWhen: () => "not yet" });
  const second = dependentApply(Site, {
    name: "second",
    kind: ConfigMap,
    objectName: "second",
    dependsOn: [first],
    when: () => true,
    desired: { data: {} },
  });
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(dependentApplyAll("both", [first, second]))
      .build(),
    { objects: [site()] },
  );
  await world.pass("a");
  const ran = world.passes.at(-1)?.phases.map((phase) => phase.step);
  expect(ran).toContain("page");
  expect(ran).not.toContain("second");
});

test("a when that depends on the object that it gates is slowed down, and reported", async () => {
  const self = page({
    reads: { self: one(ConfigMap, () => "a-page") },
    when: (_: unknown, { reads }: never) => (reads as { self?: unknown }).self === undefined,
  } as never);
  const world = fakeWorld(handler(Site).step(conditions()).step(self).build(), { objects: [site()] });
  for (let i = 0; i < 200; i++) await world.pass("a");
  expect(world.requests.filter({ verb: "apply", resource: "configmaps" }).length).toBeLessThan(30);
  expect((await entries(world))[0]).toMatchObject({ reason: "Contested" });
});
