/** Reads fields of objects as Go reads its structs: an absent field, or one of another type, has the zero value. */
import { isObject, type JsonObject, valueAt } from "./json.ts";

export function at(value: unknown, ...path: readonly string[]): unknown {
  return valueAt(value, path) ?? undefined;
}

export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === "number" ? found : 0;
}

export function booleanAt(value: unknown, ...path: readonly string[]): boolean {
  return at(value, ...path) === true;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter((item) => typeof item === "string") : [];
}

/** Returns the condition of a type, or `undefined`. */
export function conditionAt(object: unknown, type: string): JsonObject | undefined {
  return listAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}

export function hasCondition(object: unknown, type: string): boolean {
  return conditionAt(object, type)?.["status"] === "True";
}
