/** The watches that the steps of a pass ask for, and the end of those that they no longer ask for. */
import { groupKindOf, isMetadataOnly, type Kind, keyOf, kindIdOf } from "@treadle/apimachinery";
import type { KindName } from "@treadle/client";
import { isKind, type KindWatch, watchIdOf } from "../kind-watch.ts";
import { misuse } from "../internal/misuse.ts";
import type { Pass } from "../record/pass-state.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** Holds the watch of a kind for the object of the pass. @throws Misuse for a value that is not a kind, and without a service */
export function watchKind(pass: Pass, step: StepRuntime, kind: Kind | KindName): KindWatch {
  const id = watchIdOf(kind);
  const { watches } = pass.env;
  if (watches === undefined) throw misuse("ERR_INVALID_STEP", "req.watch: this environment cannot watch kinds at run time");
  const held = watches.hold(kind, keyOf(pass.object.metadata));
  const watch: KindWatch = "kind" in held && isKind(kind) ? { ...held, kind } : held;
  pass.watches ??= new Map();
  let ofStep = pass.watches.get(step.name);
  if (ofStep === undefined) pass.watches.set(step.name, (ofStep = new Map()));
  ofStep.set(id, watch);
  return watch;
}

/** How a pass may read a kind from the cache because of `req.watch`: `undefined` if no step of the pass asked for it. */
export function watchedBy(pass: Pass, kind: Kind): "whole" | "metadata" | { readonly reason: string } | undefined {
  let reason: string | undefined;
  let hasMetadata = false;
  for (const ofStep of pass.watches?.values() ?? [])
    for (const [id, watch] of ofStep) {
      if (watch.type === "synced" && kindIdOf(watch.kind) === kindIdOf(kind)) {
        if (!isMetadataOnly(watch.kind) && watch.kind.cachedAs !== "metadata") return "whole";
        hasMetadata = true;
      } else if (watch.type !== "synced" && names(id, kind)) reason = watch.reason;
    }
  if (hasMetadata) return "metadata";
  return reason === undefined ? undefined : { reason };
}

/** Whether a step of the pass asked for the kind by `req.watch`, and the server serves it; `undefined` if none asked. */
export function isServedByWatch(pass: Pass, kind: Kind): boolean | undefined {
  let isServed: boolean | undefined;
  for (const ofStep of pass.watches?.values() ?? [])
    for (const [id, watch] of ofStep)
      if (watch.type === "synced" ? kindIdOf(watch.kind) === kindIdOf(kind) : names(id, kind))
        isServed = watch.type !== "not-served" && watch.type !== "refused";
  return isServed;
}

/** Whether the id of a watch names the kind, with its version or without one. */
function names(id: string, kind: Kind): boolean {
  const named = id.replace(/ .*$/, "");
  return named === kindIdOf(kind) || named === kindIdOf({ ...kind, version: "*" });
}

/** @throws Misuse unless a step of the pass asked for the kind by `req.watch`, and its objects are listed in the form that is read */
export function requireWatched(pass: Pass, kind: Kind): void {
  const watched = watchedBy(pass, kind);
  if (watched === "whole" || (watched === "metadata" && isMetadataOnly(kind))) return;
  const groupKind = groupKindOf(kind);
  if (watched === "metadata")
    throw misuse(
      "ERR_NOT_DECLARED",
      `req.cache: of ${groupKind} only metadata is watched: ask for metadataOnly(${kind.kind}), or use req.client`,
    );
  if (watched !== undefined)
    throw misuse(
      "ERR_NOT_DECLARED",
      `req.cache: the objects of ${groupKind} are not known: ${watched.reason}; read them only if the type of req.watch(${kind.kind}) is "synced"`,
    );
  throw misuse(
    "ERR_NOT_DECLARED",
    `req.cache: ${groupKind} is not watched by handler "${pass.pipeline.name}": declare it by reads, owns or watch(), call req.watch() in this pass, or use req.client`,
  );
}

/**
 * Releases the watches that the pass no longer asked for. A step that did not run, failed or was interrupted keeps those of its
 * earlier passes, because it may not have come to the call.
 */
export function settleWatches(pass: Pass): void {
  const { env, memory } = pass;
  if (env.watches === undefined) return;
  const before = memory.watches ?? new Map<string, ReadonlySet<string>>();
  const after = new Map<string, ReadonlySet<string>>();
  for (const step of new Set([...before.keys(), ...(pass.watches?.keys() ?? [])])) {
    const asked = pass.watches?.get(step)?.keys() ?? [];
    const kept = isComplete(pass, step) ? [] : (before.get(step) ?? []);
    const ids = new Set([...kept, ...asked]);
    if (ids.size > 0) after.set(step, ids);
  }
  memory.watches = after.size === 0 ? undefined : after;
  const held = idsIn(after);
  for (const id of idsIn(before)) if (!held.has(id)) env.watches.release(id, keyOf(pass.object.metadata));
}

/** Returns the ids of all steps. */
function idsIn(watches: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  return new Set([...watches.values()].flatMap((ids) => [...ids]));
}

function isComplete({ phases, over, isAborted }: Pass, step: string): boolean {
  if (over !== undefined || isAborted) return false;
  const ran = phases.filter((report) => report.step === step && report.phase !== "gate");
  return ran.length > 0 && ran.every(({ result }) => result !== "failed");
}
