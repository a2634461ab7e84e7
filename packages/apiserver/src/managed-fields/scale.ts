/**
 * The scale of an object for field ownership: its type, and the conversion of managedFields between scale and object
 * (apimachinery `managedfields.ScaleHandler`). A Scale shows only the owners of the replicas, in its own version.
 */
import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import { compileSchema } from "../schema/schema.ts";
import { decodeEntries, encodeEntries, type ManagedEntry, withFields } from "./entries.ts";
import { difference, EMPTY_SET, fieldElement, type FieldSet, FieldSetBuilder, hasPath, isEmptySet, type PathNode } from "./field-set.ts";
import { ownershipSchema } from "./common-schemas.ts";
import type { Model } from "./settle.ts";
import { typeOf } from "./field-types.ts";

/** Paths of the replicas by version. `undefined`: the version has no scale. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

const API_VERSION = "autoscaling/v1";
const NUMBERS = { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } };
const SPEC = { type: "object", properties: { replicas: NUMBERS.properties.replicas } };
const TYPE = typeOf(ownershipSchema(compileSchema({ type: "object", properties: { spec: SPEC, status: NUMBERS } })));
const IN_SCALE = ["spec", "replicas"];

/** The model of autoscaling/v1 Scale, which has one version. */
export const SCALE: Model = {
  apiVersion: API_VERSION,
  ignored: () => EMPTY_SET,
  typeIn: (apiVersion) => (apiVersion === API_VERSION ? TYPE : undefined),
  convert: (object) => object,
};

/** Returns the managedFields of the scale of an object. */
export function scaleOwners(managed: readonly ManagedFieldsEntry[], paths: ReplicasPaths): readonly ManagedFieldsEntry[] {
  const owners = new Map<string, ManagedEntry>();
  for (const [id, entry] of decodeEntries(managed)) {
    const path = paths.get(entry.apiVersion);
    if (path !== undefined && has(entry.fields, path)) owners.set(id, { ...withFields(entry, setOf(IN_SCALE)), apiVersion: API_VERSION });
  }
  return encodeEntries(owners);
}

/**
 * Returns the managedFields of an object, written in `apiVersion`, after its scale got these owners. As on the real server,
 * new entries have no time, and a manager that updated the replicas with other fields gets two entries.
 */
export function withScaleOwners(
  managed: readonly ManagedFieldsEntry[],
  owners: readonly ManagedFieldsEntry[],
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): readonly ManagedFieldsEntry[] {
  const left = decodeEntries(owners);
  const result = new Map<string, ManagedEntry>();
  const known = decodeEntries(managed);
  for (const [id, entry] of known) {
    // An entry of an unknown version is dropped.
    if (!paths.has(entry.apiVersion)) continue;
    const path = paths.get(entry.apiVersion);
    const isKept = path === undefined || !has(entry.fields, path) || left.delete(id);
    const fields = isKept ? entry.fields : difference(entry.fields, setOf(path));
    if (!isEmptySet(fields)) result.set(id, withFields(entry, fields));
  }
  const path = paths.get(apiVersion) ?? IN_SCALE;
  for (const [id, owner] of left) {
    if (!has(owner.fields, IN_SCALE)) continue;
    const { raw: _, ...entry } = owner;
    result.set(id, { ...entry, apiVersion, fields: setOf(path), time: known.get(id)?.time });
  }
  return encodeEntries(result);
}

function has(set: FieldSet, path: readonly string[]): boolean {
  return hasPath(set, path.map(fieldElement));
}

function setOf(path: readonly string[]): FieldSet {
  const set = new FieldSetBuilder();
  set.add(path.reduce<PathNode | undefined>((parent, field) => ({ parent, element: fieldElement(field) }), undefined));
  return set.build();
}
