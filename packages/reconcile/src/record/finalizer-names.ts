/** The finalizers of a handler on an object, and the annotation that skips its cleanups. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { SKIP_CLEANUP_ANNOTATION } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";

export function hasOurFinalizer(pipeline: Pipeline, object: KubernetesObject): boolean {
  return finalizersOf(pipeline, object).length > 0;
}

/** Returns the finalizers of the object that belong to the handler or its predecessors. */
export function finalizersOf({ finalizer, before }: Pipeline, { metadata }: KubernetesObject): readonly string[] {
  if (finalizer === undefined) return [];
  return (metadata.finalizers ?? []).filter((name) => name === finalizer || before.finalizers.has(name));
}

/** Whether the annotation of the object names the handler, so that its cleanups do not run. */
export function skipsCleanup(pipeline: Pipeline, object: KubernetesObject): boolean {
  const names = object.metadata.annotations?.[SKIP_CLEANUP_ANNOTATION]?.split(",") ?? [];
  return names.some((name) => pipeline.before.names.includes(name.trim()));
}
