/** Updates the owners of other managers after a write: conflicts, and fields that they lose (structured-merge-diff `merge.Updater`). */
import type { JsonObject } from "../internal/json.ts";
import { type Comparison, compareObjects, withoutFields } from "./compare.ts";
import { type ManagedEntry, type Managers, withFields } from "./entries.ts";
import { pathsOf } from "./elements.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import { reconciled } from "./typed-sets.ts";
import type { TypeDef } from "./field-types.ts";

/** A kind in its versions, for one request. */
export interface Model {
  /** Version of the request. */
  readonly apiVersion: string;
  /** Returns the fields that a request at this path does not write in a version (`status`, or everything else). They get no owner. */
  readonly ignored: (apiVersion: string) => FieldSet;
  /**
   * Returns the type in a version. `undefined`: the version is unknown, and its entries are dropped.
   *
   * @throws TypeMismatchError for an unknown version of a custom kind, whose objects cannot be converted to it
   */
  readonly typeIn: (apiVersion: string) => TypeDef | undefined;
  /** Converts the object to another version. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
}

/** A field that another manager owns with another value. */
export interface FieldConflict {
  readonly manager: ManagedEntry;
  readonly path: readonly string[];
}

/** An apply changes fields of other managers. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflicts: readonly FieldConflict[];

  constructor(conflicts: readonly FieldConflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** Returns the entries of known versions, by the current schemas. */
export function present(managers: Managers, model: Model): Map<string, ManagedEntry> {
  const kept = new Map<string, ManagedEntry>();
  for (const [id, entry] of managers) {
    const type = model.typeIn(entry.apiVersion);
    if (type !== undefined) kept.set(id, withFields(entry, reconciled(entry.fields, type)));
  }
  return kept;
}

export interface Settled {
  readonly managers: Map<string, ManagedEntry>;
  /** Changes in the version of the request, without fields that it does not write. */
  readonly comparison: Comparison;
}

/** Removes changed fields from all managers except `writer`. @throws ConflictError when another manager owned one, unless `isForced` */
export function settle(
  managers: Managers,
  {
    before,
    after,
    model,
    writer,
    isForced,
  }: {
    readonly before: JsonObject;
    readonly after: JsonObject;
    readonly model: Model;
    /** Identity of the writer. Absent: all managers lose the fields. */
    readonly writer?: string;
    readonly isForced: boolean;
  },
): Settled {
  const compareIn = comparisons(before, after, model);
  const left = new Map<string, ManagedEntry>();
  const conflicts: FieldConflict[] = [];
  for (const [id, entry] of managers) {
    const comparison = compareIn(entry.apiVersion);
    if (id === writer) {
      if (!isEmptySet(entry.fields)) left.set(id, entry);
      continue;
    }
    if (comparison === undefined) continue;
    const lost = intersection(entry.fields, union(comparison.modified, comparison.added));
    if (!isEmptySet(lost)) conflicts.push(...pathsOf(lost).map((path) => ({ manager: entry, path })));
    const fields = difference(difference(entry.fields, lost), comparison.removed);
    if (!isEmptySet(fields)) left.set(id, withFields(entry, fields));
  }
  if (!isForced && conflicts.length > 0) throw new ConflictError(conflicts);
  return { managers: left, comparison: compareIn(model.apiVersion) ?? NOTHING_CHANGED };
}

const NOTHING_CHANGED: Comparison = compareObjects({}, {}, {});

/** Returns a function that compares in each version once. */
function comparisons(before: JsonObject, after: JsonObject, model: Model): (apiVersion: string) => Comparison | undefined {
  const done = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (done.has(apiVersion)) return done.get(apiVersion);
    const type = model.typeIn(apiVersion);
    let comparison: Comparison | undefined;
    if (type !== undefined) {
      const isOwn = apiVersion === model.apiVersion;
      const [was, is] = isOwn ? [before, after] : [model.convert(before, apiVersion), model.convert(after, apiVersion)];
      comparison = withoutFields(compareObjects(was, is, type), model.ignored(apiVersion));
    }
    done.set(apiVersion, comparison);
    return comparison;
  };
}
