/** The policies of an object at their three levels: the object, the custom resource, the operator. */
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer, shownAnswer } from "../../core/ask.ts";
import { DEFAULT_POLICIES, type MemberRef, type ObjectPolicies, type Policies, type SetPolicies } from "./policies.ts";
import { orList, type Reading, wordOf, type WordPolicies, wordsOf } from "./policy-words.ts";
import { keyOfMember } from "../plan/after.ts";

/**
 * Returns the policies of one object: its own outweigh those of the custom resource, and these outweigh those of the operator. The
 * keys in `after` have a namespace only if the author gave one: `resolveAfter()` adds it.
 */
export function policiesOf(object: ObjectPolicies, cr: SetPolicies, operator: SetPolicies): Policies {
  return {
    apply: object.apply ?? DEFAULT_POLICIES.apply,
    purge: object.purge,
    remove: object.remove ?? DEFAULT_POLICIES.remove,
    after: object.after === undefined ? DEFAULT_POLICIES.after : object.after.map((ref: MemberRef) => keyOfMember(ref)),
    adopt: object.adopt ?? cr.adopt ?? operator.adopt ?? DEFAULT_POLICIES.adopt,
    update: object.update ?? cr.update ?? operator.update ?? DEFAULT_POLICIES.update,
    reconcile: object.reconcile ?? cr.reconcile ?? operator.reconcile ?? DEFAULT_POLICIES.reconcile,
    onRemoval: object.onRemoval ?? cr.onRemoval ?? operator.onRemoval ?? DEFAULT_POLICIES.onRemoval,
    statusHint: object.statusHint,
    reclaim: cr.reclaim ?? operator.reclaim ?? DEFAULT_POLICIES.reclaim,
    reapplyMs: object.reapplyMs ?? cr.reapplyMs ?? operator.reapplyMs ?? DEFAULT_POLICIES.reapplyMs,
  };
}

/**
 * Returns the policies of an upper level, which may come from a custom resource. The words of the annotations are accepted as well:
 * `Orphan` or `if-unowned`. `undefined` sets no policy.
 *
 * @param where what the error begins with, such as `step "stack": policies`
 * @throws TypeError for a value that is not a policy, a promise included
 */
export function requirePolicies(where: string, given: unknown): SetPolicies {
  const refuse = (what: string): Error => misuse("ERR_INVALID_STEP", `${where}: ${what}`);
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null || Array.isArray(given) || isPromiseLike(given))
    throw refuse(`${nameOfAnswer(given)} is not an object of policies: return at once, such as { onRemoval: "orphan" }`);
  const policies: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (read === undefined)
      throw refuse(`${JSON.stringify(name)} is not a policy of a set: write ${orList(Object.keys(READERS))}, or set it for an object`);
    const result = read(value);
    if ("problem" in result) throw refuse(`${name} is ${shownAnswer(value)}: write ${result.problem}`);
    if (result.value !== undefined) policies[name] = result.value;
  }
  return policies;
}

const READERS: Readonly<Record<string, (value: unknown) => Reading>> = {
  adopt: word("adopt"),
  update: word("update"),
  reconcile: word("reconcile"),
  onRemoval: word("onRemoval"),
  missingNamespaces: word("missingNamespaces"),
  reclaim: (value) =>
    // The empty text would be a prefix of every field manager.
    Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "")
      ? { value: [...(value as readonly string[])] }
      : { problem: `a list of prefixes of field managers, such as ["kubectl"]` },
  reapplyMs: (value) =>
    typeof value === "number" && Number.isFinite(value) && value > 0 ? { value } : { problem: "a number of milliseconds above 0" },
};

function word(name: keyof WordPolicies): (value: unknown) => Reading {
  return (value) => (typeof value === "string" ? wordOf(name, value) : undefined) ?? { problem: wordsOf(name) };
}
