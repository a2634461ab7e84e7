/** Releases an object: it stays as it is, and the unit does not keep it any more. */
import { type KubernetesObject, type ManagedFieldsEntry, ownerAnnotations, ownerLabels } from "@treadle/apimachinery";
import type { Context } from "./context.ts";
import { digestAnnotation, managerOf, marksOf, refTo } from "./marks.ts";
import { isMadeByUs } from "./ownership.ts";
import type { Policy } from "./plan.ts";
import { readLive } from "./take-over.ts";

/** What a release leaves on the object. */
export interface ReleaseOptions {
  /** The label of the unit and our applied fields stay: the unit still looks after the object, which is no longer the owner's. @defaultValue false */
  readonly keepsLabel?: boolean;
}

/**
 * Removes the marks of the owner and the entries of our field managers, in one write that changes no other field. After it,
 * neither the garbage collector nor a removal deletes the object, and the next writer may take its fields.
 *
 * @returns the object as stored; `undefined` where it does not exist, or is not the unit's
 * @throws the error of the server; 409 when another writer was faster
 */
export async function release(
  context: Context,
  policy: Policy,
  known: KubernetesObject,
  { keepsLabel = false }: ReleaseOptions = {},
): Promise<KubernetesObject | undefined> {
  const { client, handlerNames, owner, memory, unit, extraMarks } = context;
  const live = await readLive(context, policy, refTo(known));
  if (live === undefined || !isMadeByUs(context, policy, live)) return undefined;
  const { uid, resourceVersion, labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = live.metadata;
  const marks = handlerNames.flatMap((name) => Object.keys(keepsLabel ? ownerLabels(owner, name) : marksOf(context, name)));
  const notes = handlerNames.flatMap((name) => [...Object.keys(ownerAnnotations(owner, name)), digestAnnotation(name)]);
  const others = (live.metadata.managedFields ?? []).filter((entry) => !isOurs(context, policy, entry));
  const foreign = finalizers.filter((finalizer) => extraMarks?.finalizers.includes(finalizer) !== true);
  const metadata = {
    uid,
    resourceVersion,
    labels: removed(marks, labels),
    annotations: removed([...notes, ...(extraMarks?.annotations ?? [])], annotations),
    ...(foreign.length === finalizers.length ? {} : { finalizers: foreign }),
    ownerReferences: ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid),
    // The server takes an empty list for "not given", and one empty entry for "none".
    ...(keepsLabel ? {} : { managedFields: others.length === 0 ? [{}] : others }),
  };
  const stored: KubernetesObject = await client.patch(policy.kind, refTo(live), { type: "merge", body: { metadata } });
  memory.unit(unit).forget(policy.kind, refTo(live));
  return stored;
}

/** Whether an entry of managedFields is of the unit. A PUT is made under the name of the handler. */
function isOurs(context: Context, { writes }: Policy, { manager = "", operation, subresource = "" }: ManagedFieldsEntry): boolean {
  const { handlerNames } = context;
  if (writes === "replace" && operation === "Update" && subresource === "" && handlerNames.includes(manager)) return true;
  return handlerNames.some((handlerName) => manager === managerOf(context, { handlerName }));
}

/** A merge patch that removes those of `keys` that are there. */
export function removed(keys: readonly string[], from: Readonly<Record<string, string>>): Readonly<Record<string, null>> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, null]));
}
