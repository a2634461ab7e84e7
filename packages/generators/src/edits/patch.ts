/** An edit that patches objects. */
import { applyJsonPatch, isPatchError, type JsonPatchOperation, type KubernetesObject } from "@treadle/apimachinery";
import type { Edit, Manifest, RenderContext } from "@treadle/dependents";
import { objectsOf } from "@treadle/dependents/unstable/render";
import { givenFor } from "./given.ts";
import { refusalsOf, type Refuse, whatIs } from "./mistake.ts";
import { fieldOf, type Fields, isFields, valueAt } from "../fields.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { type EditSelect, predicateOf } from "./target.ts";
import type { AnyContext, Given } from "./types.ts";

/** A strategic merge patch: a part of an object. A list is a JSON patch (RFC 6902). */
export type EditPatch = Readonly<Record<string, unknown>> | readonly JsonPatchOperation[];

/**
 * Returns an edit that patches the objects of a target, as `patches` of a kustomization. An object is a strategic merge patch: lists of
 * built-in kinds are merged by their keys, `null` removes a field, and `$patch: delete` removes an entry or the object. A list is a JSON
 * patch. A strategic merge patch does not change kind, name and namespace.
 *
 * Without a target the patch names its object by apiVersion, kind and name. If no such object is rendered, that is an error.
 *
 * @throws TypeError for a target or a patch that is not valid; from a function, when the edit runs
 * @example
 * ```ts
 * edit: patch({ kind: "Deployment", name: "web" }, { spec: { replicas: 3 } })
 * ```
 */
export function patch<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  target: EditSelect<T, R, V>,
  patch: Given<EditPatch, T, R, V>,
): Edit<T, R, V>;
/** Returns an edit that patches the one object that the patch names by apiVersion, kind and name. */
export function patch<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  patch: Given<Readonly<Record<string, unknown>>, T, R, V>,
): Edit<T, R, V>;
export function patch<T extends KubernetesObject, R, V>(
  ...args: readonly [EditSelect<T, R, V> | undefined, Given<EditPatch, T, R, V>] | readonly [Given<EditPatch, T, R, V>]
): Edit<T, R, V> {
  const refuse = refusalsOf("patch");
  const [target, given] = args.length === 1 ? [undefined, args[0]] : args;
  const isChosen = target === undefined ? undefined : predicateOf(target, refuse);
  const patchFor = givenFor(given, (value) => requirePatch(value, isChosen !== undefined, refuse));
  const checked = new WeakSet<object>();
  return (each, owner, context) => {
    if (isChosen?.(each, owner, context) === false) return each;
    const change = patchFor(owner, context);
    if (isChosen === undefined && !isMeant(each, change, { context, refuse, checked })) return each;
    // A copy: later edits may change what this one returns.
    return Array.isArray(change) ? byOperations(each, change, refuse) : byMerge(each, structuredClone(change) as Fields, refuse);
  };
}

function byMerge(each: Manifest, change: Fields, refuse: Refuse): Manifest | undefined {
  const merged = strategicMerge({ ...each }, change, refuse) as Manifest | undefined; // The metadata is added below.
  if (merged === undefined) return undefined;
  const { namespace: _, ...metadata } = { ...merged.metadata };
  const { name, namespace } = each.metadata;
  return { ...merged, kind: each.kind, metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) } };
}

function byOperations(each: Manifest, operations: readonly JsonPatchOperation[], refuse: Refuse): Manifest {
  try {
    return applyJsonPatch(each, operations) as Manifest; // The caller checks what became of it.
  } catch (error) {
    if (!isPatchError(error)) throw error;
    throw refuse(`${error.message}: change the path, or narrow the target to the objects that have it`);
  }
}

interface Meaning {
  readonly context: RenderContext<never, never> | object;
  readonly refuse: Refuse;
  /** The lists of rendered objects that have the object of the patch: the edit is called for each of their objects. */
  readonly checked: WeakSet<object>;
}

/** Whether a patch without a target means this object. @throws TypeError if it means none of the rendered objects */
function isMeant(each: Manifest, change: EditPatch, { context, refuse, checked }: Meaning): boolean {
  const home = fieldOf(context, "namespace");
  const namespaceOf = (object: unknown): unknown => valueAt(object, ["metadata", "namespace"]) ?? home;
  const isSame = (object: unknown): boolean =>
    fieldOf(object, "kind") === fieldOf(change, "kind") &&
    fieldOf(object, "apiVersion") === fieldOf(change, "apiVersion") &&
    valueAt(object, ["metadata", "name"]) === valueAt(change, ["metadata", "name"]) &&
    namespaceOf(object) === namespaceOf(change);
  if (isSame(each)) return true;
  const objects = objectsOf(context);
  if (objects === undefined || checked.has(objects)) return false;
  checked.add(objects);
  if (objects.some(isSame)) return false;
  const names = [valueAt(change, ["metadata", "namespace"]), valueAt(change, ["metadata", "name"])].filter((name) => name !== undefined);
  throw refuse(
    `there is no ${String(fieldOf(change, "kind"))} ${names.join("/")} among the objects: correct the names in the patch, or give a target`,
  );
}

function requirePatch(change: unknown, hasTarget: boolean, refuse: Refuse): void {
  if (Array.isArray(change)) return requireOperations(change, hasTarget, refuse);
  if (!isFields(change)) throw refuse(`the patch is ${whatIs(change)}: give a part of an object, or a list of operations`);
  if (Object.keys(change).length === 0) throw refuse("the patch is empty: give a part of an object");
  if (hasTarget) return;
  const names = [fieldOf(change, "apiVersion"), fieldOf(change, "kind"), valueAt(change, ["metadata", "name"])];
  if (names.every((name) => typeof name === "string" && name !== "")) return;
  throw refuse("a patch without a target needs apiVersion, kind and metadata.name of its object: set them, or give a target first");
}

function requireOperations(operations: readonly unknown[], hasTarget: boolean, refuse: Refuse): void {
  if (!hasTarget) throw refuse('a JSON patch needs a target: give it first, such as { kind: "Deployment" }');
  if (operations.length === 0) throw refuse("the patch is empty: give operations, or a part of an object");
  operations.forEach((operation, i) => {
    if (!isFields(operation) || !OPERATIONS.has(operation["op"]) || typeof operation["path"] !== "string")
      throw refuse(`operation ${i} is not one of a JSON patch: write such as { op: "replace", path: "/spec/replicas", value: 3 }`);
  });
}

const OPERATIONS: ReadonlySet<unknown> = new Set(["add", "remove", "replace", "move", "copy", "test"]);
