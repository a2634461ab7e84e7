/** Checks kind records of untyped code. */
import { nameOfAnswer } from "@treadle/dependents/unstable/core";
import { isPromiseLike } from "@treadle/reconcile/unstable/engine";
import type { AnyKindRecord } from "./kind-record.ts";
import { WORDS } from "./words.ts";

/** Returns `record`, if it is a kind record. @throws TypeError that names `where` and what is wrong */
export function requireRecord(where: string, record: unknown): AnyKindRecord {
  const refuse = (what: string): TypeError => new TypeError(`${where}: ${what}`);
  if (!isFields(record)) throw refuse(`a kind record must be an object, and is ${nameOfAnswer(record)}`);
  const { kind, category, suspend, immutable } = record;
  if (!isWholeKind(kind)) throw refuse("kind must be a kind, such as Deployment or what kind() returns");
  const of = (what: string): TypeError => refuse(`the record of the kind ${String(kind["kind"])}: ${what}`);
  if (typeof category !== "string" || !Object.hasOwn(WORDS, category)) throw of(`category must be one of ${Object.keys(WORDS).join(", ")}`);
  for (const name of ["state", "grace", "isSuspended"])
    if (record[name] !== undefined && typeof record[name] !== "function")
      throw of(`${name} must be a function, and is ${nameOfAnswer(record[name])}`);
  if (suspend !== undefined) requireSuspend(of, suspend);
  if (immutable !== undefined && !isListOfPaths(immutable)) throw of('immutable must be a list of paths, such as ["spec.template"]');
  return record as unknown as AnyKindRecord; // Each field was checked.
}

function requireSuspend(refuse: (what: string) => TypeError, suspend: unknown): void {
  if (!isFields(suspend)) throw refuse(`suspend must be an object with merge or delete, and is ${nameOfAnswer(suspend)}`);
  const { merge, delete: isDeleted } = suspend;
  if (merge !== undefined && !isFields(merge))
    throw refuse(`suspend.merge must be an object with fields of the kind, and is ${nameOfAnswer(merge)}`);
  if (isDeleted !== undefined && typeof isDeleted !== "boolean")
    throw refuse(`suspend.delete must be true or false, and is ${nameOfAnswer(isDeleted)}`);
}

function isWholeKind(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isFields(value)) return false;
  const areTexts = ["version", "kind", "plural"].every((name) => typeof value[name] === "string" && value[name] !== "");
  return areTexts && typeof value["group"] === "string" && (value["scope"] === "Namespaced" || value["scope"] === "Cluster");
}

function isListOfPaths(value: unknown): boolean {
  // findIndex() also sees the holes of a list.
  return Array.isArray(value) && value.findIndex((each: unknown) => typeof each !== "string" || each === "") < 0;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPromiseLike(value);
}
