/** What a write does to those who own something: conflicts, and fields that leave them (structured-merge-diff `merge.Updater`). */
import type { JsonObject } from "../internal/json.ts";
import { type Comparison, compareObjects, withoutFields } from "./compare.ts";
import { type ManagedEntry, type Managers, withFields } from "./entries.ts";
import { pathsOf } from "./elements.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import { reconciled } from "./typed-sets.ts";
import type { TypeDef } from "./field-types.ts";

/** A kind in its versions, as one request writes it. */
export interface Model {
  /** The version of the request. */
  readonly apiVersion: string;
  /** What a request at this path does not write in a version, so nobody owns it by one (`status`, or all but it). */
  readonly ignored: (apiVersion: string) => FieldSet;
  /** `undefined`: a version that is not known any more; its entries are forgotten. */
  readonly typeIn: (apiVersion: string) => TypeDef | undefined;
  /** The object in another version. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
}

/** One field that another manager owns with another value. */
export interface FieldConflict {
  readonly manager: ManagedEntry;
  readonly path: readonly string[];
}

/** An apply meets fields of others. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflicts: readonly FieldConflict[];

  constructor(conflicts: readonly FieldConflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** Entries of known versions, as the present schemas see them. */
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
  /** What changed, in the version of the request and without what it does not write. */
  readonly comparison: Comparison;
}

/**
 * Takes from every manager but `writer` what changed. @throws ConflictError when something was somebody's, unless `isForced`
 */
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
    /** An identity, or none: all others. */
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

/** Compares in each version once. */
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
