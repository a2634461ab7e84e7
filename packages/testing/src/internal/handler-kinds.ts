/** The kinds that a handler uses. */
import type { Kind } from "@treadle/apimachinery";
import type { Runnable } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";

/** Returns the kind of the primary, then the kinds that its steps read and own, and those that it watches. */
export function kindsOf(handler: AnyHandler): readonly Kind[] {
  const pipeline = pipelineOf(handler);
  const steps = pipeline.leaves.flatMap((step) => [...Object.values(step.reads).map((read) => read.kind), ...step.owns]);
  return [handler.kind, ...steps, ...pipeline.watches.map((watch) => watch.kind)];
}

/** Returns the kinds that a runnable reads. */
export function kindsOfRunnable({ reads = [] }: Runnable): readonly Kind[] {
  return reads.map(({ kind }) => kind);
}

/** Completes a key: `name` alone means the default namespace, unless the kind is cluster-scoped. */
export function fullKey(kind: Kind, key: string, namespace: string): string {
  return kind.scope === "Cluster" || key.includes("/") ? key : `${namespace}/${key}`;
}
