/** Finds the handlers in a value that a module exports. */
import { isHandler } from "@treadle/reconcile/unstable/engine";
import type { AnyHandler } from "@treadle/reconcile";

/** Deeper than any list or record of handlers that people write. */
const MAX_DEPTH = 4;

/** Returns the handlers in a value, in its order: the value itself, and those in arrays and plain objects. No getter is called. */
export function handlersIn(value: unknown): readonly AnyHandler[] {
  const found = new Set<AnyHandler>();
  const seen = new Set<object>();
  const visit = (each: unknown, depth: number): void => {
    if (isHandler(each)) return void found.add(each);
    if (!isPlain(each) || seen.has(each) || depth === MAX_DEPTH) return;
    seen.add(each);
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(each))) visit(inner, depth + 1);
  };
  visit(value, 0);
  return [...found];
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
