/**
 * What a server accepts and does not store: an older CRD prunes a field, a webhook removes it. Before a side effect that is
 * a failure; of what a pass says at its end it is known for a while, so that it is not asked for again and again.
 */
import { applyMergePatch, createMergePatch, type KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import type { Pass } from "./pass-state.ts";

export interface NotStored {
  /** The text of what was asked for in vain. */
  readonly change: string;
  /** Until then it is not asked for again; in the clock's milliseconds. */
  readonly untilMs: number;
  /** What of it somebody misses. */
  readonly fields: readonly string[];
}

/** How long a CRD that prunes is taken to stay as it is: it may have been upgraded. */
const FUTILE_FOR_MS = 10 * 60_000;

/** A status write that the server would prune again as it did last time is none. */
export function unlessKnownFutile({ memory, clock }: Pass, change: object | undefined): object | undefined {
  const { notStored } = memory;
  const isKnown = notStored !== undefined && clock.now() < notStored.untilMs && fingerprint(change) === notStored.change;
  return isKnown ? undefined : change;
}

/** Remembers what is still missing after a save, says so once, and sees that it is tried again. */
export function noteNotStored(pass: Pass, missing: object | undefined, wasWritten: boolean): void {
  const { memory, writer, clock, pipeline } = pass;
  const known = memory.notStored;
  if (known === undefined && !wasWritten) return;
  const change = fingerprint(missing);
  if (missing === undefined || change === undefined) {
    memory.notStored = undefined;
    return;
  }
  const fields = fieldsOf(missing, writer.newest);
  const isAsBefore = !wasWritten && known?.change === change;
  memory.notStored = isAsBefore ? known : { change, untilMs: clock.now() + FUTILE_FOR_MS, fields };
  if (fields.length === 0) return;
  if (known?.fields.join() !== fields.join())
    pass.log.warn({ fields }, `the server accepts but does not store what the status of ${pipeline.kind.kind} should say: ${HINT}`);
  pass.wishes.push({ reason: "to store what the server did not store", afterMs: memory.notStored.untilMs - clock.now() });
}

/** @throws ReconcileError naming the fields that the server did not store. */
export function requireStored(pass: Pass, missing: unknown, under: string): void {
  if (missing === undefined) return;
  const { kind } = pass.pipeline;
  throw new ReconcileError(
    "ERR_NOT_STORED",
    `the server accepted but did not store ${pathsOf(missing, under).join(", ")} of ${kind.kind} ${pass.object.metadata.name}: ${HINT}`,
  );
}

const HINT = "its installed CRD lacks the field, or a webhook removes it; install the CRD that the handler was built with";

/** The fields of a status patch but observedGeneration, wherever it stands: many kinds have no room for it, and nobody misses it. */
function fieldsOf(missing: object, newest: KubernetesObject): readonly string[] {
  const { status: before = {} } = newest as { readonly status?: object };
  const { status: patch } = missing as { readonly status?: unknown };
  const rest = createMergePatch(withoutGenerations(before), withoutGenerations(applyMergePatch(before, patch)));
  return rest === undefined ? [] : pathsOf(rest, "status");
}

function withoutGenerations(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key: string, inner: unknown) => (key === "observedGeneration" ? undefined : inner)));
}

function pathsOf(patch: unknown, path: string): string[] {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return [path];
  return Object.entries(patch).flatMap(([key, value]) => pathsOf(value, path === "" ? key : `${path}.${key}`));
}

/** The text of a patch without the times in it: a condition that is never stored is new each time. */
export function fingerprint(change: object | undefined): string | undefined {
  return change === undefined
    ? undefined
    : JSON.stringify(change, (key: string, value: unknown) => (key === "lastTransitionTime" ? undefined : value));
}
