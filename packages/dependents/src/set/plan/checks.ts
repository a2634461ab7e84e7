/**
 * The checks of a rendered set as a whole, before its first write. Each message has a remedy, and reads after the name of the
 * object. All problems are reported together.
 */
import { groupKindOf, gvkOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { isRecreatable } from "../../core/recreate.ts";
import { checkAfter } from "./check-after.ts";
import { type Member, memberKey } from "./member.ts";
import type { ApplyOrder } from "./order.ts";
import { API_SERVICE, CRD, type OwnKinds } from "./own-kinds.ts";
import type { RemovalPolicy } from "../policies/policies.ts";
import { type SetProblem, titleOf } from "./set-problem.ts";
import { switchesOf } from "./switches.ts";

/** Why the owner cannot be an object of its set. */
export const OWNER_PROBLEM = "the owner of the set cannot be one of its objects: give the object another name";

/** What the members are checked against. */
export interface CheckInputs {
  /** The object that the set belongs to. */
  readonly owner: KubernetesObject;
  /** The kinds that the set defines. */
  readonly own: OwnKinds;
  /** Whether the objects are in another cluster than the owner. @defaultValue false */
  readonly isRemote?: boolean;
  /** The order of the objects of one wave. @defaultValue "canonical" */
  readonly order?: ApplyOrder;
}

/**
 * Returns the problems of a rendered set, in the order of its objects; empty: it may be applied. A `purge` before `apply` is not a
 * problem: the object is deleted at the end of its wave. Pure; it never throws.
 *
 * @param members the objects, with references in `after` that `resolveAfter()` completed
 */
export function checkMembers(members: readonly Member[], { owner, own, isRemote = false, order }: CheckInputs): readonly SetProblem[] {
  const byKey = new Map<string, Member[]>();
  for (const member of members) {
    const same = byKey.get(member.key);
    if (same === undefined) byKey.set(member.key, [member]);
    else same.push(member);
  }
  const byId = new Map<string, Member>();
  for (const member of members) if (!byId.has(member.id)) byId.set(member.id, member);
  const ownerKind = gvkOf(owner);
  const ownerKey = memberKey(ownerKind, owner.metadata);
  const { namespace } = owner.metadata;
  // What has the same name in another cluster is another object.
  const holders = [own.of(ownerKind)?.definedBy, namespace === undefined ? undefined : `Namespace ${namespace}`];
  const holdsOwner = new Set(isRemote ? [] : holders);
  const problems = members.flatMap((member) => {
    const space = member.ref.namespace === undefined ? undefined : byKey.get(`Namespace ${member.ref.namespace}`)?.[0];
    const definedBy = member.isInstance ? own.of(member.kind)?.definedBy : undefined;
    const definer = definedBy === undefined ? undefined : byKey.get(definedBy)?.[0];
    const messages = [
      member.key === ownerKey ? OWNER_PROBLEM : undefined,
      holdsOwner.has(member.key) && SITUATIONS.some((situation) => isDeleted(member, situation))
        ? `the ${member.kind.kind} cannot be deleted before the owner, which it would delete: set onRemoval (delete-policy) to orphan`
        : undefined,
      duplicateProblem(member, byKey.get(member.key) ?? []),
      idProblem(member, byId.get(member.id)),
      ...policyProblems(member),
      versionProblem(member, own),
      ...(space === undefined ? [] : containerProblems(member, space)),
      ...(definer === undefined ? [] : containerProblems(member, definer)),
    ];
    return messages.filter((message) => message !== undefined).map((message) => ({ member, message }));
  });
  return [...problems, ...checkAfter(members, order)].sort((a, b) => indexOf(a) - indexOf(b));
}

function indexOf({ member }: SetProblem): number {
  return member?.index ?? -1;
}

function duplicateProblem(member: Member, same: readonly Member[]): string | undefined {
  const [first] = same;
  if (first === undefined || first === member) return undefined;
  const versions = new Set(same.map(({ desired }) => desired.apiVersion));
  const inVersions = versions.size === 1 ? "" : `, in the versions ${[...versions].join(" and ")}`;
  return `the set renders this object twice${inVersions}, as objects ${first.index} and ${member.index}: remove one, or change its name or namespace`;
}

/** An object that is rendered twice has one id, too: that is reported as such. */
function idProblem(member: Member, first: Member | undefined): string | undefined {
  if (first === undefined || first.key === member.key) return undefined;
  return `its id ${JSON.stringify(member.id)} is also that of ${titleOf(first)}: give each object of the set another id`;
}

function policyProblems({ kind, policies }: Member): readonly (string | undefined)[] {
  return [
    !isPurgeable(kind) && policies.purge !== undefined
      ? `purge (purge-order) is not allowed for the kind ${kind.kind}, because other objects are deleted with it: remove purge`
      : undefined,
    policies.update === "recreate" && !isRecreatable(kind)
      ? `update (update-policy) is recreate, which would delete what users have in the ${kind.kind}: set apply or replace for this object`
      : undefined,
  ];
}

/** Whether objects of a kind may be purged: other objects are deleted with those of some kinds. */
export function isPurgeable(kind: Pick<Kind, "group" | "kind">): boolean {
  return !NEVER_PURGED.includes(groupKindOf(kind));
}

const NEVER_PURGED: readonly string[] = ["Namespace", CRD, API_SERVICE];

/** An instance in a version that its CRD does not serve could never be applied. */
function versionProblem({ kind, isInstance }: Member, own: OwnKinds): string | undefined {
  const definition = isInstance ? own.of(kind) : undefined;
  // A CRD without served versions is malformed: the server reports it.
  if (definition?.type !== "crd" || definition.versions.length === 0 || definition.versions.includes(kind.version)) return undefined;
  return `the CustomResourceDefinition of the set serves ${definition.versions.join(" and ")}, not ${kind.version}: change the apiVersion`;
}

/** Problems of an object that another object of the set holds: its Namespace, or the CRD or APIService of its kind. */
function containerProblems(member: Member, container: Member): readonly (string | undefined)[] {
  const { policies } = member;
  const { apply, remove } = container.policies;
  const relation = groupKindOf(container.kind) === "Namespace" ? "holds this object" : "defines its kind";
  const title = `${titleOf(container)}, which ${relation}`;
  const lost = SITUATIONS.find((situation) => isDeleted(container, situation) && !isDeleted(member, situation));
  return [
    policies.apply < apply
      ? `apply (apply-order) is ${policies.apply}, before ${title}, in wave ${apply}: set apply of this object to ${apply} or more`
      : undefined,
    policies.remove > remove
      ? `remove (delete-order) is ${policies.remove}, after ${title}, with ${remove}: set remove of this object to ${remove} or less`
      : undefined,
    lost !== undefined && !switchesOf(member.config).isOwned
      ? `owned is false, but ${title}, is deleted ${lost.when}: set owned: false for the ${container.kind.kind} too, or remove it here`
      : undefined,
    lost === undefined || !switchesOf(member.config).isOwned
      ? undefined
      : `onRemoval (delete-policy) is ${policies.onRemoval}, but ${title}, is deleted ${lost.when}: set ${policies.onRemoval} for the ${container.kind.kind}, or delete for this object`,
  ];
}

interface Situation {
  readonly keptBy: RemovalPolicy;
  readonly when: string;
}

const SITUATIONS: readonly Situation[] = [
  { keptBy: "orphan-on-delete", when: "with the owner" },
  { keptBy: "orphan-on-apply", when: "when the set stops rendering both" },
];

function isDeleted({ config, policies: { onRemoval: policy } }: Member, { keptBy }: Situation): boolean {
  return switchesOf(config).isOwned && policy !== "orphan" && policy !== keptBy;
}
