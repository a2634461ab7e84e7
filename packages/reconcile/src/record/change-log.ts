/**
 * The log of changes: one line at info for each change that a pass makes. A pass that changes nothing is silent. Values are
 * never logged, only the paths of fields.
 */
import { type Condition, createMergePatch, groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Logger } from "../req.ts";

/** What the log of changes needs of a pass. */
export interface LoggedPass {
  readonly log: Logger;
  readonly env: { readonly isDryRun?: boolean };
  readonly object: KubernetesObject;
  readonly pipeline: { readonly kind: Kind; readonly conditions: object | undefined };
  /** What started the pass. */
  readonly cause: string | undefined;
}

/** A change of one object. */
export interface LoggedChange {
  readonly operation: "created" | "updated" | "deleted";
  readonly kind: Kind;
  readonly ref: Ref;
  /** The fields that changed, as far as they are known. */
  readonly paths?: readonly string[];
  /** The step that made it; none where the engine did. */
  readonly step?: string;
}

/** Logs a change of an object. Nothing in a dry run, which logs what it would write itself. */
export function logChange(pass: LoggedPass, { operation, kind, ref, paths = [], step }: LoggedChange): void {
  if (pass.env.isDryRun === true) return;
  const shown = paths.slice(0, MAX_PATHS);
  const more = paths.length > shown.length ? [`and ${paths.length - shown.length} more`] : [];
  const fields = paths.length === 0 ? "" : `: ${[...shown, ...more].join(", ")}`;
  pass.log.info(
    {
      change: operation,
      of: { kind: groupKindOf(kind), name: keyOf(ref) },
      ...(paths.length === 0 ? {} : { paths: shown }),
      ...(step === undefined ? {} : { by: step }),
      ...causeOf(pass),
    },
    `${operation} ${kind.kind} ${keyOf(ref)}${fields}`,
  );
}

/** More than so many paths are counted. */
const MAX_PATHS = 10;

/** Logs what a write of the primary changed: its fields, and each condition by itself. */
export function logPrimary(pass: LoggedPass, before: KubernetesObject, after: KubernetesObject): void {
  if (pass.env.isDryRun === true) return;
  const { kind, conditions: rules } = pass.pipeline;
  const paths = changedPaths(before, after).filter((path) => rules === undefined || !KEPT.has(path));
  if (paths.length > 0) logChange(pass, { operation: "updated", kind, ref: pass.object.metadata, paths });
  for (const { type, status, reason, message } of changedConditions(before, after)) {
    const why = message === "" ? "" : `: ${message}`;
    pass.log.info({ condition: type, status, reason, message, ...causeOf(pass) }, `${type} is ${status} (${reason})${why}`);
  }
}

/** What changes with nearly every write, and what is logged by itself. */
const KEPT: ReadonlySet<string> = new Set(["status.conditions", "status.observedGeneration", "status.lastHandledReconcileAt"]);

/** The conditions whose status or reason is another one, or that are new. */
function changedConditions(before: KubernetesObject, after: KubernetesObject): readonly Condition[] {
  const known = new Map(conditionsOf(before).map((condition) => [condition.type, condition]));
  return conditionsOf(after).filter(({ type, status, reason }) => {
    const previous = known.get(type);
    return previous?.status !== status || previous.reason !== reason;
  });
}

function conditionsOf(object: KubernetesObject): readonly Condition[] {
  return (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status?.conditions ?? [];
}

/** The paths of the fields in which two states of an object differ; what the server keeps of its own accord is left out. */
export function changedPaths(before: object, after: object): readonly string[] {
  return pathsOf(createMergePatch(withoutServerFields(before), withoutServerFields(after)));
}

/** The paths of the fields that a merge patch changes. */
export function pathsOf(patch: unknown, path: string = ""): readonly string[] {
  if (patch === undefined) return [];
  if (typeof patch !== "object" || patch === null || Array.isArray(patch) || Object.keys(patch).length === 0) return [path];
  return Object.entries(patch).flatMap(([key, value]) => pathsOf(value, path === "" ? key : `${path}.${key}`));
}

function withoutServerFields(object: object): object {
  const { metadata, ...rest } = object as Partial<KubernetesObject>;
  if (metadata === undefined) return rest;
  const { managedFields: _m, resourceVersion: _r, generation: _g, uid: _u, creationTimestamp: _c, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function causeOf({ cause }: LoggedPass): { readonly cause?: string } {
  return cause === undefined ? {} : { cause };
}
