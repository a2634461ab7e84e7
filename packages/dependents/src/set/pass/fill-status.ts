/** Fills the fields of `setStatus` in the status of the owner, where its schema has them. */
import { sets } from "../extension.ts";
import { fillsStatus, type SetStatusField } from "../fragments.ts";
import type { SetReason } from "./report.ts";
import type { Run } from "./run.ts";

/**
 * Sets the fields that the status has, and leaves out those that do not change. The last set of the handler fills all of them. A set
 * before it fills only the state, and only while it is not ready: the chain ends there. Returns whether a field changes.
 */
export function fillStatus(run: Run, reason: SetReason): boolean {
  const { req, pass, state, context, definition } = run;
  const fields = fillsStatus(pass.handler.kind);
  const isLast = sets.of(req).handler.steps.at(-1)?.name === definition.name;
  if (fields.size === 0 || (!isLast && reason === "Ready")) return false;
  const draft = req.status as Record<string, unknown>;
  let isChanged = false;
  const fill = (field: SetStatusField, value: unknown): void => {
    if (!fields.has(field) || draft[field] === value) return;
    draft[field] = value;
    isChanged = true;
  };
  const before = { state: draft["state"], revision: draft["revision"], generation: draft["appliedGeneration"] };
  fill("state", STATES[reason]);
  if (!isLast) return isChanged;
  fill("revision", state.revision);
  if (reason !== "Ready") return isChanged;
  const { generation } = context.owner.metadata;
  const isNew = (fields.has("state") && before.state !== STATES.Ready) || before.revision !== state.revision;
  if (isNew || before.generation !== generation) fill("lastAppliedAt", new Date(pass.clock.now()).toISOString().replace(/\.\d+Z$/, "Z"));
  fill("appliedGeneration", generation);
  return isChanged;
}

/** The words of the original for the reasons of the condition. */
const STATES: { readonly [R in SetReason]: string } = {
  Ready: "Ready",
  Error: "Error",
  Timeout: "Error",
  Processing: "Processing",
  Pending: "Pending",
  Suspended: "Pending",
  DeletionBlocked: "DeletionPending",
  Deleting: "Deleting",
  TargetUnreachable: "Pending",
  TargetRefused: "Error",
  TargetChanged: "Error",
};
