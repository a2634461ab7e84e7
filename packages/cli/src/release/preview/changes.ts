/** What a run would change: one entry for each object. Pure. */
import type { RunProgress, RunObject } from "@treadle/dependents/unstable/run";
import { idOf, nameOf, type ObjectName } from "../../cluster/object-name.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { conflictText, type DryWrite } from "./recorder.ts";

/** What would become of one object. */
export interface Change {
  readonly object: ObjectName;
  /** `release`: it stays in the cluster, and no longer belongs to the release. `refuse`: the run would fail at it. */
  readonly action: "create" | "update" | "delete" | "release" | "none" | "refuse";
  /** The fields of an update. */
  readonly fields: readonly FieldChange[];
  /** Whether the server was not asked: the kind or the namespace of the object does not exist yet. */
  readonly isUnchecked?: true;
  /** Why it is refused, or why it is not deleted. */
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the changes in the order of the objects, and the removals at the end. */
export function changesOf(
  { objects, leaving }: Pick<RunProgress, "objects" | "leaving">,
  writes: ReadonlyMap<string, DryWrite>,
  { takesHelm }: { readonly takesHelm: boolean } = { takesHelm: false },
): readonly Change[] {
  const known = new Set(objects.map(idOf));
  const changes = objects.map((each) => {
    const write = writes.get(idOf(each));
    return (takesHelm ? undefined : ofHelm(each, write)) ?? changeOf(each, write);
  });
  const leavingIds = new Set(leaving.map(idOf));
  const removed = leaving.map((entry): Change => {
    const { apiVersion, kind, name, namespace, reason, message } = entry;
    const object = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    if (reason === "DeletionBlocked" || reason === "NamespaceInUse") return { object, action: "none", fields: [], reason, message };
    if (entry.type === "Failed") return { object, action: "refuse", fields: [], reason, message };
    return { object, action: "delete", fields: [] };
  });
  const others = [...writes].flatMap(([id, { verb, before }]): readonly Change[] => {
    if (known.has(id) || leavingIds.has(id) || before === undefined) return [];
    // An object that the sources no longer have is deleted, or loses the marks of the release.
    const action = verb === "delete" ? "delete" : "release";
    return [
      { object: nameOf(before), action, fields: [], ...(action === "release" ? { message: "it stays, and belongs to nobody" } : {}) },
    ];
  });
  return [...madeNamespaces(objects, writes), ...changes, ...removed, ...others];
}

/** The namespaces that the run makes because objects need them, and that are no objects of the release. */
function madeNamespaces(objects: readonly RunObject[], writes: ReadonlyMap<string, DryWrite>): readonly Change[] {
  const own = new Set(objects.filter(({ kind, apiVersion }) => kind === "Namespace" && apiVersion === "v1").map(({ name }) => name));
  const names = new Set(objects.flatMap((each) => (writes.get(idOf(each))?.namespace === "made" ? (each.namespace ?? []) : [])));
  return [...names]
    .filter((name) => !own.has(name))
    .map((name) => ({ object: { apiVersion: "v1", kind: "Namespace", name }, action: "create", fields: [] }));
}

function changeOf(run: RunObject, write: DryWrite | undefined): Change {
  const { apiVersion, kind, name, namespace, state, operation, error, isInstance, phase } = run;
  const object = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const none = { object, fields: [] };
  if (write !== undefined && write.conflicts.length > 0)
    return { ...none, action: "refuse", reason: "FieldConflict", message: conflictText(write.conflicts) };
  if (state.reason === "KindNotServed" && isInstance) return { ...none, action: "create", isUnchecked: true };
  if (write?.namespace === "made") return { ...none, action: "create", isUnchecked: true };
  if (write?.namespace === "missing")
    return { ...none, action: "refuse", reason: "NamespaceNotFound", message: `the namespace ${namespace ?? ""} does not exist` };
  if (state.reason === "NotOurs") return { ...none, action: "refuse", ...ownerOf(state.message) };
  if (REFUSED.has(state.reason) || error !== undefined) return { ...none, action: "refuse", reason: state.reason, message: state.message };
  if (write?.verb === "delete" && phase !== "Completed") return { ...none, action: "update", message: "it is deleted and created again" };
  if (operation.type === "created") return { ...none, action: "create" };
  if (write?.before === undefined || write.after === undefined) return { ...none, action: "none" };
  const fields = fieldChanges(write.before, write.after);
  // Marks alone are a change, too: the release takes the object.
  const isTaken = fields.length === 0 && operation.type === "updated" && isMarkedNew(write);
  return fields.length === 0 && !isTaken
    ? { ...none, action: "none" }
    : { object, action: "update", fields, ...(isTaken ? { message: "the release takes it; no field changes" } : {}) };
}

/** Refuses an object that a release of Helm has. To the engine it belongs to nobody. */
function ofHelm({ apiVersion, kind, name, namespace }: RunObject, write: DryWrite | undefined): Change | undefined {
  const { annotations = {}, labels = {} } = write?.before?.metadata ?? {};
  const release = annotations["meta.helm.sh/release-name"];
  if (release === undefined || labels["app.kubernetes.io/managed-by"] !== "Helm" || isMarked(labels)) return undefined;
  const object = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const owner = `${annotations["meta.helm.sh/release-namespace"] ?? namespace ?? ""}/${release}`;
  return { object, action: "refuse", fields: [], reason: "OfHelm", message: `it belongs to the release ${owner} of Helm` };
}

/** Whose an object is that the run must not take, as the engine says it at the end of its message. */
function ownerOf(message: string): Pick<Change, "reason" | "message"> {
  const owner = /: it belongs to (.*)$/s.exec(message)?.[1];
  return owner === undefined
    ? { reason: "Unowned", message: "it exists, and belongs to nobody" }
    : { reason: "NotOurs", message: `it belongs to ${owner}` };
}

/** Reasons of objects that a run would not write. */
const REFUSED: ReadonlySet<string> = new Set(["Immutable", "KindNotServed", "Forbidden", "NotRecreatable"]);

function isMarkedNew({ before, after }: DryWrite): boolean {
  return !isMarked(before?.metadata.labels) && isMarked(after?.metadata.labels);
}

function isMarked(labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(labels).some((key) => key.startsWith("releases.treadle.dev/"));
}

/** The number of changes of each action. */
export type Counts = { readonly [A in Change["action"]]: number };

export function countsOf(changes: readonly Change[]): Counts {
  const counts = { create: 0, update: 0, delete: 0, release: 0, none: 0, refuse: 0 };
  for (const { action } of changes) counts[action]++;
  return counts;
}

/** Whether the run would change anything. */
export function hasDifference(changes: readonly Change[]): boolean {
  return changes.some(({ action }) => action !== "none");
}
