/**
 * The target that a group gives to its dependents.
 *
 * @module-tag memory
 */
import { all, type AnyStep, conditions, handler, one, step } from "@treadle/reconcile";
import type { OneRead } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { type AnyDependentStep, dependentApply, dependentApplyAll, dependentSet } from "../../src/index.ts";
import type { Target } from "../../src/targets/types.ts";
import { applySceneOf } from "./apply-scene.ts";
import { fakeTarget } from "./fake-target.ts";
import { ConfigMap, credentials, namesIn, Secret, Tenant, tenant } from "./tenants.ts";

const objects = [credentials("east", "t1"), tenant("a")];
const made = (secret?: string): Target<Tenant> => fakeTarget<Tenant>(new Map(), { secretOf: ({ spec }) => secret ?? spec.secret });
const map = (name: string, options: object = {}) =>
  dependentApply(Tenant, { name, kind: ConfigMap, objectName: name, desired: { data: {} }, ...options });
const built = (...steps: readonly AnyStep[]) => {
  let builder = handler(Tenant).step(conditions());
  for (const each of steps) builder = builder.step(each as never) as never;
  return builder.build();
};

/** A group whose parts depend on each other, and a later step that uses one of them. All refer to steps that are made before the group. */
const chainOf = (target: Target<Tenant>, seen: string[] = []): readonly AnyStep[] => {
  const first = dependentApply(Tenant, {
    name: "first",
    kind: ConfigMap,
    objectName: "first",
    desired: { data: {} },
    gives: { uid: ({ metadata }) => metadata.uid },
  });
  const second = dependentApply(Tenant, {
    name: "second",
    kind: ConfigMap,
    objectName: "second",
    dependsOn: [first],
    desired: (_, { dependents }) => ({ data: { uid: dependents.first?.metadata.uid ?? "" } }),
  });
  const third = dependentApply(Tenant, {
    name: "third",
    kind: ConfigMap,
    objectName: "third",
    needs: [first],
    desired: (_, { vars }) => ({ data: { uid: vars.uid } }),
  });
  const later = step(Tenant, { name: "later", needs: [first], do: (req) => void seen.push(req.vars.uid) });
  return [all("everything", [dependentApplyAll("parts", [third, second, first], { target })]), later];
};

test("dependents of a group are in its target, in their order, and a later step gets a value of one", async () => {
  const seen: string[] = [];
  await using scene = await applySceneOf({ objects, type: "connection", steps: (target) => chainOf(target, seen) });
  const operator = await scene.start();
  await operator.settled();
  expect(await namesIn(scene.own)).toEqual([]);
  expect(await namesIn(scene.east)).toEqual(["first", "second", "third"]);
  const uid = (await scene.east.get(ConfigMap, "first"))?.metadata.uid;
  expect((await scene.east.get(ConfigMap, "second"))?.data).toEqual({ uid });
  expect((await scene.east.get(ConfigMap, "third"))?.data).toEqual({ uid });
  expect(new Set(seen)).toEqual(new Set([uid]));
  expect(operator.undeclared).toEqual([]);
  const { status } = (await scene.own.get(Tenant, "a")) ?? {};
  expect(Object.keys((status as { steps?: object } | undefined)?.steps ?? {}).toSorted()).toEqual(["first", "second", "third"]);
});

test("dependents of a group are removed from its target when their owner is deleted", async () => {
  await using scene = await applySceneOf({ objects, type: "connection", steps: (target) => chainOf(target) });
  const operator = await scene.start();
  await operator.settled();
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 120_000 });
  expect(await namesIn(scene.east)).toEqual([]);
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
  expect(scene.held.size).toBe(0);
});

test("a dependent of a group follows its owner, and a change in the target starts a pass that reverts it", async () => {
  const steps = (target: Target<Tenant>) => [
    dependentApplyAll("parts", [map("names", { desired: ({ spec }: Tenant) => ({ data: { names: spec.names.join(" ") } }) })], { target }),
  ];
  await using scene = await applySceneOf({ objects, type: "connection", steps });
  const operator = await scene.start();
  await operator.settled();
  await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
  await operator.settled();
  expect((await scene.east.get(ConfigMap, "names"))?.data).toEqual({ names: "three" });
  await scene.east.update(ConfigMap, "names", (live) => void (live.data = { names: "drift" }));
  await operator.settled();
  expect((await scene.east.get(ConfigMap, "names"))?.data).toEqual({ names: "three" });
});

test("a dependent with a target of its own keeps it in a group with another one", async () => {
  const steps = (target: Target<Tenant>) => {
    const west = (owner: object): Tenant => ({ ...(owner as Tenant), spec: { names: [], secret: "west" } });
    const { definition } = target;
    const own: Target<Tenant> = {
      definition: {
        ...definition,
        kubeconfig: one(Secret, () => "west") as OneRead,
        identify: (owner, secret, stored) => definition.identify(west(owner), secret, stored),
      },
    };
    return [dependentApplyAll("parts", [map("far", { target: own }), map("near")], { target })];
  };
  await using scene = await applySceneOf({ objects: [...objects, credentials("west", "t1", "west")], type: "connection", steps });
  const operator = await scene.start();
  await operator.settled();
  expect(await namesIn(scene.east)).toEqual(["near"]);
  expect(await namesIn(scene.west)).toEqual(["far"]);
});

test("a group refuses a value that is not a target", () => {
  expect(() => dependentApplyAll("parts", [map("a")], { target: {} as never })).toThrow(/dependentApplyAll\("parts"\): target must be/);
});

test("a group refuses a dependent whose options have no meaning with its target", () => {
  const owned = map("a", { ownership: "reference" });
  expect(() => dependentApplyAll("parts", [owned], { target: made() })).toThrow(/dependentApply "a".* cannot refer to its owner/);
});

test("a group with a target refuses a dependent that a built handler has without it", () => {
  const part = map("a");
  built(part);
  expect(() => dependentApplyAll("parts", [part], { target: made() })).toThrow(/"a" is used without a target already.*set target on "a"/);
});

test("a dependent that is in a group without a target is refused by one with a target", () => {
  const part = map("a");
  dependentApplyAll("here", [part]);
  expect(() => dependentApplyAll("there", [part], { target: made() })).toThrow(/"a" is used without a target already/);
});

test("a dependent that has the target of a group is refused by others without it", () => {
  const part = map("a");
  dependentApplyAll("there", [part], { target: made() });
  expect(() => dependentApplyAll("here", [part])).toThrow(/"a" has the target of another group/);
  expect(() => dependentApplyAll("west", [part], { target: made("west") })).toThrow(/"a" has the target of another group/);
});

test("two groups with the same target share a dependent", () => {
  const part = map("a");
  const target = made();
  const first = dependentApplyAll("first", [part], { target });
  const second = dependentApplyAll("second", [part], { target });
  expect(() => [built(first), built(all("outer", [second]))]).not.toThrow();
});

test("a handler refuses a dependent that has the target of a group, without the group", () => {
  const part = map("a");
  dependentApplyAll("parts", [part], { target: made() });
  expect(() => built(part)).toThrow(/step "a" has the target of dependentApplyAll\("parts"\), which is not in the list: add the group/);
});

test("a group with a target refuses a set", () => {
  const set = dependentSet(Tenant, { name: "set", condition: "SetReady", kinds: [ConfigMap], objects: () => [] });
  expect(() => dependentApplyAll("parts", [set] as readonly unknown[] as readonly AnyDependentStep[], { target: made() })).toThrow(
    /"set" cannot get the target of the group/,
  );
});
