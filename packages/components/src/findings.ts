/** What became of the resources of a component in a pass, in its words. */
import { causeOfError, type PartReport, partReportOf, type SeenObject } from "@treadle/dependents/unstable/step";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { Definition, Resource } from "./definition.ts";
import type { Run } from "./extension.ts";
import { type ComponentReason, componentReasons, isComponentReason, isReadyReason } from "./reasons.ts";
import { isSuspendable } from "./suspension.ts";

/** The word of one object of a resource. */
export interface Word {
  readonly resource: Resource;
  readonly reason: ComponentReason;
  readonly message: string;
  readonly object: SeenObject | undefined;
}

/** A failure of one resource. */
export interface Failure {
  readonly resource: Resource;
  readonly message: string;
  /** What the resource threw; `undefined` if it only reports the failure. */
  readonly error: unknown;
}

/** The findings of a pass. */
export interface Findings {
  /** The words that count for the condition. */
  readonly words: readonly Word[];
  readonly errors: readonly Failure[];
  /** Failures that a retry resolves. */
  readonly transient: readonly Failure[];
  /** The objects that are still to be removed, as messages name them. */
  readonly leaving: readonly string[];
  /** All objects of resources that ran. */
  readonly objects: readonly (SeenObject & { readonly resource: Resource })[];
}

interface Found {
  readonly isSuspended: boolean;
  readonly words: Word[];
  readonly errors: Failure[];
  readonly transient: Failure[];
  readonly leaving: string[];
  readonly objects: (SeenObject & { readonly resource: Resource })[];
}

/** Returns what became of the resources so far. */
export function findingsOf({ resources }: Definition, req: unknown, { mode, reports }: Pick<Run, "mode" | "reports">): Findings {
  const found: Found = { isSuspended: mode === "suspended", words: [], errors: [], transient: [], leaving: [], objects: [] };
  for (const resource of resources) add(found, resource, reports.get(resource.name) ?? partReportOf(req, resource.name));
  return found;
}

function add(found: Found, resource: Resource, report: PartReport): void {
  switch (report.type) {
    case "objects":
      return addObjects(found, resource, report);
    case "failed":
      return fail(found, resource, report.error);
    case "waits":
      if (report.cause === "transient") found.transient.push({ resource, message: report.reason, error: report.error });
      else if (report.cause === "error") found.errors.push({ resource, message: report.reason, error: undefined });
      else if (report.cause === "values") found.words.push({ resource, reason: "Blocked", message: report.reason, object: undefined });
      return;
    case "leaving":
      found.leaving.push(...(report.objects.length > 0 ? report.objects : [`the objects of "${resource.name}"`]));
      if (found.isSuspended && isSuspendable(resource))
        found.words.push({ resource, reason: "Suspending", message: "it is being deleted", object: undefined });
      return;
    case "none":
    case "unreached":
      return;
  }
}

function addObjects(found: Found, resource: Resource, { objects, error }: PartReport & { readonly type: "objects" }): void {
  let isTold = false;
  for (const object of objects) {
    found.objects.push({ ...object, resource });
    const { cause, state } = object;
    const reason = isComponentReason(state.reason) ? state.reason : "Unknown";
    if (cause === "transient" || reason === "Error") {
      isTold = true;
      (cause === "transient" ? found.transient : found.errors).push({ resource, message: state.message, error });
    } else if (reason === "Blocked" || counts(resource, reason)) found.words.push({ resource, reason, message: state.message, object });
  }
  if (error !== undefined && !isTold) fail(found, resource, error);
}

function fail(found: Found, resource: Resource, error: unknown): void {
  const failures = causeOfError(error) === "transient" ? found.transient : found.errors;
  failures.push({ resource, message: statusMessage(error), error });
}

/** A static object that is ready says nothing; a resource that is not checked for readiness holds up nothing. */
function counts({ counts: isCounted, record }: Resource, reason: ComponentReason): boolean {
  return isCounted && !(record.category === "static" && isReadyReason(reason));
}

/** Returns the highest of the words, with the messages of its rank; `undefined` without words. Their order does not count for the reason. */
export function highest(
  words: readonly Pick<Word, "resource" | "reason" | "message">[],
): { readonly reason: ComponentReason; readonly message: string } | undefined {
  let top: ComponentReason | undefined;
  for (const { reason } of words) if (top === undefined || componentReasons[reason].rank > componentReasons[top].rank) top = reason;
  return top === undefined ? undefined : { reason: top, message: messageOf(words.filter(({ reason }) => reason === top)) };
}

/** So many messages of one resource with many objects are told. */
const MAX_OF_RESOURCE = 5;

/** Joins messages, each with the name of its resource. Objects of a resource that say the same are told once. */
export function messageOf(told: readonly { readonly resource: Pick<Resource, "name">; readonly message: string }[]): string {
  const texts = new Map<string, Set<string>>();
  for (const { resource, message } of told) {
    const of = texts.get(resource.name) ?? new Set();
    texts.set(resource.name, of.add(message === "" ? resource.name : `${resource.name}: ${message}`));
  }
  return [...texts].flatMap(([name, of]) => shortened(name, [...of])).join("; ");
}

function shortened(name: string, texts: readonly string[]): readonly string[] {
  if (texts.length <= MAX_OF_RESOURCE) return texts;
  return [...texts.slice(0, MAX_OF_RESOURCE), `${name}: and ${texts.length - MAX_OF_RESOURCE} more messages`];
}
