/**
 * The handler's finalizer: taken before anything that needs cleaning up, removed only when every cleanup is done. Both by
 * guarded patches, so finalizers that others add or remove in between are never lost.
 */
import { isForbidden, type KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { finalizersOf, hasOurFinalizer } from "../record/finalizer-names.ts";
import type { Pass } from "../record/pass-state.ts";
import { claims } from "./claims.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { Limit } from "../record/writer.ts";

/** Whether a pass that runs `do`s begins with taking the finalizer; former ones are swapped for it. */
export function mustTakeFinalizer(pass: Pass): boolean {
  const { pipeline, object } = pass;
  const ours = finalizersOf(pipeline, object);
  if (ours.includes(pipeline.finalizer ?? "")) return ours.length > 1 && claims(pass, "finalizer", { isNeededByOld: false });
  if (ours.length === 0) return pipeline.finalizerBeforeDo;
  return pipeline.leaves.some(({ cleanup }) => cleanup !== undefined) && claims(pass, "finalizer", { isNeededByOld: false });
}

/** @throws QuietRequeue when the object began to be deleted, or changed otherwise, before it was taken. */
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

/** After the cleanups. The object may be gone with it. @throws what the server answers, with what to do where that is known */
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
  // With the last finalizer the object goes; until the watch says so, no pass may see it in the cache.
  const { finalizers = [], deletionTimestamp } = writer.newest.metadata;
  if (finalizers.length === 0 && deletionTimestamp !== undefined) env.observeDelete?.(writer.newest);
}

/** What the steps declare gives the right to patch only where one of them has a cleanup. */
function withoutRight({ kind, finalizer }: Pipeline, cause: Error): ReconcileError {
  const fix = `say permissions: [{ kind: ${kind.kind}, verbs: ["patch"] }] on a step, or take it off by hand`;
  const message = `${finalizer} was taken by an earlier version, no step has a cleanup any more, and so the right to patch is missing: ${fix} (${cause.message})`;
  return new ReconcileError("ERR_SAVE_FAILED", message, { cause });
}
