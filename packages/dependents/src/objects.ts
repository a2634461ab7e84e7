/** The names of the objects that a step keeps for one owner: one object, or with `each` one for each item. */
import { groupOf, keyOf, type KubernetesObject, MAX_LABEL_LENGTH, type Ref, shortenName } from "@treadle/apimachinery";
import { inNamespaceOf, isSegment, misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "./core/ask.ts";
import type { Policy } from "./core/plan.ts";
import type { AnyOptions, EachItem } from "./types.ts";

/** An object that the step keeps. */
export interface Named {
  /** The item of `each`; `undefined` without `each`. */
  readonly item: EachItem | undefined;
  /** Name and namespace of the object. */
  readonly target: Ref;
}

/** The live objects of a step, for those that depend on it: the object, or with `each` the objects by key. */
export type LiveObjects = KubernetesObject | Readonly<Record<string, KubernetesObject>> | undefined;

/** Live objects of which the cache holds metadata only: a function that compares their content would take a value for missing. */
export const METADATA_ONLY: unique symbol = Symbol("metadata only");

/** The step whose objects are named. */
interface Step {
  readonly name: string;
  readonly options: AnyOptions;
  readonly policy: Policy;
}

/** The objects that the step keeps for one version of an owner. */
export interface NamedObjects {
  /** The objects, in the order of the items. */
  readonly list: readonly Named[];
  /** Whether one of the objects has this name. */
  has(ref: Ref): boolean;
}

/**
 * Makes the function that returns the objects of a step for an owner. It calls the author's functions once for each version of
 * the owner, because a pass asks several times. The function throws a TypeError when the author's functions return no list of
 * items with keys, or no valid names.
 */
export function namesOf(step: Step): (owner: KubernetesObject) => NamedObjects {
  if (step.options.each === undefined) return (owner) => onlyOne(targetOf(step, owner, undefined));
  const known = new WeakMap<KubernetesObject, NamedObjects>();
  return (owner) => {
    let names = known.get(owner);
    if (names === undefined) known.set(owner, (names = computed(step, owner)));
    return names;
  };
}

function onlyOne(target: Ref): NamedObjects {
  return { list: [{ item: undefined, target }], has: (ref) => keyOf(ref) === keyOf(target) };
}

function computed(step: Step, owner: KubernetesObject): NamedObjects {
  const { name, options, policy } = step;
  const byName = new Map<string, Named>();
  const { each } = options;
  for (const item of itemsOf(name, each === undefined ? undefined : called(`step "${name}": each`, () => each(owner)))) {
    const target = targetOf(step, owner, item);
    const other = byName.get(keyOf(target));
    if (other !== undefined)
      throw misuse(
        "ERR_INVALID_STEP",
        `step "${name}": the items ${quoted(other.item?.key)} and ${quoted(item.key)} both name ${policy.kind.kind} ${keyOf(target)}: let objectName return a name for each`,
      );
    byName.set(keyOf(target), { item, target });
  }
  return { list: [...byName.values()], has: (ref) => byName.has(keyOf(ref)) };
}

/** @throws TypeError for what is not a list of items with different keys */
function itemsOf(step: string, given: unknown): readonly EachItem[] {
  const refuse = (what: string): Error => misuse("ERR_INVALID_STEP", `step "${step}": each ${what}`);
  if (isPromiseLike(given)) throw refuse(`returned ${nameOfAnswer(given)}: it must return a list of items at once, from the owner alone`);
  if (!Array.isArray(given)) throw refuse(`returned ${textOf(given)}, which is not a list of items such as { key: "a" }`);
  const keys = new Set<string>();
  // entries() also returns the holes of a list.
  for (const [i, item] of (given as readonly unknown[]).entries()) {
    const key: unknown = (item as { readonly key?: unknown } | null | undefined)?.key;
    if (typeof item !== "object" || typeof key !== "string" || key === "")
      throw refuse(`returned item ${i} with the key ${textOf(key)}: give each item a key, a text that is not empty`);
    if (key.length > MAX_KEY_LENGTH)
      throw refuse(`returned item ${i} with a key of ${key.length} characters: the longest may have ${MAX_KEY_LENGTH}`);
    if (keys.has(key)) throw refuse(`returned two items with the key ${quoted(key)}: give each item a different key`);
    keys.add(key);
  }
  return given as readonly EachItem[]; // Checked above.
}

/** Keys are in messages and in names of objects. */
const MAX_KEY_LENGTH = 253;

/** Returns the name and namespace of an object. @throws TypeError when the author's functions return no valid name, or no namespace where one is needed */
function targetOf({ options, policy: { kind }, name: step }: Step, owner: KubernetesObject, item: EachItem | undefined): Ref {
  const { objectName, namespace: given } = options;
  const name: unknown =
    typeof objectName === "function"
      ? called(`step "${step}": objectName`, () => objectName(owner, item))
      : (objectName ?? defaultName(kind.kind, owner, item));
  const namespace: unknown = typeof given === "function" ? called(`step "${step}": namespace`, () => given(owner, item)) : given;
  const by = item === undefined ? "" : ` for the item ${quoted(item.key)}`;
  if (typeof name !== "string" || name === "")
    throw misuse("ERR_INVALID_STEP", `step "${step}": objectName returned ${textOf(name)}${by}, which is not a name`);
  if (item !== undefined && !isSegment(name))
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": the item ${quoted(item.key)} names its ${kind.kind} ${quoted(name)}, which is not a name: let objectName return a valid one`,
    );
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === ""))
    throw misuse("ERR_INVALID_STEP", `step "${step}": namespace returned ${textOf(namespace)}${by}, which is not a namespace`);
  const ref = inNamespaceOf(owner, kind, namespace === undefined ? { name } : { name, namespace });
  const isOwnersKind = kind.kind === owner.kind && kind.group === groupOf(owner.apiVersion);
  if (isOwnersKind && keyOf(ref) === keyOf(owner.metadata))
    throw misuse("ERR_INVALID_STEP", `step "${step}": ${kind.kind} ${keyOf(ref)} is the owner itself: set objectName to another name`);
  if (kind.scope === "Namespaced" && ref.namespace === undefined)
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${owner.kind} ${owner.metadata.name} has no namespace: set namespace for ${kind.kind} ${name}`,
    );
  return ref;
}

function defaultName(kind: string, { metadata: { name } }: KubernetesObject, item: EachItem | undefined): string {
  return item === undefined ? name : shortenName(`${name}-${item.key}`, MAX_NAME_LENGTH[kind] ?? MAX_LABEL_LENGTH);
}

/** Controllers append a hash or a time to the names of these kinds, and the result must be the value of a label. */
const MAX_NAME_LENGTH: Readonly<Record<string, number>> = { CronJob: 52, StatefulSet: 52 };

function quoted(text: string | undefined): string {
  return JSON.stringify(text);
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : nameOfAnswer(value);
}
