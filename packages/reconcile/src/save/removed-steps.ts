/** Parts of the status that were kept by steps that the handler no longer has. */
import { entryHandlerOf } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";

/**
 * A part of the status that no step of this handler keeps any longer: where it is a list whose entries name their `step` and
 * `handler`, those of steps that this handler no longer has are dropped. The very same value where nothing changes.
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
