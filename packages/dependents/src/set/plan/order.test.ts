import { CustomResourceDefinition, type Kind, kind } from "@treadle/apimachinery";
import {
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Job,
  MutatingWebhookConfiguration,
  Namespace,
  PriorityClass,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StorageClass,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Gadget, listed, member } from "../../../test/set-members.ts";
import type { Member } from "./member.ts";
import { applyRank, type Position, positionsOf, purgeWaveOf, type Removable, removalOrder, removalRankOf, stageOf } from "./order.ts";

const instance = (key: string, policies = {}) => member(Gadget, key, policies, { isInstance: true });
const of = (group: string, name: string): Kind => kind({ group, version: "v1", kind: name, scope: "Cluster" });

describe("ranks", () => {
  test.for<[Kind, number, number, number]>([
    [Namespace, 0, 0, 5],
    [CustomResourceDefinition, 0, 1, 2],
    [of("networking.k8s.io", "IngressClass"), 0, 1, 6],
    [of("node.k8s.io", "RuntimeClass"), 0, 1, 6],
    [PriorityClass, 0, 1, 6],
    [StorageClass, 0, 1, 6],
    [ClusterRole, 0, 1, 3],
    [Role, 0, 1, 3],
    [ConfigMap, 0, 2, 4],
    [Secret, 0, 2, 4],
    [ClusterRoleBinding, 0, 2, 3],
    [RoleBinding, 0, 2, 3],
    [ServiceAccount, 0, 3, 3],
    [Service, 0, 3, 4],
    [Deployment, 0, 3, 3],
    [Gadget, 0, 3, 3],
    [of("serving.knative.dev", "Service"), 0, 3, 3],
    [of("example.dev", "Namespace"), 0, 3, 3],
    [ValidatingWebhookConfiguration, 1, 3, 1],
    [MutatingWebhookConfiguration, 1, 3, 1],
    [APIService, 2, 3, 2],
  ])("$0.kind has stage %i, rank %i and removal rank %i", ([each, stage, rank, removal]) => {
    expect([stageOf({ kind: each, isInstance: false }), applyRank(each), removalRankOf(each, false)]).toEqual([stage, rank, removal]);
  });

  test("an instance of a kind that the set defines comes last, and is removed first", () => {
    expect([stageOf({ kind: Gadget, isInstance: true }), removalRankOf(Gadget, true)]).toEqual([3, 0]);
  });
});

describe("positionsOf", () => {
  const shown = (positions: readonly Position[]) =>
    positions.map(({ wave, stage, ranks }) => [wave, stage, ...ranks.map((rank) => rank.map(({ ref }) => ref.name))]);

  test("waves, stages and ranks follow one another, and ties keep the rendered order", () => {
    const members = listed(
      instance("a/gadget"),
      member(Deployment, "a/web"),
      member(ValidatingWebhookConfiguration, "hook"),
      member(ConfigMap, "a/two"),
      member(APIService, "v1.example.dev"),
      member(ConfigMap, "a/one"),
      member(Namespace, "a", { apply: -1 }),
      member(Job, "a/late", { apply: 3 }),
      member(CustomResourceDefinition, "gadgets.example.dev"),
    );
    expect(shown(positionsOf(members))).toEqual([
      [-1, 0, ["a"]],
      [0, 0, ["gadgets.example.dev"], ["two", "one"], ["web"]],
      [0, 1, ["hook"]],
      [0, 2, ["v1.example.dev"]],
      [0, 3, ["gadget"]],
      [3, 0, ["late"]],
    ]);
  });

  test('with the order "given" a wave is one position in rendered order, and each object is a rank', () => {
    const all = listed(member(Deployment, "ns/web"), instance("one"), member(Namespace, "ns"), member(Secret, "ns/s", { apply: -1 }));
    const names = positionsOf(all, "given").map(({ wave, stage, ranks }) => [
      wave,
      stage,
      ranks.map((rank) => rank.map(({ ref }) => ref.name)),
    ]);
    expect(names).toEqual([
      [-1, 0, [["s"]]],
      [0, 0, [["web"], ["one"], ["ns"]]],
    ]);
  });

  test("a set without objects has no positions", () => {
    expect(positionsOf([])).toEqual([]);
  });
});

describe("purgeWaveOf", () => {
  test.for<{ readonly name: string; readonly apply: number; readonly purge: number | undefined; readonly want: number | undefined }>([
    { name: "an object without purge stays", apply: 0, purge: undefined, want: undefined },
    { name: "an object is deleted at the end of the wave", apply: 0, purge: 1, want: 1 },
    { name: "a wave without objects counts as the next one", apply: 0, purge: 2, want: 5 },
    { name: "purge before apply is the own wave", apply: 1, purge: -3, want: 1 },
    { name: "purge after the last wave is the last wave", apply: 0, purge: 9, want: 5 },
  ])("$name", ({ apply, purge, want }) => {
    expect(purgeWaveOf({ apply, purge }, [-1, 0, 1, 5])).toBe(want);
  });
});

const removable = (each: Member): Removable => ({ ...each, remove: each.policies.remove });

describe("removalOrder", () => {
  const names = (...members: readonly Member[]) =>
    removalOrder(listed(...members).map(removable)).map((group) => group.map(({ ref }) => ref.name));

  test("objects of one order are removed by rank", () => {
    expect(
      names(
        member(StorageClass, "class"),
        member(Namespace, "ns"),
        member(Service, "ns/service"),
        member(ConfigMap, "ns/config"),
        member(Deployment, "ns/web"),
        member(CustomResourceDefinition, "crd"),
        member(APIService, "api"),
        member(MutatingWebhookConfiguration, "hook"),
        instance("ns/gadget"),
      ),
    ).toEqual([["gadget"], ["hook"], ["crd", "api"], ["web"], ["service", "config"], ["ns"], ["class"]]);
  });

  test("instances are removed before all others, whatever their order", () => {
    expect(
      names(member(Deployment, "a/web", { remove: -5 }), instance("a/late", { remove: 7 }), instance("a/early", { remove: 6 })),
    ).toEqual([["early"], ["late"], ["web"]]);
  });

  test("a Namespace waits for all objects in it, whatever its order", () => {
    expect(
      names(
        member(Namespace, "a", { remove: -1 }),
        member(Namespace, "b", { remove: -1 }),
        member(Deployment, "a/web", { remove: 3 }),
        member(Service, "a/web", { remove: 3 }),
        member(ConfigMap, "c/other", { remove: 4 }),
      ),
    ).toEqual([["b"], ["web"], ["web"], ["a"], ["other"]]);
  });
});

const KINDS = [
  Namespace,
  CustomResourceDefinition,
  StorageClass,
  ClusterRole,
  ConfigMap,
  Secret,
  RoleBinding,
  Deployment,
  Service,
  Job,
  APIService,
  ValidatingWebhookConfiguration,
  Gadget,
];

/** Any members. Their indexes are not their positions in the list. */
const anyMembers = fc
  .array(
    fc.record({
      of: fc.constantFrom(...KINDS),
      space: fc.constantFrom("a", "b", "c"),
      apply: fc.integer({ min: -2, max: 2 }),
      remove: fc.integer({ min: -2, max: 2 }),
      isInstance: fc.boolean(),
    }),
    { maxLength: 25 },
  )
  .chain((given) => fc.shuffledSubarray([...given.entries()], { minLength: given.length, maxLength: given.length }))
  .map((entries) =>
    entries.map(([index, { of: each, space, apply, remove, isInstance }]) => {
      const name = each === Namespace ? space : each.scope === "Cluster" ? `n${index}` : `${space}/n${index}`;
      return member(each, name, { apply, remove }, { index, isInstance: isInstance && each === Gadget });
    }),
  );

const places = <T>(groups: readonly (readonly T[])[]): ReadonlyMap<T, number> =>
  new Map(groups.flatMap((group, i) => group.map((each) => [each, i] as const)));
const byIndex = (members: readonly { readonly index: number }[]) => members.every(({ index }, i) => index > (members[i - 1]?.index ?? -1));

describe("properties", () => {
  // Each object has one place. No object of an earlier wave, stage or rank comes after one of a later; ties are in rendered order.
  test("positions are a partition in ascending order", () => {
    fc.assert(
      fc.property(anyMembers, (members) => {
        const positions = positionsOf(members);
        const groups = positions.flatMap(({ ranks }) => ranks);
        expect(groups.flat().toSorted((a, b) => a.index - b.index)).toEqual(members.toSorted((a, b) => a.index - b.index));
        expect(groups.every((group) => group.length > 0 && byIndex(group))).toBe(true);
        const place = places(groups);
        const key = ({ policies, kind: each, isInstance }: Member) => [
          policies.apply,
          stageOf({ kind: each, isInstance }),
          applyRank(each),
        ];
        const at = (each: Member): number => place.get(each) ?? Number.NaN;
        for (const a of members) for (const b of members) expect(Math.sign(at(a) - at(b))).toBe(sign(key(a), key(b)));
        for (const { wave, stage, ranks } of positions)
          for (const each of ranks.flat()) expect([each.policies.apply, stageOf(each)]).toEqual([wave, stage]);
      }),
    );
  });

  // Each object is removed once. Instances are removed before all others, a Namespace after what is in it, and all others by
  // `remove`, then by rank.
  test("the removal is a partition in which users are removed before what they use", () => {
    fc.assert(
      fc.property(anyMembers, (members) => {
        const all = members.map(removable);
        const groups = removalOrder(all);
        expect(groups.flat().toSorted((a, b) => a.index - b.index)).toEqual(all.toSorted((a, b) => a.index - b.index));
        expect(groups.every((group) => group.length > 0 && byIndex(group))).toBe(true);
        const place = places(groups);
        const at = (each: Removable): number => place.get(each) ?? Number.NaN;
        for (const a of all)
          for (const b of all) {
            if (a.isInstance && !b.isInstance) expect(at(a)).toBeLessThan(at(b));
            if (b.kind === Namespace && a.ref.namespace === b.ref.name) expect(at(a)).toBeLessThan(at(b));
            if (a.isInstance !== b.isInstance || [a.kind, b.kind].includes(Namespace)) continue;
            const rank = (each: Removable) => [each.remove, removalRankOf(each.kind, each.isInstance)];
            expect(Math.sign(at(a) - at(b))).toBe(sign(rank(a), rank(b)));
          }
      }),
    );
  });
});

function sign(a: readonly number[], b: readonly number[]): number {
  return Math.sign(a.map((part, i) => part - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0);
}
