/** Entries of managedFields, with their fields as a set. */
import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import { isObject } from "../internal/json.ts";
import { type FieldSet, fromFieldsV1, toFieldsV1 } from "./field-set.ts";

/** One entry, its fields as a set. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Reads an entry; `undefined` for one that no server wrote. */
export function decodeEntry(entry: ManagedFieldsEntry): ManagedEntry | undefined {
  const fields = fromFieldsV1(isObject(entry.fieldsV1) ? entry.fieldsV1 : {});
  if (fields === undefined || (entry.operation !== "Apply" && entry.operation !== "Update")) return undefined;
  return {
    manager: entry.manager ?? "",
    operation: entry.operation,
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
    time: entry.time,
    fields,
  };
}

export function encodeEntry(entry: ManagedEntry): ManagedFieldsEntry {
  return {
    manager: entry.manager,
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === undefined ? {} : { time: entry.time }),
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(entry.fields),
    ...(entry.subresource === "" ? {} : { subresource: entry.subresource }),
  };
}
