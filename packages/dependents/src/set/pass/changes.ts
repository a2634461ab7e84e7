/** The events and counters of what a pass did to the objects of a set. */
import { groupKindOf, isConflict, keyOf, type Kind, type Ref } from "@treadle/apimachinery";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import { OPERATIONS, sets } from "../extension.ts";
import { memberKey } from "../plan/member.ts";
import type { Outcome } from "./outcome.ts";
import type { Removal } from "./removal.ts";
import type { Run } from "./run.ts";

/** The reasons of the events of a set. */
export const EVENTS = ["Created", "Updated", "Deleted", "Released", "DriftReverted", "UpdateError", "DeleteError"] as const;

type Reason = (typeof EVENTS)[number];

/** The annotation of an owner that switches the events of its sets off, after the name of the handler. */
const DISABLE_EVENTS_SUFFIX = "/disable-events";

/** An event names so many objects. */
const MAX_NAMES = 10;

/** Records the operations of a pass on objects that the set keeps. */
export function recordChanges(run: Run, outcomes: readonly Outcome[]): void {
  const of = (type: string): readonly Outcome[] =>
    outcomes.filter(({ operation, error }) => error === undefined && operation.type === type);
  const updated = of("updated");
  const drifted = updated.filter(({ operation }) => operation.type === "updated" && operation.drift !== undefined);
  record(run, "Created", of("created").map(subjectOf));
  record(run, "Updated", updated.filter((each) => !drifted.includes(each)).map(subjectOf));
  for (const outcome of drifted) {
    const { operation } = outcome;
    const { paths, managers } = (operation.type === "updated" && operation.drift) || { paths: [], managers: [] };
    const by = managers.length === 0 ? "" : `, which ${managers.join(" and ")} had changed`;
    record(run, "DriftReverted", [subjectOf(outcome)], `${paths.slice(0, MAX_NAMES).join(", ")}${by}`);
  }
  for (const outcome of outcomes) {
    const { error } = outcome;
    if (error === undefined || isConflict(error)) continue;
    const message = statusMessage(error);
    // Each retry fails in the same way: only the first one says something new.
    if (run.memory.last.get(outcome.member.key)?.state.message === message) continue;
    record(run, "UpdateError", [subjectOf(outcome)], message);
  }
}

/** Records the operations of a pass on objects that the set removes. */
export function recordRemoval(run: Run, { deleted, released, failed }: Removal): void {
  record(run, "Deleted", deleted);
  record(run, "Released", released);
  const before = run.memory.deleteErrors;
  run.memory.deleteErrors = new Map();
  for (const { leftover, error } of failed) {
    if (isConflict(error)) continue;
    const [key, message] = [memberKey(leftover.kind, leftover.ref), statusMessage(error)];
    run.memory.deleteErrors.set(key, message);
    if (before.get(key) !== message) record(run, "DeleteError", [leftover], message);
  }
}

interface Subject {
  readonly kind: Kind;
  readonly ref: Ref;
}

function subjectOf({ member: { kind, ref } }: Outcome): Subject {
  return { kind, ref };
}

const OPERATION: { readonly [R in Reason]: string } = {
  Created: "created",
  Updated: "updated",
  Deleted: "deleted",
  Released: "released",
  DriftReverted: "drift_reverted",
  UpdateError: "update_error",
  DeleteError: "delete_error",
};

/** Counts the objects, and records one event for all of them. */
function record(run: Run, reason: Reason, subjects: readonly Subject[], note = ""): void {
  const { definition, req, context } = run;
  if (subjects.length === 0) return;
  for (const { kind } of subjects)
    sets.of(req).count(OPERATIONS.name, { set: definition.name, kind: groupKindOf(kind), operation: OPERATION[reason] });
  const { annotations = {} } = context.owner.metadata;
  if (context.handlerNames.some((name) => annotations[name + DISABLE_EVENTS_SUFFIX] === "true")) return;
  const names = subjects.slice(0, MAX_NAMES).map(({ kind, ref }) => `${kind.kind} ${keyOf(ref)}`);
  const more = subjects.length > MAX_NAMES ? ` and ${subjects.length - MAX_NAMES} more` : "";
  const type = reason.endsWith("Error") ? "Warning" : "Normal";
  req.event(type, reason, `set "${definition.name}": ${names.join(", ")}${more}${note === "" ? "" : `: ${note}`}`);
}
