/** One dependent as its step runs it: the author's options with their defaults, and what follows from them without a request. */
import { groupKindOf, type Kind, type KubernetesObject, keyOf, parseApiVersion, type Ref } from "@treadle/apimachinery";
import { misuse, inNamespaceOf } from "@treadle/reconcile/unstable/engine";
import type { Permission } from "@treadle/reconcile";
import { immutableFieldsOf } from "./core/immutable.ts";
import type { Policy } from "./core/plan.ts";
import { isRecreatable } from "./core/recreate.ts";
import type { DependentOptions } from "./types.ts";

/** The name of the read that returns the object itself. */
export const LIVE = "dependent:live";

/** The options of a step with any types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnyOptions = DependentOptions<any, Kind, string, any, any, any>;

export interface Dependent {
  readonly options: AnyOptions;
  readonly name: string;
  readonly policy: Policy;
  /** Whether the owner waits for the object, and has an entry for it. */
  readonly isChecked: boolean;
}

/** @throws TypeError with what is wrong, and what to do. */
export function requireOptions(options: AnyOptions): void {
  const { name, kind } = options ?? {};
  if (typeof name !== "string") throw new TypeError("dependentApply: the options need a name");
  const where = `dependentApply "${name}"`;
  if (typeof kind?.kind !== "string" || kind.kind === "")
    throw new TypeError(`${where}: kind must be a kind, e.g. ConfigMap of treadle/kinds`);
  if (options.desired === undefined && options.created !== false)
    throw new TypeError(`${where}: set desired to the desired state; only with created: false may it be left out`);
  if (
    options.desired !== undefined &&
    typeof options.desired !== "function" &&
    (typeof options.desired !== "object" || options.desired === null)
  )
    throw new TypeError(`${where}: desired must be an object, or a function that returns one`);
  for (const callback of ["readyWhen", "status", "update"] as const)
    if (options[callback] !== undefined && typeof options[callback] !== "function")
      throw new TypeError(`${where}: ${callback} must be a function`);
  if (options.dependsOn !== undefined && !Array.isArray(options.dependsOn))
    throw new TypeError(`${where}: dependsOn must be a list of steps`);
  if (options.reads !== undefined && LIVE in options.reads)
    throw new TypeError(`${where}: a read must not be named ${LIVE}: choose another name`);
  if (options.adopt !== undefined && !["never", "ifUnowned", "force"].includes(options.adopt))
    throw new TypeError(`${where}: adopt must be "never", "ifUnowned" or "force", not ${JSON.stringify(options.adopt)}`);
  if (options.onImmutable !== undefined && !["fail", "recreate", "ignore"].includes(options.onImmutable))
    throw new TypeError(`${where}: onImmutable must be "fail", "recreate" or "ignore", not ${JSON.stringify(options.onImmutable)}`);
  if (options.once !== undefined && typeof options.once !== "boolean")
    throw new TypeError(`${where}: once must be true or false, not ${JSON.stringify(options.once)}`);
  if (options.ownership !== undefined && !["reference", "label"].includes(options.ownership))
    throw new TypeError(`${where}: ownership must be "reference" or "label", not ${JSON.stringify(options.ownership)}`);
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
      onImmutable: options.onImmutable ?? "fail",
      immutableFields: immutableFieldsOf(kind),
    },
    isChecked: options.checkedForReadiness ?? true,
  };
}

/** Returns the name and namespace of the object. @throws TypeError when the author's functions return no valid name, or no namespace where one is needed */
export function targetOf({ options, policy: { kind }, name: step }: Dependent, owner: KubernetesObject): Ref {
  const { objectName, namespace: given } = options;
  const name: unknown = typeof objectName === "function" ? objectName(owner) : (objectName ?? owner.metadata.name);
  const namespace: unknown = typeof given === "function" ? given(owner) : given;
  if (typeof name !== "string" || name === "")
    throw misuse("ERR_INVALID_STEP", `step "${step}": objectName returned ${textOf(name)}, which is not a name`);
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === ""))
    throw misuse("ERR_INVALID_STEP", `step "${step}": namespace returned ${textOf(namespace)}, which is not a namespace`);
  const ref = inNamespaceOf(owner, kind, namespace === undefined ? { name } : { name, namespace });
  const isOwner = groupKindOf(kind) === groupKindOf({ group: parseApiVersion(owner.apiVersion).group, kind: owner.kind });
  if (isOwner && keyOf(ref) === keyOf(owner.metadata))
    throw misuse("ERR_INVALID_STEP", `step "${step}": ${kind.kind} ${keyOf(ref)} is the owner itself: set objectName to another name`);
  if (kind.scope === "Namespaced" && ref.namespace === undefined)
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${step}": ${owner.kind} ${owner.metadata.name} has no namespace: set namespace for ${kind.kind} ${name}`,
    );
  return ref;
}

/** Returns as {@link targetOf}, but `undefined` if that throws: a function of the author must not block the cleanup. */
export function targetOrNone(dependent: Dependent, owner: KubernetesObject): Ref | undefined {
  try {
    return targetOf(dependent, owner);
  } catch {
    return undefined;
  }
}

/** Returns the rights that a dependent needs for its objects, besides the rights of its read. */
export function permissionsOf({ policy, options }: Dependent): readonly Permission[] {
  const { kind, adopt, isCreated, isUpdated, isOwned } = policy;
  const isMerged = options.update !== undefined;
  const verbs = new Set<Permission["verbs"][number]>();
  // A create that another writer preceded is followed by a list; so are pruning and cleanup.
  if (isCreated) verbs.add("list").add("create");
  // Server-side apply is a patch, also where it creates.
  if (!isMerged && (isCreated || (isUpdated && options.desired !== undefined))) verbs.add("patch");
  if (isMerged && isUpdated) verbs.add("update");
  // The former controller is removed by a patch.
  if (isUpdated && adopt === "force") verbs.add("patch");
  if (isOwned) verbs.add("list").add("delete");
  return verbs.size === 0 ? [] : [{ kind, verbs: [...verbs] }];
}

/** Returns the problems that are known without an object of `primary`. */
export function problemsOf({ options, policy }: Dependent, primary: Kind): readonly string[] {
  const { kind, isOwned, isCreated, isWatched, adopt } = policy;
  const problems: string[] = [];
  const isOwnKind = groupKindOf(kind) === groupKindOf(primary);
  if (isOwnKind && options.objectName === undefined && (kind.scope === "Cluster" || options.namespace === undefined))
    problems.push(`keeps a ${kind.kind} with the name of its owner, which is the owner itself: set objectName to another name`);
  if (isOwned && !isCreated && adopt === "never")
    problems.push("is to own an object that another writer creates, but may not take it: set adopt, or leave out owned");
  if (options.onImmutable === "recreate" && !(isOwned && isCreated))
    problems.push('has onImmutable: "recreate" for an object that is not its own: leave it out, or leave out created and owned');
  if (options.onImmutable === "recreate" && !isRecreatable(kind))
    problems.push(`would delete what users have in a ${kind.kind}: leave out onImmutable: "recreate"`);
  if (options.once === true && !isCreated) problems.push("has once: true for an object that another writer creates: leave out one of both");
  if (isOwned && isCreated && !isWatched && kind.scope === "Namespaced" && typeof options.namespace === "function")
    problems.push(
      "could lose sight of its object in another namespace: if namespace is a function, leave out watched: false, or set owned: false",
    );
  return problems;
}

/** Returns the desired state; `undefined`: the object is not desired. @throws TypeError when the author's function returns anything else */
export function desiredOf({ options, name }: Dependent, owner: KubernetesObject, inputs: object): object | undefined {
  // The inputs are what the options declare.
  const desired: unknown = typeof options.desired === "function" ? options.desired(owner, inputs as never) : options.desired;
  if (desired === undefined || desired === null) return undefined;
  if (typeof desired !== "object" || Array.isArray(desired) || typeof (desired as { then?: unknown }).then === "function")
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${name}": desired must return an object or undefined, and no promise: declare what it needs in reads, or pass it as vars`,
    );
  return desired;
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
}
