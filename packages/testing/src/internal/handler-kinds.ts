/** The kinds that a handler has to do with. */
import type { Kind } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";

/** The primary first, then what its steps read and own and what it watches. */
export function kindsOf({ kind, pipeline }: AnyHandler): readonly Kind[] {
  const steps = pipeline.leaves.flatMap((step) => [...Object.values(step.reads).map((read) => read.kind), ...step.owns]);
  return [kind, ...steps, ...pipeline.watches.map((watch) => watch.kind)];
}

/** A key as a test writes it: `name` alone means the default namespace where the kind has namespaces. */
export function fullKey(kind: Kind, key: string, namespace: string): string {
  return kind.scope === "Cluster" || key.includes("/") ? key : `${namespace}/${key}`;
}
