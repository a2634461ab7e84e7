/** The variables that an expression sees while it runs. */
import { Dict, List, noOverload, Struct, type Value } from "./values.ts";

/** A variable and its value. Variables of macros hide those of the rule. */
export interface Scope {
  readonly name: string;
  readonly value: Value;
  readonly outer: Scope | undefined;
}

/** Reports whether a variable has the first part of a dotted name. */
export function isBound(name: string, scope: Scope | undefined): boolean {
  return scopeNames(scope).has(name.split(".", 1)[0] ?? "");
}

/** Returns the names of all variables of a scope, as keys. */
export function scopeNames(scope: Scope | undefined): ReadonlyMap<string, unknown> {
  const names = new Map<string, unknown>();
  for (let at = scope; at !== undefined; at = at.outer) names.set(at.name, true);
  return names;
}

/** Returns the scopes of a macro, one for each item or key. @throws CelError for a range without items */
export function scopesOf(range: Value, variables: readonly string[], outer: Scope | undefined): Scope[] {
  const [first = "", second] = variables;
  const pairs: readonly (readonly [Value, Value])[] =
    range instanceof List
      ? range.items.map((item, i) => [second === undefined ? item : BigInt(i), item] as const)
      : range instanceof Dict
        ? [...range.entries].map(([key, value]) => [key, value] as const)
        : range instanceof Struct
          ? range.fields.map((field) => [field, range.get(field) ?? null] as const)
          : missing();
  return pairs.map(([key, value]) => {
    const scope: Scope = { name: first, value: key, outer };
    return second === undefined ? scope : { name: second, value, outer: scope };
  });
}

function missing(): never {
  throw noOverload();
}
