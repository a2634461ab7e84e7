/** The persistent names that contain a handler's name. */
import { type Kind, shortenName } from "@treadle/apimachinery";

/** A finalizer's name part, like a label's, has at most 63 characters (Kubernetes' qualified name). */
export const MAX_NAME_LENGTH = 63;

/** `<plural>.<group>`, shortened with a hash where it is too long. */
export function defaultName(kind: Kind): string {
  return shortenName(kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`, MAX_NAME_LENGTH);
}

/** How entries in a status name a handler: not at all where it has the default name. */
export function entryHandlerOf({ kind, name }: { readonly kind: Kind; readonly name: string }): string | undefined {
  return name === defaultName(kind) ? undefined : name;
}

/** `<group>/<name>`; the built-in core kinds have no group, so theirs is ours. */
export function finalizerOf(kind: Kind, name: string): string {
  return `${domainOf(kind)}/${name}`;
}

/** The domain whose finalizers are ours. */
export function domainOf(kind: Pick<Kind, "group">): string {
  return kind.group === "" ? "treadle.dev" : kind.group;
}

/** The annotation that holds step state of kinds whose status has no room for it. */
export function stateAnnotationOf(name: string): string {
  return `${name}/step-state`;
}

/** An object that carries it with the value `"true"` is paused, for every handler that does not listen to another one. */
export const PAUSED_ANNOTATION = "treadle.dev/paused";

/** The annotation whose new value, any text, requests a pass now. Delays and backoffs are reset, and predicates are not asked. */
export const RECONCILE_REQUESTED_ANNOTATION = "treadle.dev/reconcile-requested-at";

/**
 * The annotation that skips cleanups, for a cleanup that cannot succeed. Its value is the handler's name, or several names with commas.
 * An object that is being deleted then loses the finalizer without its cleanups, and what they would remove stays.
 */
export const SKIP_CLEANUP_ANNOTATION = "treadle.dev/skip-cleanup";
