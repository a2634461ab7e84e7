/**
 * The objects of a set that do not carry the marks of the owner: those that it does not own, and those of other writers. Their names are
 * stored with the owner. By these the owner gets a pass when one of them changes, and none of them is removed.
 */
import { groupKindOf, jsonEqual, type Kind, type KubernetesObject, keyOf, type Ref, refOf } from "@treadle/apimachinery";
import { several, type SeveralRead } from "@treadle/reconcile/unstable/engine";
import type { SetDefinition } from "../definition.ts";
import type { Plan } from "../plan/plan.ts";
import type { StoredOther, StoredSet } from "./state.ts";

type Others = NonNullable<StoredSet["others"]>;

/** What the names of these reads begin with. Authors cannot use it. */
const PREFIX = "set:others ";

/** Returns the reads through which the objects lead to passes: one for each watched kind. */
export function otherReads({
  name,
  kinds,
  target,
}: Pick<SetDefinition, "name" | "kinds" | "target">): Readonly<Record<string, SeveralRead>> {
  const watched = target === undefined ? [...(kinds?.values() ?? [])].filter(({ isWatched }) => isWatched) : [];
  return Object.fromEntries(
    watched.map(({ kind }) => {
      const id = groupKindOf(kind);
      // Only the names count: the set itself looks at the objects.
      const refs = (owner: KubernetesObject): readonly Ref[] => Object.keys(storedOthers(owner, name)[id] ?? {}).map(refOf);
      return [PREFIX + id, several(kind, refs, { metadata: true, ifNotServed: "skip" })];
    }),
  );
}

/** Returns the reads of a set as authors and digests see them. */
export function withoutOtherReads(reads: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(reads);
  if (!names.some((name) => name.startsWith(PREFIX))) return reads;
  return Object.freeze(Object.fromEntries(names.filter((name) => !name.startsWith(PREFIX)).map((name) => [name, reads[name]])));
}

/** A user may have edited the status. */
function storedOthers(owner: KubernetesObject, step: string): Others {
  const { steps } = ((owner as { readonly status?: unknown }).status ?? {}) as { readonly steps?: Readonly<Record<string, unknown>> };
  return (steps?.[step] as Partial<StoredSet> | undefined)?.others ?? {};
}

/** Whether the set does not own an object. */
export function isOther({ others }: StoredSet, kind: Kind, ref: Ref): boolean {
  return others?.[groupKindOf(kind)]?.[keyOf(ref)] !== undefined;
}

/** Adds the objects of the plan before the first of them is written. Returns whether the state has changed. */
export function addOthers(state: StoredSet, plan: Plan): boolean {
  const others = othersOf(plan);
  const before = state.others ?? {};
  let isNew = false;
  for (const [kind, refs] of Object.entries(others))
    for (const [key, other] of Object.entries(refs)) {
      if (jsonEqual(before[kind]?.[key], other)) continue;
      isNew = true;
      state.others = { ...state.others, [kind]: { ...state.others?.[kind], [key]: other } };
    }
  return isNew;
}

/** Forgets the objects that the plan does not have, and those that the owner owns now. */
export function forgetOthers(state: StoredSet, plan: Plan): void {
  if (state.others === undefined) return;
  const others = othersOf(plan);
  if (Object.keys(others).length === 0) delete state.others;
  else if (JSON.stringify(others) !== JSON.stringify(state.others)) state.others = others;
}

/** Returns the objects of the plan that the owner does not own. */
export function othersOf({ members }: Plan): Others {
  const others: Record<string, Record<string, StoredOther>> = {};
  for (const { kind, ref, id, policy } of members)
    if (!policy.isOwned) (others[groupKindOf(kind)] ??= {})[keyOf(ref)] = { id, ...(policy.isCreated ? {} : { isForeign: true }) };
  return others;
}
