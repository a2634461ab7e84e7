/** Projections: what of each object a cache keeps, where its readers need little of it. */
import type { FieldPath, KubernetesObject } from "@treadle/apimachinery";

/**
 * A function that keeps `apiVersion`, `kind`, `metadata` and the fields at these paths, and drops all else. To be given as
 * `ingest`. @throws TypeError for a path that is empty or goes into metadata, which is kept anyway.
 */
export function projection<T extends KubernetesObject>(paths: readonly FieldPath<T>[]): (object: T) => T {
  const tree: Tree = new Map();
  for (const path of paths) {
    const names = path.split(".");
    if (names.includes("") || names[0] === "metadata")
      throw new TypeError(`cannot keep ${JSON.stringify(path)}: give paths of fields such as "spec.nodeName"; metadata is always kept`);
    grow(tree, names);
  }
  return (object) => {
    const { apiVersion, kind, metadata } = object;
    // Fields are missing that the type has: whoever reads it gave the paths.
    return { apiVersion, kind, metadata, ...pick(object, tree) } as unknown as T;
  };
}

/** What is kept below a field; empty: all of it. */
interface Tree extends Map<string, Tree> {}

function grow(tree: Tree, [name = "", ...rest]: readonly string[]): void {
  const known = tree.get(name);
  if (rest.length === 0) tree.set(name, new Map());
  // All of the field is kept already.
  else if (known?.size === 0) return;
  else {
    const below: Tree = known ?? new Map();
    tree.set(name, below);
    grow(below, rest);
  }
}

function pick(object: object, tree: Tree): object {
  const kept: Record<string, unknown> = {};
  for (const [name, below] of tree) {
    if (!Object.hasOwn(object, name)) continue;
    const field = (object as Record<string, unknown>)[name];
    // Below a list or a text there is no such path.
    const isWhole = below.size === 0 || typeof field !== "object" || field === null || Array.isArray(field);
    kept[name] = isWhole ? field : pick(field, below);
  }
  return kept;
}
