/**
 * The handler's finalizer: taken before anything that needs cleaning up, removed only when every cleanup is done. Both by
 * guarded patches, so finalizers that others add or remove in between are never lost.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { SKIP_CLEANUP_ANNOTATION } from "./names.ts";
import type { Pass } from "./pass-state.ts";
import type { Pipeline } from "./pipeline.ts";
import { QuietRequeue } from "./writer.ts";

interface Limit {
  readonly signal: AbortSignal;
}

export function hasOurFinalizer(pipeline: Pipeline, object: KubernetesObject): boolean {
  return pipeline.finalizer !== undefined && (object.metadata.finalizers ?? []).includes(pipeline.finalizer);
}

/** Somebody decided that this handler's cleanups shall not run. */
export function skipsCleanup(pipeline: Pipeline, object: KubernetesObject): boolean {
  return object.metadata.annotations?.[SKIP_CLEANUP_ANNOTATION] === pipeline.name;
}

/** Before the first `do`. @throws QuietRequeue when the object began to be deleted meanwhile. */
export async function takeFinalizer(pass: Pass, limit: Limit): Promise<void> {
  await add(pass, limit, () => new QuietRequeue("the object is being deleted"));
}

/** `req.holdFinalizer()`. @throws ReconcileError ERR_DELETING when the object is being deleted. */
export async function holdFinalizer(pass: Pass, limit: Limit): Promise<void> {
  const { object, pipeline } = pass;
  await add(
    pass,
    limit,
    () =>
      new ReconcileError(
        "ERR_DELETING",
        `cannot take the finalizer of ${pipeline.kind.kind} ${object.metadata.name}: it is being deleted, nothing may be made for it any more`,
      ),
  );
}

/** After the cleanups. The object may be gone with it. */
export async function removeFinalizer(pass: Pass, limit: Limit): Promise<void> {
  const { pipeline, writer, env } = pass;
  const change = (newest: KubernetesObject): object | undefined => {
    if (!hasOurFinalizer(pipeline, newest)) return undefined;
    const rest = (newest.metadata.finalizers ?? []).filter((finalizer) => finalizer !== pipeline.finalizer);
    return { metadata: { finalizers: rest.length === 0 ? null : rest } };
  };
  await writer.write("object", change, limit);
  // With the last finalizer the object goes; until the watch says so, no pass may see it in the cache.
  if ((writer.newest.metadata.finalizers ?? []).length === 0) env.observeDelete?.(writer.newest);
}

async function add(pass: Pass, limit: Limit, deleting: () => Error): Promise<void> {
  const { pipeline, writer } = pass;
  const change = (newest: KubernetesObject): object | undefined => {
    if (hasOurFinalizer(pipeline, newest)) return undefined;
    if (newest.metadata.deletionTimestamp !== undefined) throw deleting();
    return { metadata: { finalizers: [...(newest.metadata.finalizers ?? []), pipeline.finalizer] } };
  };
  await writer.write("object", change, limit);
}
