/**
 * Whether somebody else's write matters for what a pass has decided: what a step can read of the object, but not what
 * other controllers keep there for themselves.
 */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { Pipeline } from "./pipeline.ts";
import { storedState } from "./state.ts";

/** True when `after` gives the steps of this handler no reason to decide otherwise than on `before`. */
export function isImmaterial(pipeline: Pipeline, before: KubernetesObject, after: KubernetesObject): boolean {
  return jsonEqual(materialOf(pipeline, before), materialOf(pipeline, after));
}

/** Without versions, finalizers, conditions and the state of other handlers' steps. */
function materialOf(pipeline: Pipeline, object: KubernetesObject): unknown {
  const { metadata, status, ...rest } = object as KubernetesObject & { readonly status?: Readonly<Record<string, unknown>> };
  const { labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  const { conditions: _conditions, observedGeneration: _observedGeneration, steps: _steps, ...fields } = status ?? {};
  const state = storedState(pipeline, object);
  const ours = pipeline.leaves.filter((step) => step.state !== undefined).map(({ name }) => state[name]);
  return { ...rest, labels, annotations, ownerReferences, isDeleting: deletionTimestamp !== undefined, fields, ours };
}
