/** The budget of a run, and the cost of the calls in it. */
import { List, Opaque, type Value } from "./values.ts";

/** Cost that a run may still use: one unit for each step, and more for calls on long texts and lists. */
export interface Budget {
  remaining: number;
}

/** The budget is used up. Unlike a `CelError`, no operator absorbs this error. */
export class BudgetError extends Error {}

/** Returns the cost of a call in addition to its step, by the rates of cel-go (a tenth of a unit for each character). */
export function costOf(name: string, args: readonly Value[]): number {
  // An access check (k8s.io/apiserver `pkg/cel/library/cost.go`).
  if (name === "check" && args[0] instanceof Opaque) return 350_000;
  if (name === "lists.range") return Math.max(0, Number(args[0]));
  const sizes = args.map((arg) => (typeof arg === "string" ? arg.length / 10 : arg instanceof List ? arg.items.length : 0));
  if (CHEAP.has(name)) return 0;
  if (PRODUCTS.has(name)) return Math.ceil((1 + (sizes[0] ?? 0)) * (1 + (sizes[1] ?? 0)));
  return Math.ceil(sizes.reduce((sum, size) => sum + size, 0));
}

const CHEAP: ReadonlySet<string> = new Set(["size", "_[_]", "type", "dyn", "string", "int"]);
const PRODUCTS: ReadonlySet<string> = new Set([
  "matches",
  "contains",
  "find",
  "findAll",
  "replace",
  "indexOf",
  "lastIndexOf",
  "sets.contains",
  "sets.equivalent",
  "sets.intersects",
]);
