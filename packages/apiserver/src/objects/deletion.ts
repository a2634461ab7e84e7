/**
 * Deletes objects at once, or marks them while finalizers hold them. Namespaces and CRDs delete other objects first
 * (`namespace-life.ts`, `crd/life.ts`).
 */
import type { Clock } from "@treadle/apimachinery";
import { freezeJson } from "../internal/json.ts";
import { secondsOf, stringsOf } from "./object-meta.ts";
import type { ResourceType } from "../storage/registry.ts";
import type { Collection, Entry, Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { Representation } from "../storage/representation.ts";

export interface Deletion {
  readonly type: ResourceType;
  readonly collection: Collection;
  readonly entry: Entry;
  readonly propagation?: string | undefined;
  readonly graceSeconds?: number | undefined;
  readonly isDryRun?: boolean;
}

/** Finalizer of a CRD, until its objects are deleted. */
export const CRD_CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** Finalizers of claims and volumes in use. */
export const CLAIM_PROTECTION = "kubernetes.io/pvc-protection";
export const VOLUME_PROTECTION = "kubernetes.io/pv-protection";

/**
 * Finalizers of the two propagation policies, which the garbage collector removes: until the dependents are deleted, or until
 * they are orphaned.
 */
export const FOREGROUND_FINALIZER = "foregroundDeletion";
export const ORPHAN_FINALIZER = "orphan";

/** Deletes the object, or marks it when a finalizer holds it. Returns what is left of it, or with `isDryRun` would be left. */
export function removeOrMark(parts: { readonly clock: Clock }, deletion: Deletion): Entry | undefined {
  const { type, collection, entry, propagation, graceSeconds: requested, isDryRun = false } = deletion;
  const { metadata } = entry.object;
  const finalizers = stringsOf(metadata.finalizers);
  const isFirst = metadata.deletionTimestamp === undefined;
  const held = heldBy(finalizers, propagation, isFirst ? type.heldWhileDeleting : undefined);
  const graceSeconds = type.graceSeconds?.(entry.object, requested) ?? 0;
  if (held.length === 0 && graceSeconds === 0 && !type.marksDeletion) {
    if (!isDryRun) collection.delete(entry);
    return undefined;
  }
  const endsGrace = !isFirst && graceSeconds === 0 && (metadata.deletionGracePeriodSeconds ?? 0) > 0;
  const isHeldAsBefore = held.length === finalizers.length && held.every((finalizer) => finalizers.includes(finalizer));
  if (!isFirst && !endsGrace && isHeldAsBefore) return entry;
  const draft = { ...entry.object, metadata: { ...metadata, finalizers: held } } as unknown as Draft; // a copy of a stored object
  if (held.length === 0) delete draft.metadata["finalizers"];
  if (endsGrace) draft.metadata["deletionGracePeriodSeconds"] = 0;
  if (isFirst) {
    draft.metadata["deletionTimestamp"] = secondsOf(parts.clock.now() + graceSeconds * 1000);
    // Namespaces and CRDs have their own code for deletion, which does not set these fields.
    if (!type.marksDeletion && type.heldWhileDeleting === undefined) {
      draft.metadata["deletionGracePeriodSeconds"] = graceSeconds;
      if (metadata.generation !== undefined) draft.metadata["generation"] = metadata.generation + 1;
    }
    type.hooks.prepareDelete?.(draft);
  }
  if (!isDryRun) return collection.update(entry, draft);
  const object = freezeJson(draft) as unknown as StoredObject; // a copy of a stored object
  return { ...entry, object, representation: new Representation(object) };
}

/** Deletes the matching objects of a kind, and returns how many of them finalizers still hold. */
export function emptyOut(
  parts: { readonly clock: Clock; readonly store: Store },
  type: ResourceType,
  isMeant: (entry: Entry) => boolean,
): number {
  const collection = parts.store.collection(type.id);
  let left = 0;
  for (const entry of collection.all()) {
    if (isMeant(entry) && removeOrMark(parts, { type, collection, entry }) !== undefined) left++;
  }
  return left;
}

/** Returns the finalizers of an object that is deleted with this propagation policy. */
function heldBy(finalizers: readonly string[], propagation: string | undefined, always: string | undefined): readonly string[] {
  const held = new Set(finalizers);
  if (propagation !== undefined) {
    held.delete(FOREGROUND_FINALIZER);
    held.delete(ORPHAN_FINALIZER);
    if (propagation === "Foreground") held.add(FOREGROUND_FINALIZER);
    if (propagation === "Orphan") held.add(ORPHAN_FINALIZER);
  }
  if (always !== undefined) held.add(always);
  return [...held];
}
