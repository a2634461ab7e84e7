/**
 * Whether somebody else's write matters for what a pass has decided: what a step can read of the object, but not what
 * other controllers keep there for themselves.
 */
import { createMergePatch, jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { Pipeline } from "../build/pipeline.ts";
import { storedState } from "./state.ts";
import type { Change } from "./heartbeats.ts";
import { authorsPart } from "./pass-drafts.ts";
import { isObject } from "../internal/is-object.ts";

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
  // What the engine and its extensions keep is merged part by part, like conditions.
  return { metadata: { labels, annotations, ownerReferences }, status: authorsPart(status, kind) };
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
