/** One dependent as its step runs it: the author's options with their defaults, and what follows from them without a request. */
import { groupKindOf, type Kind, type KubernetesObject, keyOf, parseApiVersion, type Ref } from "@treadle/apimachinery";
import { misuse, inNamespaceOf } from "@treadle/reconcile/unstable/engine";
import type { Policy } from "./core/plan.ts";
import type { DependentOptions } from "./types.ts";

/** The options of a step whatever its types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnyOptions = DependentOptions<any, Kind, string, any, any, any>;

export interface Dependent {
  readonly options: AnyOptions;
  readonly name: string;
  readonly policy: Policy;
  /** The owner waits for it, and has an entry for it. */
  readonly isChecked: boolean;
}

export function dependentOf(options: AnyOptions): Dependent {
  const { name, kind, created = true, owned = created, update } = options;
  return {
    options,
    name,
    policy: {
      kind,
      isOwned: owned,
      isCreated: created,
      isUpdated: options.updated ?? true,
      isWatched: options.watched ?? true,
      adopt: options.adopt ?? (owned ? "never" : "ifUnowned"),
      ownership: options.ownership,
      // The live object is one of the author's kind.
      update: update === undefined ? undefined : (live, desired) => update(live as never, desired),
      displayName: options.displayName,
    },
    isChecked: options.checkedForReadiness ?? true,
  };
}

/** The name and namespace of the object. @throws TypeError when the author's functions return no valid name, or no namespace where one is needed */
export function targetOf({ options, policy: { kind }, name: step }: Dependent, owner: KubernetesObject): Ref {
  const { objectName, namespace: given } = options;
  const name: unknown = typeof objectName === "function" ? objectName(owner) : (objectName ?? owner.metadata.name);
  const namespace: unknown = typeof given === "function" ? given(owner) : given;
  if (typeof name !== "string" || name === "")
    throw misuse("ERR_INVALID_STEP", `step "${step}": objectName gave ${textOf(name)}, which is not a name`);
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === ""))
    throw misuse("ERR_INVALID_STEP", `step "${step}": namespace gave ${textOf(namespace)}, which is not a namespace`);
  const ref = inNamespaceOf(owner, kind, namespace === undefined ? { name } : { name, namespace });
  const isOwner = groupKindOf(kind) === groupKindOf({ group: parseApiVersion(owner.apiVersion).group, kind: owner.kind });
  if (isOwner && keyOf(ref) === keyOf(owner.metadata))
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${kind.kind} ${keyOf(ref)} is the object itself: say with objectName what its dependent is called`,
    );
  if (kind.scope === "Namespaced" && ref.namespace === undefined)
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${owner.kind} ${owner.metadata.name} has no namespace: say with namespace where ${kind.kind} ${name} is to be`,
    );
  return ref;
}

/** As {@link targetOf}, but `undefined` where it throws: a function of the author must not keep the object from being cleaned up. */
export function targetOrNone(dependent: Dependent, owner: KubernetesObject): Ref | undefined {
  try {
    return targetOf(dependent, owner);
  } catch {
    return undefined;
  }
}

/** What can be told without an object of `primary`. */
export function problemsOf({ options, policy }: Dependent, primary: Kind): readonly string[] {
  const { kind, isOwned, isCreated, isWatched, adopt } = policy;
  const problems: string[] = [];
  const isOwnKind = groupKindOf(kind) === groupKindOf(primary);
  if (isOwnKind && options.objectName === undefined && (kind.scope === "Cluster" || options.namespace === undefined))
    problems.push(`keeps a ${kind.kind} of the name of its owner, which is the owner itself: say with objectName what it is called`);
  if (isOwned && !isCreated && adopt === "never")
    problems.push("is to own what somebody else creates, but may not take it: say adopt, or leave owned out");
  if (isOwned && isCreated && !isWatched && kind.scope === "Namespaced" && typeof options.namespace === "function")
    problems.push(
      "could lose sight of its object in another namespace: where namespace is a function, leave out watched: false, or say owned: false",
    );
  return problems;
}

/** The desired state; `undefined`: the object is not desired. @throws TypeError when the author's function returns anything else */
export function desiredOf({ options, name }: Dependent, owner: KubernetesObject, inputs: object): object | undefined {
  // The inputs are what the options declare.
  const desired: unknown = typeof options.desired === "function" ? options.desired(owner, inputs as never) : options.desired;
  if (desired === undefined || desired === null) return undefined;
  if (typeof desired !== "object" || Array.isArray(desired) || typeof (desired as { then?: unknown }).then === "function")
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${name}": desired must give an object, or undefined, at once: read what it needs by reads, or hand it over by vars`,
    );
  return desired;
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}
