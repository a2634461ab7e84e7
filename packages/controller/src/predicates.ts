/**
 * Predicates: which events of a primary start a pass.
 *
 * A predicate may have no opinion (`undefined`): what it compares exists only in an update. Such an event passes, also
 * through `not`, so no combination can lose the creation of an object by accident.
 *
 * Guarantee: a predicate is not asked about an object that is being deleted or is gone. Its finalizer would never be
 * removed and what is remembered of it never dropped, so these passes cannot be filtered away. Nor is it asked when people
 * use the annotations that pause an object and ask for a pass now.
 */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import { PAUSED_ANNOTATION, RECONCILE_REQUESTED_ANNOTATION } from "@treadle/reconcile";

/** True: the event starts a pass. False: it does not. `undefined`: no opinion, which counts as true. Must be pure. */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (event: InformerEvent<T>) => boolean | undefined;

/** Updates that changed `metadata.generation`: for most kinds, the spec. */
export function generationChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.generation);
}

/** Updates that changed `metadata.labels`; none and `{}` are the same, and so are two orders of the same labels. */
export function labelsChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.labels ?? {});
}

/** Updates that changed `metadata.annotations`; none and `{}` are the same, and so are two orders of the same annotations. */
export function annotationsChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.annotations ?? {});
}

/** Updates that began the deletion, or changed a finalizer. Such a deletion starts a pass whatever the predicate says. */
export function deletionChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => [metadata.deletionTimestamp ?? "", metadata.finalizers ?? []]);
}

/** Updates that changed anything: not the repeated news of a list that was made again. */
export function resourceVersionChanged(event: InformerEvent<KubernetesObject>): boolean | undefined {
  return changed(event, ({ metadata }) => metadata.resourceVersion);
}

/** False when one is false, else true when one is true. @throws TypeError without predicates. */
export function and<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  atLeastOne("and", predicates);
  return (event) => {
    const answers = predicates.map((predicate) => predicate(event));
    return answers.includes(false) ? false : answers.includes(true) ? true : undefined;
  };
}

/** True when one is true, else false when one is false. @throws TypeError without predicates. */
export function or<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  atLeastOne("or", predicates);
  return (event) => {
    const answers = predicates.map((predicate) => predicate(event));
    return answers.includes(true) ? true : answers.includes(false) ? false : undefined;
  };
}

/** The opposite; no opinion stays none. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => {
    const answer = predicate(event);
    return answer === undefined ? undefined : !answer;
  };
}

/** Whether a pass is due that no predicate may prevent. `pause` is the annotation by which objects are paused. */
export function isMandatory(event: InformerEvent<KubernetesObject>, pause: string = PAUSED_ANNOTATION): boolean {
  const { type, object } = event;
  if (type === "deleted" || object.metadata.deletionTimestamp !== undefined || isRequested(event)) return true;
  return type === "updated" && isPaused(event.previous, pause) !== isPaused(object, pause);
}

/** Whether somebody asked for a pass by the annotation, and none has followed that is known of. */
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

function atLeastOne(name: string, predicates: readonly unknown[]): void {
  if (predicates.length === 0) throw new TypeError(`${name}() needs at least one predicate`);
}
