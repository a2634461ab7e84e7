/**
 * Decides whether a change by another writer matters for a pass: a change of what a step can read, but not of fields that other
 * controllers keep for themselves.
 */
import { createMergePatch, jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import type { Pipeline } from "../build/pipeline.ts";
import { storedState } from "./state.ts";
import type { Change } from "./heartbeats.ts";
import { authorsPart } from "./pass-drafts.ts";
import { isObject } from "../internal/is-object.ts";

/** The place of a change, for users. Decisive changes, such as the spec, have none. */
export function nameOf({ path }: Change): string {
  return path === "" ? "spec, deletion or step state" : path.replaceAll("\u0000", ".");
}

/** The basis of a decision: everything, or after the cleanups only what could make them necessary again. */
export type Basis = "decision" | "cleanup";

/**
 * Returns the changes that could make the steps of this handler decide otherwise than on `before`. Status fields of other field
 * managers do not count, unless a step writes them too: `touched` is the merge patch of the pass.
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

/** What always counts: the spec, the deletion, and the state of our steps. */
function decisiveOf(pipeline: Pipeline, object: KubernetesObject): unknown {
  const { metadata, status: _status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const state = storedState(pipeline, object);
  const ours = pipeline.leaves.filter((step) => step.state !== undefined).map(({ name }) => state[name]);
  return { ...rest, isDeleting: metadata.deletionTimestamp !== undefined, ours };
}

/** What counts unless another field manager owns it. */
function looseOf({ kind }: Pipeline, { metadata, ...object }: KubernetesObject, basis: Basis): object {
  const { labels, annotations, ownerReferences } = metadata;
  if (basis === "cleanup") return { metadata: { labels, annotations } };
  const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> };
  // Fields of the engine and its extensions are merged part by part, like conditions.
  return { metadata: { labels, annotations, ownerReferences }, status: authorsPart(status, kind) };
}

/** The places that a merge patch changes. */
function pathsOf(patch: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (patch === undefined) return [];
  const members = isObject(patch) ? Object.entries(patch) : [];
  return members.length === 0 ? [path] : members.flatMap(([key, value]) => pathsOf(value, [...path, key]));
}

/** The field managers that own a field at, below or above `path`. */
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
    // An empty set of fields means the whole field; in the status it means an empty field.
    if (Object.keys(here).length === 0) return depth > 1;
    if (!Object.hasOwn(here, key)) return false;
    here = here[key];
  }
  return here !== undefined;
}
