/**
 * The log of changes: one line at info for each change that a pass makes. A pass that changes nothing is silent. Values are
 * never logged, only the paths of fields.
 */
import { type Condition, createMergePatch, groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "../env.ts";
import type { Logger } from "../req.ts";

/** What the log of changes needs of a pass. */
export interface LoggedPass {
  readonly log: Logger;
  readonly env: Pick<ReconcilerEnv, "isDryRun">;
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

/** Logs that the primary no longer exists. */
export function logDeletion(log: Logger, kind: Kind, ref: Ref): void {
  log.info({ change: "deleted", of: { kind: groupKindOf(kind), name: keyOf(ref) } }, `${kind.kind} ${keyOf(ref)} was deleted`);
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

/** Fields that change with nearly every write, and the conditions, which have lines of their own. */
const KEPT: ReadonlySet<string> = new Set(["status.conditions", "status.observedGeneration", "status.lastHandledReconcileAt"]);

/** A write of a step, as the step asked for it. */
export interface StepWrite {
  readonly verb: "create" | "update" | "patch";
  /** The object, or the body of the patch. */
  readonly body: object;
  /** The object before the write, if the step knows it. */
  readonly before?: KubernetesObject | undefined;
}

/** A write of a step that the server has answered. */
interface AnsweredWrite extends StepWrite {
  readonly kind: Kind;
  readonly stored: unknown;
  readonly metadata: KubernetesObject["metadata"];
  readonly step: string;
}

/** Logs what a step wrote through `req.client`. A write that changed nothing is not logged: the server kept the version. */
export function logWrite(pass: LoggedPass & { readonly memory: Seen; readonly written: ReadonlySet<string> }, write: AnsweredWrite): void {
  const { kind, metadata, step, verb, before } = write;
  const version = `${groupKindOf(kind)} ${keyOf(metadata)} ${metadata.resourceVersion ?? ""}`;
  const isKnown = before?.metadata.resourceVersion === metadata.resourceVersion;
  if (isKnown || pass.memory.written.has(version) || pass.written.has(version)) return;
  logChange(pass, { operation: verb === "create" ? "created" : "updated", kind, ref: metadata, paths: writtenPaths(write), step });
}

interface Seen {
  readonly written: ReadonlySet<string>;
}

function writtenPaths({ verb, body, before, stored }: AnsweredWrite): readonly string[] {
  if (Array.isArray(body)) return (body as readonly { readonly op: string; readonly path: string }[]).flatMap(pathOfOperation);
  // The labels and the owner of new objects are alike.
  if (verb === "create") return pathsOf({ ...withoutServerFields(body), metadata: undefined });
  if (verb === "patch") return pathsOf(withoutServerFields(body));
  if (before === undefined) return [];
  // The status of another object is its own controller's.
  return changedPaths(before, stored as object).filter((path) => !/^status(?:\.|$)/.test(path));
}

/** `/data/a~1b` is `data.a/b`. A `test` changes nothing. */
function pathOfOperation({ op, path }: { readonly op: string; readonly path: string }): readonly string[] {
  return op === "test" ? [] : [path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~")];
}

/** The conditions that are new, or whose status or reason has changed. */
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

/** Returns the paths of the fields in which two states of an object differ, without the fields that the server sets. */
export function changedPaths(before: object, after: object): readonly string[] {
  return pathsOf(createMergePatch(withoutServerFields(before), withoutServerFields(after)));
}

/** The paths of the fields that a merge patch changes. */
function pathsOf(patch: unknown, path: string = ""): readonly string[] {
  if (patch === undefined) return [];
  if (typeof patch !== "object" || patch === null || Array.isArray(patch) || Object.keys(patch).length === 0) return [path];
  return Object.entries(patch).flatMap(([key, value]) => pathsOf(value, path === "" ? key : `${path}.${key}`));
}

function withoutServerFields(object: object): object {
  const { metadata, apiVersion: _a, kind: _k, ...rest } = object as Partial<KubernetesObject>;
  if (metadata === undefined) return rest;
  const kept = Object.entries(metadata).filter(([field]) => !OF_SERVER.has(field));
  return kept.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(kept) };
}

/** The fields of metadata that the server sets, or that name the object. */
const OF_SERVER: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
  "name",
  "namespace",
  "generateName",
]);

function causeOf({ cause }: LoggedPass): { readonly cause?: string } {
  return cause === undefined ? {} : { cause };
}
