/** The events of the changes that a component made. */
import { keyOf, type Ref } from "@treadle/apimachinery";
import { removalsOf } from "@treadle/dependents/unstable/step";
import type { CleanupReq } from "@treadle/reconcile";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { Definition, Resource } from "./definition.ts";
import { APPLIES, APPLY_ERRORS, components } from "./extension.ts";
import type { Failure, Findings } from "./findings.ts";

type Recorder = Pick<CleanupReq<never>, "event">;

/** Returns the reasons of the events of a component. */
export function eventsOf(resources: readonly Resource[]): readonly string[] {
  const kinds = resources.map(({ dependent }) => dependent.policy.kind.kind);
  return [...new Set([...kinds.flatMap((kind) => [`Created${kind}`, `Updated${kind}`]), "ResourceDeleted", "ResourceOrphaned"])];
}

/** Counts and reports each object that the pass created or changed, and counts failures. */
export function recordChanges({ name }: Definition, req: Recorder, { objects, errors, transient }: Findings): void {
  for (const { resource } of [...errors, ...transient])
    components.of(req).count(APPLY_ERRORS.name, { component: name, resource: resource.name, kind: resource.dependent.policy.kind.kind });
  for (const { operation, resource, target } of objects) {
    if (operation.type === "unchanged") continue;
    const { kind } = resource.dependent.policy.kind;
    components.of(req).count(APPLIES.name, { component: name, resource: resource.name, kind, operation: operation.type });
    const [reason, verb] = operation.type === "created" ? [`Created${kind}`, "created"] : [`Updated${kind}`, "updated"];
    req.event("Normal", reason, `component "${name}" ${verb} ${titleOf(resource, target)}`);
  }
}

/** Records an event for each object that the pass deleted or released. Returns the removals that failed. */
export function recordRemovals({ name, resources, resourceOf }: Definition, req: Recorder): readonly Failure[] {
  const removals = removalsOf(
    req,
    resources.map((resource) => resource.name),
  );
  return removals.flatMap(({ step, deleted, released, error }) => {
    const resource = resourceOf(step);
    for (const ref of deleted) req.event("Normal", "ResourceDeleted", `component "${name}" deleted ${titleOf(resource, ref)}`);
    for (const ref of released) req.event("Normal", "ResourceOrphaned", `component "${name}" released ${titleOf(resource, ref)}`);
    return error === undefined ? [] : [{ resource, message: statusMessage(error), error }];
  });
}

function titleOf({ dependent }: Resource, ref: Ref): string {
  return `${dependent.policy.kind.kind} ${keyOf(ref)}`;
}
