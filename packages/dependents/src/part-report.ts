/** What became of a part in a pass, for the composite that reports for it. */
import type { Ref } from "@treadle/apimachinery";
import type { Absence } from "./entry-condition.ts";
import { dependents } from "./extension.ts";
import { causeOfWait } from "./extension/entries.ts";
import type { Cause, SeenObject } from "./supervision.ts";

/** What became of a part in a pass. */
export type PartReport =
  /** The part keeps objects. `error`: some of them failed. */
  | { readonly type: "objects"; readonly objects: readonly SeenObject[]; readonly error: unknown }
  /** The part keeps no object, and none is left. */
  | { readonly type: "none"; readonly why: Absence | undefined }
  /** The part keeps no object, and `objects` are still to be removed. */
  | { readonly type: "leaving"; readonly why: Absence | undefined; readonly objects: readonly string[] }
  /** The part waits before it looks at an object. `error`: the conflict for which it waits. */
  | { readonly type: "waits"; readonly cause: Cause; readonly reason: string; readonly error: unknown }
  | { readonly type: "failed"; readonly error: unknown }
  | { readonly type: "unreached" };

const UNREACHED: PartReport = Object.freeze({ type: "unreached" });

/** Returns what became of a part so far. `req` is that of any step of the pass. @throws TypeError for a step that is no dependent */
export function partReportOf(req: unknown, step: string): PartReport {
  const pass = dependents.of(req);
  const { found } = pass;
  const part = pass.handler.steps.find(({ name }) => name === step);
  if (part === undefined) throw new TypeError(`step "${step}" is not a dependent of this handler`);
  const ended = pass.progressOf(part.step);
  const error = ended?.type === "failed" ? ended.error : ended?.type === "wait" ? ended.conflict : undefined;
  const objects = found.seen.get(step);
  if (objects !== undefined) return { type: "objects", objects, error };
  if (ended?.type === "failed") return { type: "failed", error };
  const why = found.absences.get(step);
  if (found.unwanted.has(step)) return { type: "leaving", why, objects: found.leaving.get(step) ?? [] };
  if (ended?.type === "wait") return { type: "waits", cause: causeOfWait(ended), reason: ended.reason, error };
  return ended?.type === "done" ? { type: "none", why } : UNREACHED;
}

/** What was removed of a part after the chain. */
export interface PartRemoval {
  /** The name of the step. */
  readonly step: string;
  /** The objects for which a delete was sent. */
  readonly deleted: readonly Ref[];
  /** The objects that were released. */
  readonly released: readonly Ref[];
  /** What a removal threw. */
  readonly error: unknown;
}

/** Returns what was removed of parts, for the `post` of their composite. Parts of which nothing was removed are left out. */
export function removalsOf(req: unknown, steps: readonly string[]): readonly PartRemoval[] {
  const pass = dependents.of(req);
  const { found, handler } = pass;
  if (found.removed.size === 0 && found.unwanted.size === 0) return NONE;
  return steps.flatMap((step) => {
    const part = handler.steps.find(({ name }) => name === step);
    // Only a step that keeps no object is removed after the chain.
    const ended = part === undefined || !found.unwanted.has(step) ? undefined : pass.progressOf(part.step);
    const error = ended?.type === "failed" ? ended.error : undefined;
    const { deleted = [], released = [] } = found.removed.get(step) ?? {};
    return error === undefined && deleted.length + released.length === 0 ? [] : [{ step, deleted, released, error }];
  });
}

const NONE: readonly PartRemoval[] = [];
