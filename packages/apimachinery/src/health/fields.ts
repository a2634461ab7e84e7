/** Reads fields of JSON that may have any shape. `null` counts as absent, as for the API server. */
import type { Fields, StatusCondition } from "./verdict.ts";

/** A field with a value that its kind does not allow. `health()` turns it into `Unknown`. */
export class Malformed extends Error {
  override readonly name = "Malformed";
}

/** Tells whether the value is an object with fields: no list and not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object under this name; `undefined` if it is absent. @throws Malformed */
export function fieldsAt(parent: Fields | undefined, name: string): Fields | undefined {
  const value = parent?.[name] ?? undefined;
  if (value === undefined || isFields(value)) return value;
  throw malformed(name, "an object", value);
}

/** Returns the integer under this name; `undefined` if it is absent. @throws Malformed */
export function integerAt(parent: Fields | undefined, name: string): number | undefined {
  const value = parent?.[name] ?? undefined;
  if (value === undefined || Number.isInteger(value)) return value as number | undefined; // An integer is a number.
  throw malformed(name, "an integer", value);
}

/** Returns the count under this name; 0 if it is absent. @throws Malformed */
export function countAt(parent: Fields | undefined, name: string): number {
  return integerAt(parent, name) ?? 0;
}

/** Returns the text under this name; empty if it is absent. @throws Malformed */
export function textAt(parent: Fields | undefined, name: string): string {
  const value = parent?.[name] ?? "";
  if (typeof value === "string") return value;
  throw malformed(name, "a string", value);
}

/** Returns the list of objects under this name; empty if it is absent. @throws Malformed */
export function listAt(parent: Fields | undefined, name: string): readonly Fields[] {
  const value = parent?.[name] ?? NOTHING;
  if (!Array.isArray(value)) throw malformed(name, "a list", value);
  for (const item of value as readonly unknown[]) if (!isFields(item)) throw malformed(`${name}[]`, "an object", item);
  return value as readonly Fields[]; // Each was checked.
}

/** Returns `status.conditions`. @throws Malformed */
export function conditionsOf(status: Fields): readonly StatusCondition[] {
  const list = listAt(status, "conditions");
  return list.length === 0 ? NO_CONDITIONS : list.map(conditionOf);
}

/** Returns the condition of this type. */
export function conditionAt(conditions: readonly StatusCondition[], type: string): StatusCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Returns the condition of this type, if its status is `True`. */
export function trueCondition(conditions: readonly StatusCondition[], type: string): StatusCondition | undefined {
  const found = conditionAt(conditions, type);
  return found?.status === "True" ? found : undefined;
}

function conditionOf(fields: Fields): StatusCondition {
  return {
    type: textAt(fields, "type"),
    status: textAt(fields, "status"),
    reason: textAt(fields, "reason"),
    message: textAt(fields, "message"),
    observedGeneration: integerAt(fields, "observedGeneration"),
  };
}

const NOTHING: readonly never[] = [];
const NO_CONDITIONS: readonly StatusCondition[] = [];

/** The value itself is not shown: it may be long, or secret. */
function malformed(name: string, wanted: string, value: unknown): Malformed {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new Malformed(`the field ${name} must be ${wanted}, and is ${found}`);
}
