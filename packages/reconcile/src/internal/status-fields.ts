/** Which fields of a status are the author's, and which the engine and its extensions keep. */
import type { Kind } from "@treadle/apimachinery";
import { entryHandlerOf } from "./names.ts";
import type { Pipeline } from "./pipeline.ts";

/** The status without what the engine and its extensions keep there. */
export function authorsPart(status: Readonly<Record<string, unknown>> | undefined, kind: Kind): Record<string, unknown> {
  if (status === undefined) return {};
  const { conditions: _c, observedGeneration: _o, lastHandledReconcileAt: _l, steps: _s, ...rest } = status as Record<string, unknown>; // a copy
  for (const field of kind.resource?.statusParts ?? []) delete rest[field];
  return rest;
}

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
