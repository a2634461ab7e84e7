/**
 * Server-side apply on plain values: the object and its field owners after an apply (structured-merge-diff
 * `merge.Updater.Apply`, apimachinery `managedfields`).
 */
import { jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import { type JsonObject, valueAt } from "../internal/json.ts";
import { problemsText, TypeMismatchError, typeProblems } from "./check-type.ts";
import { decodeEntries, encodeEntries, identityOf } from "./entries.ts";
import { EMPTY_SET, equalSets, isEmptySet, recursiveDifference } from "./field-set.ts";
import { merge } from "./merge.ts";
import { prune } from "./prune.ts";
import { type Model, present, settle } from "./settle.ts";
import { fieldsOf } from "./typed-sets.ts";
import { DEDUCED, type TypeDef } from "./field-types.ts";
import { managedAfterUpdate, type Writer, withoutIdentity } from "./update.ts";

/** An apply of a configuration. */
export interface Application {
  /** Current object in the version of the request. A new one has only kind and version. */
  readonly live: JsonObject;
  /** managedFields of the current object. */
  readonly managed: readonly ManagedFieldsEntry[];
  /** Configuration as the client sent it. */
  readonly config: JsonObject;
  readonly model: Model;
  readonly writer: Writer;
  /** Whether the apply takes fields from other managers instead of failing. */
  readonly isForced: boolean;
  /** An empty object of the kind. Its fields have no owner. */
  readonly empty?: JsonObject;
}

export interface Applied {
  /** Result before defaulting. Removed members can be null. */
  readonly object: JsonObject;
  readonly managed: readonly ManagedFieldsEntry[];
}

/** Manager of fields that an object without managedFields had before its first apply. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** Applies a configuration without modifying the arguments. @throws ConflictError, TypeMismatchError */
export function applyConfiguration(application: Application): Applied {
  const { live, managed, config, model, writer, isForced } = application;
  const type = model.typeIn(model.apiVersion) ?? DEDUCED;
  // The owners of an object without managedFields are found first.
  if (managed.length === 0) checkType(live, type, UNMANAGED);
  checkType(config, type, PATCH);
  checkType(live, type, LIVE);
  const old = present(decodeEntries(managed.length > 0 ? managed : unmanaged(application)), model);
  const applier = { ...writer, operation: "Apply" as const, apiVersion: model.apiVersion, time: undefined };
  const id = identityOf(applier);
  const last = old.get(id);
  const fields = recursiveDifference(fieldsOf(config, type), model.ignored(model.apiVersion));
  const managers = new Map(old).set(id, { ...applier, time: last?.time, fields });
  const merged = merge(live, config, type);
  // The configuration is an object, so the result is one.
  const object = prune(merged as JsonObject, { managers, model, last, apiVersion: model.apiVersion });
  const settled = settle(managers, { before: live, after: object, model, writer: id, isForced }).managers;
  const owned = withoutIdentity(settled.get(id)?.fields ?? EMPTY_SET);
  // An apply without a changed value keeps the time; a new entry then has none.
  const time = jsonEqual(live, object) ? last?.time : writer.time;
  if (isEmptySet(owned)) settled.delete(id);
  // A known set also has its stored form.
  else settled.set(id, { ...applier, time, fields: last !== undefined && equalSets(owned, last.fields) ? last.fields : owned });
  return { object, managed: encodeEntries(settled) };
}

/** Returns an entry for the fields of an object without managedFields. */
function unmanaged({ live, model, writer, empty = {} }: Application): readonly ManagedFieldsEntry[] {
  const before: Writer = { ...writer, manager: BEFORE_FIRST_APPLY };
  return managedAfterUpdate({ before: undefined, after: live, empty, model, managed: [], writer: before });
}

interface Checked {
  /** Beginning and end of the text around the name of the object. */
  readonly text: readonly [string, string];
  readonly allowsRepeats: boolean;
}

const PATCH: Checked = { text: ["failed to create typed patch object", ""], allowsRepeats: false };
const LIVE: Checked = { text: ["failed to create typed live object", ""], allowsRepeats: true };
const UNMANAGED: Checked = {
  text: ["failed to create manager for existing fields: failed to convert new object", " to smd typed"],
  allowsRepeats: true,
};

function checkType(object: JsonObject, type: TypeDef, { text: [before, after], allowsRepeats }: Checked): void {
  const problems = typeProblems(object, type, allowsRepeats);
  if (problems.length === 0) return;
  const name = [valueAt(object, ["metadata", "namespace"]), valueAt(object, ["metadata", "name"])].map(textOf).join("/");
  const kind = `${groupVersionText(textOf(object["apiVersion"]))}, Kind=${textOf(object["kind"])}`;
  throw new TypeMismatchError(`${before} (${name}; ${kind})${after}: ${problemsText(problems)}`);
}

/** Returns a group and version as Go prints it: the core group has an empty name. */
export function groupVersionText(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
