/**
 * The order of the objects of a set.
 *
 * Applying: ascending waves (`apply`). A wave has up to four stages: regular objects, webhook configurations, APIServices, and
 * instances of kinds that the set defines. A stage begins when the stages before it are ready: a webhook that is configured before
 * its server would refuse the server's Pods. Inside a stage, ranks are written one after the other, without waiting for readiness.
 * With the order "given", a wave has one stage, and each object is a rank.
 *
 * Removing: group after group, each when the objects of the one before no longer exist.
 * 1. Instances of kinds that the set defines, by ascending `remove`, whatever the `remove` of other objects: their controllers,
 *    webhooks and CRDs are needed to delete them.
 * 2. All other objects by ascending `remove`, and for the same `remove` by rank: webhook configurations, CRDs and APIServices,
 *    everything else, Services with ConfigMaps and Secrets, Namespaces, classes.
 * 3. A Namespace has at least the highest `remove` of the objects in it: it is deleted after all of them.
 *
 * Objects of one rank or group are in rendered order. Everything here is pure.
 */
import { groupKindOf, type Kind, type Ref } from "@treadle/apimachinery";
import type { Member } from "./member.ts";
import { API_SERVICE, CRD } from "./own-kinds.ts";
import type { Policies } from "../policies/policies.ts";

/** The objects that are applied together: a stage of a wave. */
export interface Position<M extends Member = Member> {
  readonly wave: number;
  /** See {@link stageOf}. */
  readonly stage: number;
  /** The objects by ascending rank. No rank is empty. */
  readonly ranks: readonly (readonly M[])[];
}

/** An object that is to be removed. */
export interface Removable {
  readonly kind: Pick<Kind, "group" | "kind">;
  readonly ref: Ref;
  readonly remove: number;
  readonly isInstance: boolean;
  /** Decides between objects of one group. */
  readonly index: number;
}

/** Returns the stage of a wave in which an object is applied: 0 regular, 1 webhook configurations, 2 APIServices, 3 instances. */
export function stageOf({ kind, isInstance }: Pick<Member, "kind" | "isInstance">): number {
  if (isInstance) return 3;
  const id = groupKindOf(kind);
  return id === API_SERVICE ? 2 : WEBHOOKS.includes(id) ? 1 : 0;
}

/** Returns the rank of a kind inside a stage: 0 Namespaces, 1 CRDs, classes and roles, 2 configuration and bindings, 3 all others. */
export function applyRank(kind: Pick<Kind, "group" | "kind">): number {
  return APPLY_RANKS[groupKindOf(kind)] ?? 3;
}

/** The order in which objects of one wave are applied: by kind, or as they are rendered. */
export type ApplyOrder = "canonical" | "given";

/** Returns the objects by ascending wave and stage. */
export function positionsOf<M extends Member>(members: readonly M[], order: ApplyOrder = "canonical"): readonly Position<M>[] {
  const placed = grouped(members, (member) =>
    order === "given" ? [member.policies.apply, 0, member.index] : [member.policies.apply, stageOf(member), applyRank(member.kind)],
  );
  const positions: { readonly wave: number; readonly stage: number; readonly ranks: (readonly M[])[] }[] = [];
  for (const { at, objects } of placed) {
    const [wave = 0, stage = 0] = at;
    const last = positions.at(-1);
    if (last?.wave === wave && last.stage === stage) last.ranks.push(objects);
    else positions.push({ wave, stage, ranks: [objects] });
  }
  return positions;
}

/**
 * Returns the wave at whose end an object is purged: the first wave that is not before `purge`, and not before the object's
 * own one. After the last wave all are deleted that have a `purge`. `undefined`: it stays.
 *
 * @param waves the waves of the set, ascending
 */
export function purgeWaveOf({ apply, purge }: Pick<Policies, "apply" | "purge">, waves: readonly number[]): number | undefined {
  if (purge === undefined) return undefined;
  return waves.find((wave) => wave >= purge && wave >= apply) ?? waves.at(-1);
}

/** Returns the rank in which objects of a kind are removed, for the same `remove`. Instances come before all others. */
export function removalRankOf(kind: Pick<Kind, "group" | "kind">, isInstance: boolean): number {
  return isInstance ? 0 : (REMOVAL_RANKS[groupKindOf(kind)] ?? 3);
}

/** Returns the objects in the groups in which they are removed: see the rule above. */
export function removalOrder<T extends Removable>(objects: readonly T[]): readonly (readonly T[])[] {
  const lastInside = new Map<string, number>();
  for (const { ref, remove, isInstance } of objects)
    if (ref.namespace !== undefined && !isInstance)
      lastInside.set(ref.namespace, Math.max(remove, lastInside.get(ref.namespace) ?? Number.NEGATIVE_INFINITY));
  const removeOf = ({ kind, ref, remove }: T): number =>
    groupKindOf(kind) === "Namespace" ? Math.max(remove, lastInside.get(ref.name) ?? remove) : remove;
  const placed = grouped(objects, (each) => [each.isInstance ? 0 : 1, removeOf(each), removalRankOf(each.kind, each.isInstance)]);
  return placed.map((group) => group.objects);
}

const WEBHOOKS: readonly string[] = [
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
];
const CLASSES: readonly string[] = [
  "IngressClass.networking.k8s.io",
  "RuntimeClass.node.k8s.io",
  "PriorityClass.scheduling.k8s.io",
  "StorageClass.storage.k8s.io",
];
/** `Kind.group` of roles. */
export const ROLES: readonly string[] = ["ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io"];
/** `Kind.group` of bindings of roles. */
export const BINDINGS: readonly string[] = ["ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"];

const APPLY_RANKS: Readonly<Record<string, number>> = {
  Namespace: 0,
  ...ranked([CRD, ...CLASSES, ...ROLES], 1),
  ...ranked(["ConfigMap", "Secret", ...BINDINGS], 2),
};

const REMOVAL_RANKS: Readonly<Record<string, number>> = {
  ...ranked(WEBHOOKS, 1),
  ...ranked([CRD, API_SERVICE], 2),
  ...ranked(["Service", "ConfigMap", "Secret"], 4),
  Namespace: 5,
  ...ranked(CLASSES, 6),
};

function ranked(ids: readonly string[], rank: number): Readonly<Record<string, number>> {
  return Object.fromEntries(ids.map((id) => [id, rank]));
}

interface Group<T> {
  readonly at: readonly number[];
  readonly objects: T[];
}

/** Returns the objects in groups of equal places, by ascending place; inside a group by index. */
function grouped<T extends { readonly index: number }>(
  objects: readonly T[],
  place: (object: T) => readonly number[],
): readonly Group<T>[] {
  const groups = new Map<string, Group<T>>();
  for (const object of objects.toSorted((a, b) => a.index - b.index)) {
    const at = place(object);
    const group = groups.get(at.join());
    if (group === undefined) groups.set(at.join(), { at, objects: [object] });
    else group.objects.push(object);
  }
  return [...groups.values()].sort((a, b) => compare(a.at, b.at));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((part, at) => part !== b[at]);
  return i < 0 ? 0 : (a[i] ?? 0) - (b[i] ?? 0);
}
