/** Projections: the fields of each object that a cache keeps, for readers that need few of them. */
import type { FieldPath, KubernetesObject } from "@treadle/apimachinery";

/**
 * Makes a function for the option `ingest`. It keeps `apiVersion`, `kind`, `metadata` and the fields at these paths, and
 * drops all other fields.
 * @throws TypeError for a path that is empty, or that is in metadata, which is always kept
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
    // The result lacks fields that the type has. The author of the paths knows which.
    return { apiVersion, kind, metadata, ...pick(object, tree) } as unknown as T;
  };
}

/** The fields to keep below a field; an empty tree keeps all of them. */
interface Tree extends Map<string, Tree> {}

function grow(tree: Tree, [name = "", ...rest]: readonly string[]): void {
  const known = tree.get(name);
  if (rest.length === 0) tree.set(name, new Map());
  // The whole field is kept already.
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
    // A list or a scalar is kept whole.
    const isWhole = below.size === 0 || typeof field !== "object" || field === null || Array.isArray(field);
    kept[name] = isWhole ? field : pick(field, below);
  }
  return kept;
}
