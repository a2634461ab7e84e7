import { CustomResourceDefinition, type KubernetesObject } from "@treadle/apimachinery";
import { APIService, ConfigMap, Deployment, Job, Namespace, PersistentVolumeClaim, Secret } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { Gadget, listed, member } from "../../../test/set-members.ts";
import { resolveAfter } from "./after.ts";
import { checkMembers } from "./checks.ts";
import type { Member } from "./member.ts";
import type { OwnKind, OwnKinds } from "./own-kinds.ts";
import type { Policies, RemovalPolicy } from "../policies/policies.ts";

const owner: KubernetesObject = { apiVersion: "example.dev/v1", kind: "Platform", metadata: { name: "me", namespace: "home" } };
const GADGETS: OwnKind = {
  type: "crd",
  definedBy: "CustomResourceDefinition.apiextensions.k8s.io gadgets.example.dev",
  group: "example.dev",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Namespaced",
  versions: ["v1"],
};
const ownKinds = (only: OwnKind): OwnKinds => ({
  all: [only],
  of: (kind) => (kind.kind === "Gadget" ? only : undefined),
  kindOf: (object) => (object.kind === "Gadget" ? Gadget : undefined),
});

const checked = (members: readonly Member[], own: OwnKind = GADGETS) =>
  checkMembers(resolveAfter(listed(...members), "a"), { owner, own: ownKinds(own) }).map(
    ({ member: each, message }) => `${each?.kind.kind} ${each?.ref.name}: ${message}`,
  );
const crd = (policies: Partial<Policies> = {}) => member(CustomResourceDefinition, "gadgets.example.dev", policies);
const instance = (policies: Partial<Policies> = {}, name = "a/g") => member(Gadget, name, policies, { isInstance: true });
const config = (policies: Partial<Policies> = {}, name = "a/c") => member(ConfigMap, name, policies);
const space = (policies: Partial<Policies> = {}) => member(Namespace, "a", policies);

interface Case {
  readonly name: string;
  readonly members: readonly Member[];
  readonly want: readonly string[];
}

describe("checkMembers", () => {
  const valid: readonly Omit<Case, "want">[] = [
    { name: "no object", members: [] },
    { name: "objects in a Namespace of the same wave", members: [config(), space()] },
    { name: "objects that are removed before their Namespace", members: [config({ remove: -1 }), space()] },
    { name: "an instance in the wave of its CRD", members: [instance(), crd()] },
    { name: "objects of one name in two namespaces", members: [config(), config({}, "b/c")] },
    { name: "objects of one name and two kinds", members: [config({}, "a/x"), member(Secret, "a/x")] },
    { name: "a purge before apply, which is the end of the own wave", members: [config({ apply: 2, purge: 1 })] },
    { name: "a set in which everything stays", members: [space({ onRemoval: "orphan" }), config({ onRemoval: "orphan" })] },
    { name: "an object that waits for an earlier one", members: [config({ apply: -1 }), member(Job, "a/j", { after: ["ConfigMap c"] })] },
    { name: "an object that waits for a later rank", members: [config({ after: ["Deployment.apps a/w"] }), member(Deployment, "a/w")] },
    { name: "an object that waits for its Namespace", members: [space(), config({ after: ["Namespace a"] })] },
    { name: "objects of one name and kind in two namespaces, without ids", members: [config({}, "a/c"), config({}, "b/c")] },
    { name: "a recreated Job", members: [member(Job, "a/j", { update: "recreate" })] },
  ];
  test.for(valid)("$name: no problem", ({ members }) => {
    expect(checked(members)).toEqual([]);
  });

  const cases: readonly Case[] = [
    {
      name: "an object that is rendered twice",
      members: [config(), member(Secret, "a/s"), config()],
      want: ["ConfigMap c: the set renders this object twice, as objects 0 and 2: remove one, or change its name or namespace"],
    },
    {
      name: "an object that is rendered in two versions",
      members: [member(Job, "a/j"), member({ ...Job, version: "v2" }, "a/j")],
      want: [
        "Job j: the set renders this object twice, in the versions batch/v1 and batch/v2, as objects 0 and 1: remove one, or change its name or namespace",
      ],
    },
    {
      name: "two objects with one id",
      members: [member(ConfigMap, "a/c", {}, { id: "x" }), member(Secret, "a/s", {}, { id: "x" })],
      want: ['Secret s: its id "x" is also that of ConfigMap a/c: give each object of the set another id'],
    },
    {
      name: "the owner",
      members: [member({ ...Gadget, version: "v2", kind: "Platform" }, "home/me")],
      want: ["Platform me: the owner of the set cannot be one of its objects: give the object another name"],
    },
    {
      name: "the Namespace of the owner",
      members: [member(Namespace, "home", { onRemoval: "orphan-on-delete" })],
      want: [
        "Namespace home: the Namespace cannot be deleted before the owner, which it would delete: set onRemoval (delete-policy) to orphan",
      ],
    },
    {
      name: "an instance before its CRD",
      members: [instance({ apply: -1 }), crd({ apply: 2 })],
      want: [
        "Gadget g: apply (apply-order) is -1, before CustomResourceDefinition gadgets.example.dev, which defines its kind, in wave 2: set apply of this object to 2 or more",
      ],
    },
    {
      name: "an instance that is removed after its CRD",
      members: [instance({ remove: 1 }), crd()],
      want: [
        "Gadget g: remove (delete-order) is 1, after CustomResourceDefinition gadgets.example.dev, which defines its kind, with 0: set remove of this object to 0 or less",
      ],
    },
    {
      name: "an orphaned instance of a CRD that is deleted",
      members: [instance({ onRemoval: "orphan" }), crd({ onRemoval: "orphan-on-apply" })],
      want: [
        "Gadget g: onRemoval (delete-policy) is orphan, but CustomResourceDefinition gadgets.example.dev, which defines its kind, is deleted with the owner: set orphan for the CustomResourceDefinition, or delete for this object",
      ],
    },
    {
      name: "an instance in a version that its CRD does not serve",
      members: [member({ ...Gadget, version: "v2" }, "a/g", {}, { isInstance: true }), crd()],
      want: ["Gadget g: the CustomResourceDefinition of the set serves v1, not v2: change the apiVersion"],
    },
    {
      name: "an object before its Namespace",
      members: [config(), space({ apply: 1 })],
      want: [
        "ConfigMap c: apply (apply-order) is 0, before Namespace a, which holds this object, in wave 1: set apply of this object to 1 or more",
      ],
    },
    {
      name: "an object that stays longer than its Namespace",
      members: [config({ remove: 2 }), space({ remove: 1 })],
      want: [
        "ConfigMap c: remove (delete-order) is 2, after Namespace a, which holds this object, with 1: set remove of this object to 1 or less",
      ],
    },
    {
      name: "a purged Namespace, CRD and APIService",
      members: [space({ purge: 1 }), crd({ purge: 1 }), member(APIService, "v1.x", { purge: 1 })],
      want: [
        "Namespace a: purge (purge-order) is not allowed for the kind Namespace, because other objects are deleted with it: remove purge",
        "CustomResourceDefinition gadgets.example.dev: purge (purge-order) is not allowed for the kind CustomResourceDefinition, because other objects are deleted with it: remove purge",
        "APIService v1.x: purge (purge-order) is not allowed for the kind APIService, because other objects are deleted with it: remove purge",
      ],
    },
    {
      name: "recreated objects that hold others",
      members: [space({ update: "recreate" }), member(PersistentVolumeClaim, "b/p", { update: "recreate" })],
      want: [
        "Namespace a: update (update-policy) is recreate, which would delete what users have in the Namespace: set apply or replace for this object",
        "PersistentVolumeClaim p: update (update-policy) is recreate, which would delete what users have in the PersistentVolumeClaim: set apply or replace for this object",
      ],
    },
    {
      name: "after an unknown object",
      members: [config({ after: ["Job.batch x"] })],
      want: ["ConfigMap c: after names Job.batch/x, which the set does not render: write Kind.group/name of an object of the set"],
    },
    {
      name: "after an object of another namespace",
      members: [config({ after: ["Job.batch x"] }), member(Job, "b/x")],
      want: ["ConfigMap c: after names Job.batch/x, which the set does not render: write Job.batch/b/x"],
    },
    {
      name: "after a name that two namespaces have",
      members: [config({ after: ["Job.batch x"] }, "b/c"), member(Job, "a/x"), member(Job, "b/x")],
      want: ["ConfigMap c: after names Job.batch/x, which is not one object: write Job.batch/a/x or Job.batch/b/x"],
    },
    {
      name: "after itself",
      members: [config({ after: ["ConfigMap c"] })],
      want: ["ConfigMap c: after names this object itself: remove it from after"],
    },
    {
      name: "after a later wave",
      members: [config({ after: ["Job.batch j"] }), member(Job, "a/j", { apply: 3 })],
      want: [
        "ConfigMap c: after names Job a/j of wave 3, which begins when wave 0 of this object is ready: set apply (apply-order) of this object to 3 or more",
      ],
    },
    {
      name: "after a later stage",
      members: [config({ after: ["APIService.apiregistration.k8s.io v1.x"] }), member(APIService, "v1.x")],
      want: [
        "ConfigMap c: after names APIService v1.x, which is applied when the other objects of wave 0 are ready: set apply (apply-order) of this object to 1 or more",
      ],
    },
    {
      name: "a circle, and an object that waits for it",
      members: [
        config({ after: ["ConfigMap three"] }, "a/user"),
        config({ after: ["ConfigMap two"] }, "a/one"),
        config({ after: ["ConfigMap three"] }, "a/two"),
        config({ after: ["ConfigMap one"] }, "a/three"),
      ],
      want: [
        "ConfigMap one: after makes a circle, in which each object waits for the next: remove one of ConfigMap a/one -> ConfigMap a/two -> ConfigMap a/three -> ConfigMap a/one",
      ],
    },
    {
      name: "two circles",
      members: [
        config({ after: ["ConfigMap b"] }, "a/a"),
        config({ after: ["ConfigMap a"] }, "a/b"),
        config({ after: ["ConfigMap d"] }, "a/c"),
        config({ after: ["ConfigMap c"] }, "a/d"),
      ],
      want: [
        "ConfigMap a: after makes a circle, in which each object waits for the next: remove one of ConfigMap a/a -> ConfigMap a/b -> ConfigMap a/a",
        "ConfigMap c: after makes a circle, in which each object waits for the next: remove one of ConfigMap a/c -> ConfigMap a/d -> ConfigMap a/c",
      ],
    },
    {
      name: "a Namespace that waits for an object in it",
      members: [space({ after: ["ConfigMap c"] }), config()],
      want: [
        "Namespace a: after makes a circle, in which each object waits for the next: remove one of Namespace a -> ConfigMap a/c -> Namespace a",
      ],
    },
  ];
  test.for(cases)("$name is reported with what to do", ({ members, want }) => {
    expect(checked(members)).toEqual(want);
  });

  test("all problems are reported together, in rendered order", () => {
    const found = checked([config({ apply: -1, remove: 4 }), space({ purge: 1 }), config()]);
    expect(found.map((text) => text.slice(0, 20))).toEqual([
      "ConfigMap c: apply (",
      "ConfigMap c: remove ",
      "Namespace a: purge (",
      "ConfigMap c: the set",
    ]);
  });

  test("a set may bring the Namespace and the CRD of its owner if they stay", () => {
    const gadget = { ...owner, kind: "Gadget" };
    const inputs = { owner: gadget, own: ownKinds(GADGETS) };
    const members = (policies: Partial<Policies>) => listed(member(Namespace, "home", policies), crd(policies));
    expect(checkMembers(members({ onRemoval: "orphan" }), inputs)).toEqual([]);
    expect(checkMembers(members({}), inputs)).toHaveLength(2);
  });

  test("no Namespace holds a cluster-scoped owner", () => {
    const inputs = { owner: { ...owner, metadata: { name: "me" } }, own: ownKinds(GADGETS) };
    expect(checkMembers([member(Namespace, "undefined"), member(Namespace, "me")], inputs)).toEqual([]);
  });

  test("a CRD without served versions is left to the server", () => {
    expect(checked([instance(), crd()], { ...GADGETS, versions: [] })).toEqual([]);
  });

  test("an instance of an APIService in any kind needs its APIService first", () => {
    const own: OwnKind = {
      type: "api-service",
      definedBy: "APIService.apiregistration.k8s.io v1.example.dev",
      group: "example.dev",
      version: "v1",
    };
    expect(checked([instance(), member(APIService, "v1.example.dev", { apply: 1 })], own)).toHaveLength(1);
  });

  const POLICIES: readonly RemovalPolicy[] = ["delete", "orphan", "orphan-on-apply", "orphan-on-delete"];
  const combinations = POLICIES.flatMap((inside) => POLICIES.map((holder) => ({ inside, holder })));
  // An object stays longer than its Namespace if it is kept in one of the two situations in which the Namespace is deleted.
  const refused = new Map<RemovalPolicy, readonly RemovalPolicy[]>([
    ["delete", []],
    ["orphan", ["delete", "orphan-on-apply", "orphan-on-delete"]],
    ["orphan-on-apply", ["delete", "orphan-on-delete"]],
    ["orphan-on-delete", ["delete", "orphan-on-apply"]],
  ]);
  test.for(combinations)("an object with $inside in a Namespace with $holder", ({ inside, holder }) => {
    const isRefused = refused.get(inside)?.includes(holder) === true;
    expect(checked([config({ onRemoval: inside }), space({ onRemoval: holder })])).toHaveLength(isRefused ? 1 : 0);
  });

  test("a chain of 5,000 objects in one Namespace is checked", () => {
    const chain = Array.from({ length: 5000 }, (_, i) => config(i === 0 ? {} : { after: [`ConfigMap c${i - 1}`] }, `a/c${i}`));
    expect(checked([space(), ...chain])).toEqual([]);
  });
});

describe("resolveAfter", () => {
  const resolved = (members: readonly Member[], namespace: string | undefined) =>
    resolveAfter(listed(...members), namespace).map(({ policies }) => policies.after);

  test("a reference without a namespace is in the default namespace, or in that of the object", () => {
    const members = [config({ after: ["Job.batch far", "Job.batch near"] }, "b/c"), member(Job, "a/far"), member(Job, "b/near")];
    expect(resolved(members, "a")[0]).toEqual(["Job.batch a/far", "Job.batch b/near"]);
  });

  test("a cluster-scoped object outweighs both", () => {
    expect(resolved([config({ after: ["Namespace a"] }), space()], "a")[0]).toEqual(["Namespace a"]);
  });

  test("a reference that fits no object or two stays as it is", () => {
    const members = [config({ after: ["Job.batch x", "Job.batch y"] }, "b/c"), member(Job, "a/x"), member(Job, "b/x")];
    expect(resolved(members, "a")[0]).toEqual(["Job.batch x", "Job.batch y"]);
  });

  test("two references to one object become one", () => {
    expect(resolved([config({ after: ["Job.batch x", "Job.batch a/x"] }), member(Job, "a/x")], undefined)[0]).toEqual(["Job.batch a/x"]);
  });

  test("members without after are returned as they are", () => {
    const members = listed(config());
    expect(resolveAfter(members, "a")).toBe(members);
  });
});
