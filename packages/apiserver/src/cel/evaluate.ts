/** Runs a checked expression within a budget. */
import { type Budget, BudgetError, costOf } from "./budget.ts";
import { type Environment, functionName, qualified } from "./environment.ts";
import { accepts, type Overload } from "./overloads.ts";
import { isBound, type Scope, scopeNames, scopesOf } from "./scope.ts";
import type { Expr, FoldExpr, MapExpr, StructExpr } from "./syntax.ts";
import {
  CelError,
  Dict,
  Duration,
  isEqual,
  type Key,
  keyOf,
  List,
  noOverload,
  Optional,
  Struct,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";
import { indexInto } from "./library/collections.ts";

export interface Runtime extends Environment {
  overloads(name: string): readonly Overload[] | undefined;
  readonly constants: ReadonlyMap<string, Value>;
  /** Makes a value of a type of `structs`. @throws CelError */
  makeStruct(name: string, fields: ReadonlyMap<string, Value>): Value;
}

/** Evaluates an expression. @throws CelError, BudgetError */
export function evaluate(expr: Expr, scope: Scope | undefined, runtime: Runtime, budget: Budget): Value {
  return new Evaluator(runtime, budget).run(expr, scope);
}

class Evaluator {
  readonly #runtime: Runtime;
  readonly #budget: Budget;

  constructor(runtime: Runtime, budget: Budget) {
    this.#runtime = runtime;
    this.#budget = budget;
  }

  run(expr: Expr, scope: Scope | undefined): Value {
    if (expr.type !== "const") this.#spend(1);
    switch (expr.type) {
      case "const":
        return constValue(expr.value);
      case "ident":
        return this.#lookup(expr.name, scope);
      case "select":
        return this.#select(expr, scope);
      case "has":
        return fieldOf(this.run(expr.operand, scope), expr.field) !== undefined;
      case "call":
        return this.#call(expr, scope);
      case "list":
        return new List(expr.items.map((item) => this.#entry(item, scope, expr.optional)).filter((item) => item !== undefined));
      case "map":
        return this.#map(expr, scope);
      case "struct":
        return this.#struct(expr, scope);
      case "fold":
        return this.#fold(expr, scope);
    }
  }

  #map({ entries: given, optional }: MapExpr, scope: Scope | undefined): Dict {
    const entries = new Map<Key, Value>();
    for (const [k, v] of given) {
      const key = keyOf(this.run(k, scope));
      if (entries.has(key)) throw new CelError(`Failed with repeated key ${String(key)}`);
      const value = this.#entry(v, scope, optional);
      if (value !== undefined) entries.set(key, value);
    }
    return new Dict(entries);
  }

  #struct({ name, fields, optional }: StructExpr, scope: Scope | undefined): Value {
    const entries = new Map<string, Value>();
    for (const field of fields) {
      const value = this.#entry(field.value, scope, optional);
      if (value !== undefined) entries.set(field.name, value);
    }
    return this.#runtime.makeStruct(name, entries);
  }

  /** Returns the value of an entry of a literal, or `undefined` for an optional entry without a value. */
  #entry(expr: Expr, scope: Scope | undefined, optional: ReadonlySet<Expr>): Value | undefined {
    const value = this.run(expr, scope);
    if (!optional.has(expr)) return value;
    if (value instanceof Optional) return value.value;
    throw new CelError(`cannot initialize optional entry '${String(expr.type)}' from non-optional value`);
  }

  #spend(units: number): void {
    this.#budget.remaining -= units;
    if (this.#budget.remaining < 0) throw new BudgetError();
  }

  #lookup(name: string, scope: Scope | undefined): Value {
    for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.value;
    const constant = this.#runtime.constants.get(name);
    if (constant !== undefined) return constant;
    throw new CelError(`no such attribute(s): ${name}`);
  }

  #select(expr: Expr & { readonly type: "select" }, scope: Scope | undefined): Value {
    const name = qualified(expr);
    const constant = name === undefined ? undefined : this.#runtime.constants.get(name);
    if (constant !== undefined && !isBound(name ?? "", scope)) return constant;
    if (name !== undefined && this.#runtime.variables.has(name)) return this.#lookup(name, scope);
    const operand = this.run(expr.operand, scope);
    if (operand instanceof Optional) {
      const value = operand.value === undefined ? undefined : fieldOf(operand.value, expr.field);
      return value instanceof Optional ? value : new Optional(value);
    }
    const value = fieldOf(operand, expr.field);
    if (value === undefined) throw new CelError(`no such key: ${expr.field}`);
    return value;
  }

  #call(expr: Expr & { readonly type: "call" }, scope: Scope | undefined): Value {
    const [first, second, third] = expr.args;
    switch (expr.name) {
      case "_&&_":
      case "_||_":
        if (first !== undefined && second !== undefined) return this.#logical(expr.name === "_||_", [first, second], scope);
        break;
      case "_?_:_": {
        if (first === undefined || second === undefined || third === undefined) break;
        const condition = this.run(first, scope);
        if (typeof condition !== "boolean") throw noOverload();
        return this.run(condition ? second : third, scope);
      }
      case "_?._":
      case "_[?_]":
        if (first !== undefined && second !== undefined) return indexInto(this.run(first, scope), this.run(second, scope), true);
        break;
      case "orValue":
      case "or": {
        if (expr.target === undefined || first === undefined) break;
        const target = this.run(expr.target, scope);
        if (!(target instanceof Optional)) throw noOverload();
        if (target.value === undefined) return this.run(first, scope);
        return expr.name === "or" ? target : target.value;
      }
    }
    const name = functionName(expr, scopeNames(scope), this.#runtime);
    const isMember = expr.target !== undefined && name === expr.name;
    const args = [...(isMember && expr.target !== undefined ? [expr.target] : []), ...expr.args].map((arg) => this.run(arg, scope));
    this.#spend(costOf(name, args));
    const overload = this.#runtime
      .overloads(name)
      ?.find(
        (one) =>
          one.isMember === isMember && one.args.length === args.length && one.args.every((type, i) => accepts(type, args[i] as Value)),
      );
    if (overload === undefined) throw name === "size" ? new CelError("no such overload: size") : noOverload();
    return overload.run(...args);
  }

  /** Evaluates `&&` or `||`. If one side decides, an error of the other side is ignored. */
  #logical(decides: boolean, sides: readonly [Expr, Expr], scope: Scope | undefined): boolean {
    let failure: CelError | undefined;
    for (const side of sides) {
      try {
        const value = this.run(side, scope);
        if (value === decides) return decides;
        if (typeof value !== "boolean") failure ??= noOverload();
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decides;
  }

  #fold(expr: FoldExpr, scope: Scope | undefined): Value {
    const range = this.run(expr.range, scope);
    if (expr.macro === "optMap" || expr.macro === "optFlatMap") {
      if (!(range instanceof Optional)) throw noOverload();
      if (range.value === undefined) return range;
      const value = this.run(expr.step, { name: expr.variables[0] ?? "", value: range.value, outer: scope });
      return expr.macro === "optMap" ? new Optional(value) : value;
    }
    const scopes = scopesOf(range, expr.variables, scope);
    switch (expr.macro) {
      case "all":
      case "exists":
        return this.#quantify(expr.macro === "exists", expr.step, scopes);
      case "exists_one":
      case "existsOne":
        return scopes.filter((inner) => this.#condition(expr.step, inner)).length === 1;
      case "filter":
        return new List(scopes.filter((inner) => this.#condition(expr.step, inner)).map((inner) => inner.value));
      case "sortBy":
        return sortBy(
          range,
          scopes.map((inner) => this.run(expr.step, inner)),
        );
      case "transformMap":
      case "transformMapEntry":
        return this.#transformMap(expr, scopes);
      default: {
        const { filter } = expr;
        const kept = filter === undefined ? scopes : scopes.filter((inner) => this.#condition(filter, inner));
        return new List(kept.map((inner) => this.run(expr.step, inner)));
      }
    }
  }

  #quantify(decides: boolean, step: Expr, scopes: readonly Scope[]): boolean {
    let failure: CelError | undefined;
    for (const scope of scopes) {
      this.#spend(1);
      try {
        if (this.#condition(step, scope) === decides) return decides;
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decides;
  }

  #condition(expr: Expr, scope: Scope): boolean {
    const value = this.run(expr, scope);
    if (typeof value !== "boolean") throw noOverload();
    return value;
  }

  #transformMap({ macro, filter, step }: FoldExpr, scopes: readonly Scope[]): Dict {
    const entries = new Map<Key, Value>();
    for (const scope of scopes) {
      if (filter !== undefined && !this.#condition(filter, scope)) continue;
      const value = this.run(step, scope);
      // The first variable of two is the key, in the outer scope of the second.
      if (macro === "transformMap") entries.set(keyOf((scope.outer as Scope).value), value);
      else if (value instanceof Dict) {
        for (const [key, item] of value.entries) {
          if (entries.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`);
          entries.set(key, item);
        }
      }
    }
    return new Dict(entries);
  }
}

function sortBy(range: Value, keys: readonly Value[]): List {
  if (!(range instanceof List)) throw noOverload();
  const places = range.items.map((_, i) => i);
  places.sort((a, b) => compareKeys(keys[a] as Value, keys[b] as Value));
  return new List(places.map((i) => range.items[i] as Value));
}

function compareKeys(a: Value, b: Value): number {
  if (isEqual(a, b)) return 0;
  const [x, y] = [
    a instanceof Timestamp || a instanceof Duration ? a.nanos : a,
    b instanceof Timestamp || b instanceof Duration ? b.nanos : b,
  ];
  return (x as bigint) < (y as bigint) ? -1 : 1; // sortBy takes only what has an order
}

/** Returns a field of an object or a key of a map, or `undefined`. Null has no fields. */
function fieldOf(value: Value, field: string): Value | undefined {
  if (value instanceof Struct) return value.get(field);
  if (value instanceof Dict) return value.entries.get(field);
  if (value instanceof Optional) return value.value === undefined ? undefined : fieldOf(value.value, field);
  if (value === null) return undefined;
  throw noOverload();
}

function constValue(value: (Expr & { readonly type: "const" })["value"]): Value {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) return new Uint(value.uint);
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) throw new CelError("integer overflow");
  return value;
}
