/** One dependent as its step runs it: the author's options with their defaults, and what follows from them without a request. */
import { groupKindOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import type { Permission } from "@treadle/reconcile";
import { called, nameOfAnswer } from "./core/ask.ts";
import { immutableFieldsOf } from "./core/immutable.ts";
import type { Policy } from "./core/plan.ts";
import { isRecreatable } from "./core/recreate.ts";
import { requireGates } from "./gates.ts";
import { type NamedObjects, namesOf } from "./objects.ts";
import { targetOf } from "./target-options.ts";
import type { TargetDefinition } from "./targets/types.ts";
import type { AnyOptions, EachItem } from "./types.ts";

/** The name of the read that returns the object itself. */
export const LIVE = "dependent:live";

/** A dependent with its defaults. */
export interface Dependent {
  /** The options of the author. */
  readonly options: AnyOptions;
  /** The name of the step. */
  readonly name: string;
  /** What the core is told of the object. */
  readonly policy: Policy;
  /** Whether the owner waits for the objects, and has entries for them. */
  readonly isChecked: boolean;
  /** Whether there is one object for each item of a list. */
  readonly isEach: boolean;
  /** Where the objects are kept; `undefined`: in the cluster of the operator, as the operator. */
  readonly target: TargetDefinition | undefined;
  /** Returns the names of the objects for an owner. @throws what the author's functions throw */
  readonly names: (owner: KubernetesObject) => NamedObjects;
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
  for (const callback of ["readyWhen", "status", "update", "each", "until", "includeWhen"] as const)
    if (options[callback] !== undefined && typeof options[callback] !== "function")
      throw new TypeError(`${where}: ${callback} must be a function`);
  requireGives(where, options.gives);
  requireSwitches(where, options);
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

function requireSwitches(where: string, options: AnyOptions): void {
  for (const gate of ["when", "orphanWhen"] as const) requireGates(options[gate], `${where}: ${gate}`);
  if (options.absent !== undefined && !["wait", "ignore", "fail"].includes(options.absent))
    throw new TypeError(`${where}: absent must be "wait", "ignore" or "fail", not ${JSON.stringify(options.absent)}`);
}

function requireGives(where: string, gives: unknown): void {
  if (gives === undefined) return;
  if (typeof gives !== "object" || gives === null || Array.isArray(gives))
    throw new TypeError(`${where}: gives must be an object of functions: gives: { name: (live) => ... }`);
  const other = Object.entries(gives).find(([, value]) => typeof value !== "function");
  if (other !== undefined) throw new TypeError(`${where}: gives.${other[0]} must be a function of the live object`);
}

export function dependentOf(options: AnyOptions): Dependent {
  const { name, kind, created = true, owned = created, update } = options;
  const target = targetOf(`dependentApply "${name}"`, options);
  const named = {
    options,
    name,
    policy: {
      kind,
      isOwned: owned,
      isCreated: created,
      isUpdated: options.updated ?? true,
      isWatched: options.watched ?? true,
      isAbsenceFailure: options.absent === "fail",
      adopt: options.adopt ?? (owned ? "never" : "ifUnowned"),
      ownership: target === undefined ? options.ownership : ("label" as const),
      // The live object is one of the author's kind.
      update: update === undefined ? undefined : (live: KubernetesObject, desired: object) => update(live as never, desired),
      displayName: options.displayName,
      onImmutable: options.onImmutable ?? "fail",
      immutableFields: immutableFieldsOf(kind),
    },
    isChecked: options.checkedForReadiness ?? true,
    isEach: options.each !== undefined,
    target,
  };
  return { ...named, names: namesOf(named) };
}

/** Returns the names of the objects; none if the author's functions throw, because they must not block the cleanup. */
export function refsOrNone({ names }: Dependent, owner: KubernetesObject): readonly Ref[] {
  try {
    return names(owner).list.map(({ target }) => target);
  } catch {
    return [];
  }
}

/** Returns the rights that a dependent needs for its objects, besides the rights of its read. */
export function permissionsOf({ policy, options, target }: Dependent): readonly Permission[] {
  // The objects are written with other credentials.
  if (target !== undefined) return target.permissions;
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
  // A release is a patch.
  if (isOwned && options.orphanWhen !== undefined) verbs.add("patch");
  return verbs.size === 0 ? [] : [{ kind, verbs: [...verbs] }];
}

/** Returns the problems that are known without an object of `primary`. */
export function problemsOf({ options, policy }: Dependent, primary: Kind): readonly string[] {
  const { kind, isOwned, isCreated, isWatched, adopt } = policy;
  const problems: string[] = [];
  const isOwnKind = groupKindOf(kind) === groupKindOf(primary);
  if (options.each !== undefined && typeof options.objectName === "string" && typeof options.namespace !== "function")
    problems.push(
      `keeps one object for each item, and all of them have the name ${JSON.stringify(options.objectName)}: let objectName be a function of the item`,
    );
  if (
    options.each === undefined &&
    isOwnKind &&
    options.objectName === undefined &&
    (kind.scope === "Cluster" || options.namespace === undefined)
  )
    problems.push(`keeps a ${kind.kind} with the name of its owner, which is the owner itself: set objectName to another name`);
  if (isOwned && !isCreated && adopt === "never")
    problems.push("is to own an object that another writer creates, but may not take it: set adopt, or leave out owned");
  if (options.onImmutable === "recreate" && !(isOwned && isCreated))
    problems.push('has onImmutable: "recreate" for an object that is not its own: leave it out, or leave out created and owned');
  if (options.onImmutable === "recreate" && !isRecreatable(kind))
    problems.push(`would delete what users have in a ${kind.kind}: leave out onImmutable: "recreate"`);
  if (options.once === true && options.gives !== undefined)
    problems.push(
      "has once: true and gives: when its object is deleted, no step gets the values any more; keep them in a ConfigMap of another step, and let that one give them",
    );
  if (options.once === true && options.each !== undefined)
    problems.push("has once and each: the status would grow with the list. Make one object that runs all items, or leave out once");
  if (options.once === true && !isCreated) problems.push("has once: true for an object that another writer creates: leave out one of both");
  if (isOwned && isCreated && !isWatched && kind.scope === "Namespaced" && typeof options.namespace === "function")
    problems.push(
      "could lose sight of its object in another namespace: if namespace is a function, leave out watched: false, or set owned: false",
    );
  return [...problems, ...switchProblems(options, policy)];
}

function switchProblems({ absent, orphanWhen, conditions, checkedForReadiness }: AnyOptions, { isOwned, isCreated }: Policy): string[] {
  const problems: string[] = [];
  if (absent !== undefined && isCreated) problems.push("sets absent, but creates its object: set created: false, or leave out absent");
  if (absent === "fail" && checkedForReadiness === false)
    problems.push('has absent: "fail", but no entry that reports it: leave out checkedForReadiness: false, or set absent to "ignore"');
  if (orphanWhen !== undefined && !isOwned)
    problems.push("has orphanWhen, but no marks to remove: leave out owned: false and created: false, or leave out orphanWhen");
  if (conditions !== undefined && conditions.length > 0 && checkedForReadiness === false)
    problems.push("has conditions, but no entry from which they follow: leave out checkedForReadiness: false, or the conditions");
  return problems;
}

/** Returns the desired state; `undefined`: the object is not desired. @throws TypeError when the author's function returns anything else */
export function desiredOf({ options, name }: Dependent, owner: KubernetesObject, { inputs, item }: Asked): object | undefined {
  const given = options.desired;
  // The inputs are what the options declare.
  const desired: unknown =
    typeof given === "function" ? called(`step "${name}": desired`, () => given(owner, inputs as never, item)) : given;
  if (desired === undefined || desired === null) return undefined;
  if (typeof desired !== "object" || Array.isArray(desired) || isPromiseLike(desired))
    throw misuse(
      "ERR_INVALID_STEP",
      `step "${name}": desired returned ${nameOfAnswer(desired)}, but must return an object or undefined: declare what it needs in reads, or pass it as vars`,
    );
  return desired;
}

/** What the functions of the author get besides the owner. */
export interface Asked {
  /** The inputs. */
  readonly inputs: object;
  /** The item of `each`; `undefined` without `each`. */
  readonly item: EachItem | undefined;
}
