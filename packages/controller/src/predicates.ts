/**
 * Predicates: which events of a primary start a pass.
 *
 * A predicate may have no opinion (`undefined`), because it compares values that only an update has. Such an event starts a
 * pass, also through `not`, so that no combination can miss the creation of an object by accident. `and`, `or` and `not` are those of
 * `@treadle/apimachinery`. They serve gates as well, for which "no opinion" does not hold.
 *
 * Guarantee: a predicate is not asked about an object that is being deleted or was deleted. Without those passes its
 * finalizer would never be removed, and its memory never dropped. A predicate is not asked either when a user sets the
 * annotation that pauses an object, or the annotation that requests a pass.
 */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import { PAUSED_ANNOTATION, RECONCILE_REQUESTED_ANNOTATION } from "@treadle/reconcile";

/** Decides whether an event starts a pass; `undefined`: no opinion, which counts as true. It must be pure. Combine by `and`, `or`, `not`. */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (event: InformerEvent<T>) => boolean | undefined;

/** Accepts updates that changed `metadata.generation`: for most kinds, the spec. */
export function generationChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.generation);
}

/** Accepts updates that changed `metadata.labels`. No labels equal `{}`, and the order does not count. */
export function labelsChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.labels ?? {});
}

/** Accepts updates that changed `metadata.annotations`. No annotations equal `{}`, and the order does not count. */
export function annotationsChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.annotations ?? {});
}

/** Accepts updates that began the deletion or changed a finalizer. A deletion starts a pass whatever the predicate returns. */
export function deletionChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => [metadata.deletionTimestamp ?? "", metadata.finalizers ?? []]);
}

/** Accepts updates that changed anything. A repeated list brings updates that changed nothing. */
export function resourceVersionChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.resourceVersion);
}

/** Whether a pass is due that no predicate may prevent. `pause` is the annotation that pauses an object. */
export function isMandatory(event: InformerEvent<KubernetesObject>, pause: string = PAUSED_ANNOTATION): boolean {
  const { type, object } = event;
  if (type === "deleted" || object.metadata.deletionTimestamp !== undefined || isRequested(event)) return true;
  return type === "updated" && isPaused(event.previous, pause) !== isPaused(object, pause);
}

/** Whether a user requested a pass by the annotation, and no pass has handled that request yet. */
export function isRequested(event: InformerEvent<KubernetesObject>): boolean {
  const request = event.object.metadata.annotations?.[RECONCILE_REQUESTED_ANNOTATION];
  if (request === undefined || event.type === "deleted") return false;
  const before = event.type === "updated" ? event.previous.metadata.annotations?.[RECONCILE_REQUESTED_ANNOTATION] : undefined;
  const { status } = event.object as { readonly status?: { readonly lastHandledReconcileAt?: unknown } };
  return request !== before && request !== status?.lastHandledReconcileAt;
}

function isPaused({ metadata }: KubernetesObject, annotation: string): boolean {
  return metadata.annotations?.[annotation] === "true";
}

function changed(event: InformerEvent<KubernetesObject>, part: (object: KubernetesObject) => unknown): boolean | undefined {
  return event.type === "updated" ? !jsonEqual(part(event.previous), part(event.object)) : undefined;
}
