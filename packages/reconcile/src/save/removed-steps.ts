/** Parts of the status that were kept by steps that the handler no longer has. */
import { entryHandlerOf } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";

/**
 * Cleans a part of the status that no step of this handler keeps any longer. If it is a list whose entries have a `step` and a
 * `handler`, the entries of removed steps are dropped. Returns the same value if nothing changes.
 */
export function withoutRemovedSteps(pipeline: Pipeline, stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored;
  const ours = pipeline.before.names.map((name) => entryHandlerOf({ kind: pipeline.kind, name }));
  const steps = new Set(pipeline.leaves.map(({ name }) => name));
  const isRemoved = (entry: Partial<Record<string, unknown>> | null): boolean =>
    typeof entry?.["step"] === "string" && ours.includes(entry["handler"] as string | undefined) && !steps.has(entry["step"]);
  const kept = stored.filter((entry) => !isRemoved(entry as Partial<Record<string, unknown>> | null));
  return kept.length === stored.length ? stored : kept;
}
