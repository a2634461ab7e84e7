/**
 * The finalizer of the handler. It is added before anything that needs a cleanup, and removed only when every cleanup is done. Both
 * patches are guarded, so finalizers that other writers add or remove meanwhile are never lost.
 */
import { isForbidden, type KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { finalizersOf, hasOurFinalizer } from "../record/finalizer-names.ts";
import type { Pass } from "../record/pass-state.ts";
import { claims } from "./claims.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { Limit } from "../record/writer.ts";

/** Whether a pass adds the finalizer before its first `do`, or replaces a former one. */
export function mustTakeFinalizer(pass: Pass): boolean {
  const { pipeline, object } = pass;
  const ours = finalizersOf(pipeline, object);
  if (ours.includes(pipeline.finalizer ?? "")) return ours.length > 1 && claims(pass, "finalizer", { isNeededByOld: false });
  if (ours.length === 0) return pipeline.finalizerBeforeDo;
  return pipeline.leaves.some(({ cleanup }) => cleanup !== undefined) && claims(pass, "finalizer", { isNeededByOld: false });
}

/** Adds the finalizer. @throws QuietRequeue if the deletion of the object began, or the object changed, before it was added. */
export async function takeFinalizer(pass: Pass, limit: Limit): Promise<void> {
  const { pipeline, writer } = pass;
  const change = (newest: KubernetesObject): object | undefined => {
    const finalizers = newest.metadata.finalizers ?? [];
    const kept = finalizers.filter((name) => !pipeline.before.finalizers.has(name));
    if (kept.length === finalizers.length && hasOurFinalizer(pipeline, newest)) return undefined;
    return { metadata: { finalizers: kept.includes(pipeline.finalizer ?? "") ? kept : [...kept, pipeline.finalizer] } };
  };
  await writer.write("object", change, { limit, guarded: "decision" });
}

/** Removes the finalizer after the cleanups; the server may then delete the object. @throws the error of the server, with a fix if it is known */
export async function removeFinalizer(pass: Pass, limit: Limit): Promise<void> {
  const { pipeline, writer, env } = pass;
  const change = (newest: KubernetesObject): object | undefined => {
    const ours = finalizersOf(pipeline, newest);
    if (ours.length === 0) return undefined;
    const rest = (newest.metadata.finalizers ?? []).filter((finalizer) => !ours.includes(finalizer));
    return { metadata: { finalizers: rest.length === 0 ? null : rest } };
  };
  try {
    await writer.write("object", change, { limit, guarded: "cleanup" });
  } catch (error) {
    throw isForbidden(error) && pipeline.leaves.every(({ cleanup }) => cleanup === undefined) ? withoutRight(pipeline, error) : error;
  }
  // Without its last finalizer the object is deleted. No pass may see it in the cache before the watch delivers that.
  const { finalizers = [], deletionTimestamp } = writer.newest.metadata;
  if (finalizers.length === 0 && deletionTimestamp !== undefined) env.observeDelete?.(writer.newest);
}

/** The steps give the right to patch only if one of them has a cleanup. */
function withoutRight({ kind, finalizer }: Pipeline, cause: Error): ReconcileError {
  const fix = `add permissions: [{ kind: ${kind.kind}, verbs: ["patch"] }] to a step, or remove the finalizer by hand`;
  const message = `the right to patch is missing: an earlier version added ${finalizer}, and no step has a cleanup: ${fix} (${cause.message})`;
  return new ReconcileError("ERR_SAVE_FAILED", message, { cause });
}
