/**
 * Whether somebody else's write matters for what a pass has decided: what a step can read of the object, but not what
 * other controllers keep there for themselves.
 */
import { createMergePatch, jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { Pipeline } from "./pipeline.ts";
import { storedState } from "./state.ts";
import { isObject } from "./is-object.ts";

/** What somebody else changed, by path. */
export interface Change {
  readonly path: string;
  /** It voids what the pass decided however often it happens; anything else may turn out to be a heartbeat. */
  readonly isDecisive: boolean;
}

/** The place of a change, for people; the spec and other things that always count have none. */
export function nameOf({ path }: Change): string {
  return path === "" ? "spec, deletion or step state" : path.replaceAll("\u0000", ".");
}

/** What a pass decided on: everything, or after the cleanups only what could make them necessary again. */
export type Basis = "decision" | "cleanup";

/**
 * What of the difference gives the steps of this handler a reason to decide otherwise than on `before`. Of the status what
 * other field managers own is theirs, unless a step writes it too: `touched` is the merge patch that the pass wants.
 */
export function materialChanges(
  pipeline: Pipeline,
  [before, after]: readonly [KubernetesObject, KubernetesObject],
  given: { readonly basis: Basis; readonly touched: unknown },
): readonly Change[] {
  if (!jsonEqual(decisiveOf(pipeline, before), decisiveOf(pipeline, after))) return [{ path: "", isDecisive: true }];
  const sides = [before, after].map((object) => looseOf(pipeline, object, given.basis));
  const { touched } = given;
  return pathsOf(createMergePatch(sides[0], sides[1])).flatMap((path): Change[] => {
    const owners = ownersOf(after, path);
    const isOurs = pipeline.before.names.some((name) => owners.has(name)) || covers({ status: touched }, path);
    if (path[0] === "status" && owners.size > 0 && !isOurs) return [];
    return [{ path: path.join("\u0000"), isDecisive: isOurs }];
  });
}

/** Which changes are heartbeats: not decisive, and of the same place as what ended the passes before. */
export class Heartbeats {
  /** Made for the first change: most objects never see one. */
  #inARow: Map<string, number> | undefined;
  #passes = 0;

  /** Passes that ended one after the other because somebody else wrote. */
  get passesInARow(): number {
    return this.#passes;
  }

  /** The changes without those that ended the last two passes: waiting for a quiet moment would be waiting for ever. */
  without(changes: readonly Change[]): readonly Change[] {
    return changes.filter(({ path, isDecisive }) => isDecisive || (this.#inARow?.get(path) ?? 0) < ENDED_IN_A_ROW);
  }

  /** A pass is over, and these changes have ended it; none when it came to its end. */
  passEnded(by: readonly Change[] | undefined): void {
    this.#passes = by === undefined ? 0 : this.#passes + 1;
    if (by === undefined && this.#inARow === undefined) return;
    const inARow = (this.#inARow ??= new Map());
    const paths = new Set((by ?? []).map(({ path }) => path));
    for (const [path, times] of inARow) if (times < ENDED_IN_A_ROW && !paths.has(path)) inARow.delete(path);
    for (const path of paths) inARow.set(path, (inARow.get(path) ?? 0) + 1);
  }
}

/** What ended two passes in a row is a heartbeat to the third. */
const ENDED_IN_A_ROW = 2;

/** What always counts: what the user wants, whether the object is to live, and what our steps remember. */
function decisiveOf(pipeline: Pipeline, object: KubernetesObject): unknown {
  const { metadata, status: _status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const state = storedState(pipeline, object);
  const ours = pipeline.leaves.filter((step) => step.state !== undefined).map(({ name }) => state[name]);
  return { ...rest, isDeleting: metadata.deletionTimestamp !== undefined, ours };
}

/** What counts unless it is somebody's own. */
function looseOf({ kind }: Pipeline, { metadata, ...object }: KubernetesObject, basis: Basis): object {
  const { labels, annotations, ownerReferences } = metadata;
  if (basis === "cleanup") return { metadata: { labels, annotations } };
  const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> };
  const { conditions: _c, observedGeneration: _o, lastHandledReconcileAt: _l, steps: _s, dependents, ...fields } = status;
  // Entries are merged one by one, like conditions.
  const own = kind.resource?.dependents === true ? {} : { dependents };
  return { metadata: { labels, annotations, ownerReferences }, status: { ...fields, ...own } };
}

/** The places that a merge patch changes. */
function pathsOf(patch: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (patch === undefined) return [];
  const members = isObject(patch) ? Object.entries(patch) : [];
  return members.length === 0 ? [path] : members.flatMap(([key, value]) => pathsOf(value, [...path, key]));
}

/** The field managers that own something at, below or above `path`. */
function ownersOf(object: KubernetesObject, path: readonly string[]): ReadonlySet<string> {
  const owners = (object.metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
    covers(
      fieldsV1,
      path.map((key) => `f:${key}`),
    ),
  );
  return new Set(owners.map(({ manager }) => manager ?? ""));
}

/** Whether `tree` has something at `path`, or ends above it. */
function covers(tree: unknown, path: readonly string[]): boolean {
  let here = tree;
  for (const [depth, key] of path.entries()) {
    if (!isObject(here)) return here !== undefined;
    // An empty set of fields stands for the whole field; of the status only for an empty one.
    if (Object.keys(here).length === 0) return depth > 1;
    if (!Object.hasOwn(here, key)) return false;
    here = here[key];
  }
  return here !== undefined;
}
