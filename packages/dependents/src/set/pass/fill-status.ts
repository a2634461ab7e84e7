/** Fills the fields of `setStatus` in the status of the owner, where its schema has them. */
import { fillsStatus, type SetStatusField } from "../fragments.ts";
import type { SetReason } from "./report.ts";
import type { Run } from "./run.ts";

/**
 * Sets the fields that the status has, and leaves out those that do not change. Of several sets the one that runs last decides: the chain
 * ends at a set that is not ready. Returns whether a field changes.
 */
export function fillStatus(run: Run, reason: SetReason): boolean {
  const { req, pass, state, context } = run;
  const fields = fillsStatus(pass.handler.kind);
  if (fields.size === 0) return false;
  const before = ((context.owner as { readonly status?: object }).status ?? {}) as Readonly<Record<string, unknown>>;
  const draft = req.status as Record<string, unknown>;
  let isChanged = false;
  const fill = (field: SetStatusField, value: unknown): void => {
    if (!fields.has(field) || draft[field] === value) return;
    draft[field] = value;
    isChanged = true;
  };
  fill("state", STATES[reason]);
  fill("revision", state.revision);
  if (reason !== "Ready") return isChanged;
  const { generation } = context.owner.metadata;
  if (before["appliedGeneration"] !== generation || before["revision"] !== state.revision)
    fill("lastAppliedAt", new Date(pass.clock.now()).toISOString().replace(/\.\d+Z$/, "Z"));
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
};
