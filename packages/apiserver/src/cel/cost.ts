/**
 * Estimates the maximum cost of an expression on any object that its schema allows, by the rates of cel-go
 * (`checker/cost.go`) and Kubernetes (`pkg/cel/library/cost.go`). The types of a schema have sizes. A value without a known
 * size can have any size.
 */
import { qualified } from "./environment.ts";
import type { Expr, FoldExpr } from "./syntax.ts";
import type { Type } from "./types.ts";

/** Returns the maximum cost of `expr`, or `Infinity` when nothing limits it. `self` is the type of the rule's value. */
export function maxCost(expr: Expr, types: ReadonlyMap<Expr, Type>, self: Type | undefined): number {
  return new Estimator(types, sizeOf(self)).cost(expr);
}

const TRAVERSAL = 0.1;
const REGEX = 0.25;
const NEW_LIST = 10;
const NEW_MAP = 30;
const NEW_STRUCT = 40;
/** Assumed length of the pattern of a named format. */
const FORMAT_PATTERN = 128;

class Estimator {
  readonly #types: ReadonlyMap<Expr, Type>;
  readonly #sizes = new Map<Expr, number>();

  readonly #root: number;

  constructor(types: ReadonlyMap<Expr, Type>, root: number) {
    this.#types = types;
    this.#root = root;
  }

  cost(expr: Expr): number {
    switch (expr.type) {
      case "const":
        return 0;
      case "ident":
        return 1;
      case "has":
        return this.cost(expr.operand);
      case "select": {
        const operand = this.#types.get(expr.operand)?.type;
        return this.cost(expr.operand) + (operand === "object" || operand === "map" ? 1 : 0);
      }
      case "list":
        return NEW_LIST + this.#sum(expr.items);
      case "map":
        return NEW_MAP + this.#sum(expr.entries.flat());
      case "struct":
        return NEW_STRUCT + this.#sum(expr.fields.map(({ value }) => value));
      case "fold":
        return this.#fold(expr);
      case "call":
        return this.#call(expr);
    }
  }

  #sum(exprs: readonly Expr[]): number {
    return exprs.reduce((sum, expr) => sum + this.cost(expr), 0);
  }

  /** Returns the maximum number of elements or characters of a value. */
  #size(expr: Expr | undefined): number {
    if (expr === undefined) return Infinity;
    const known = this.#sizes.get(expr);
    if (known !== undefined) return known;
    if (expr.type === "const") {
      if (typeof expr.value === "string") return [...expr.value].length;
      return expr.value instanceof Uint8Array ? expr.value.length : 1;
    }
    if (expr.type === "list") return expr.items.length;
    if (expr.type === "map") return expr.entries.length;
    const size = sizeOf(this.#types.get(expr));
    // The real server assumes that unknown variables and items are as long as the whole value.
    const isItem = expr.type === "ident" || (expr.type === "call" && expr.name === "_[_]");
    return isItem && size === Infinity ? this.#root : size;
  }

  #sized(expr: Expr, size: number, cost: number): number {
    this.#sizes.set(expr, size);
    return cost;
  }

  #call(expr: Expr & { readonly type: "call" }): number {
    const isNamespaced = expr.target !== undefined && !this.#types.has(expr.target);
    const name = isNamespaced && expr.target !== undefined ? `${qualified(expr.target) ?? ""}.${expr.name}` : expr.name;
    const target = isNamespaced ? undefined : expr.target;
    const [first, second, third] = expr.args;
    if (name === "_?_:_") {
      const [condition = 0, yes = 0, no = 0] = expr.args.map((arg) => this.cost(arg));
      return this.#sized(expr, Math.max(this.#size(second), this.#size(third)), condition + Math.max(yes, no));
    }
    // The target comes first: its cost can set the size of its value.
    const sum = (target === undefined ? 0 : this.cost(target)) + this.#sum(expr.args);
    if (name === "_&&_" || name === "_||_") return sum;
    if (name === "dyn") return this.#sized(expr, this.#size(first), sum + 1);
    const subject = target ?? first;
    const size = this.#size(subject);
    const other = this.#size(target === undefined ? second : first);
    const walk = (times = 1): number => Math.ceil(size * TRAVERSAL * times);
    switch (name) {
      case "startsWith":
      case "endsWith":
        return sum + Math.ceil(other * TRAVERSAL);
      case "@in":
        return sum + other;
      case "matches":
      case "find":
      case "findAll":
        return this.#sized(expr, size, sum + Math.ceil((size + 1) * TRAVERSAL) * Math.ceil(other * REGEX));
      case "contains":
        return sum + product(walk(), Math.ceil(other * TRAVERSAL));
      case "_==_":
      case "_!=_":
        return sum + (isLibraryType(this.#types.get(subject ?? expr)) ? 1 : Math.ceil(Math.min(size, other) * TRAVERSAL));
      case "_<_":
      case "_<=_":
      case "_>_":
      case "_>=_":
        return sum + (isText(this.#types.get(subject ?? expr)) ? Math.ceil(Math.min(size, other) * TRAVERSAL) : 1);
      case "_+_": {
        const type = this.#types.get(expr);
        if (type?.type === "list") return this.#sized(expr, size + other, sum + 1);
        return isText(type) ? this.#sized(expr, size + other, sum + Math.ceil((size + other) * TRAVERSAL)) : sum + 1;
      }
      case "isSorted":
      case "sum":
      case "min":
      case "max":
      case "indexOf":
      case "lastIndexOf": {
        const type = this.#types.get(subject ?? expr);
        if (type?.type !== "list") return sum + walk();
        return sum + product(size, 1 + (isText(type.item) ? Math.ceil(sizeOf(type.item) * TRAVERSAL) : 0));
      }
      case "charAt":
        return this.#sized(expr, 1, sum + 1); // in doubt less than the real server: what it takes must not be refused here
      case "lists.range": {
        const count = first?.type === "const" && typeof first.value === "bigint" ? Number(first.value) : Infinity;
        return this.#sized(expr, count, sum + 1);
      }
      case "slice":
      case "sort":
      case "reverse":
      case "distinct":
        return this.#sized(expr, size, sum + 1);
      case "lowerAscii":
      case "upperAscii":
      case "substring":
      case "trim":
      case "url":
        return this.#sized(expr, size, sum + walk());
      case "replace": {
        const [from, to] = [first?.type === "const" ? this.#size(first) : 0, this.#size(second)];
        const longest = from === 0 ? product(size + 1, to) + size : to <= from ? size : product(Math.ceil(size / from), to);
        return this.#sized(expr, longest, sum + walk(2));
      }
      case "split": {
        const limit = second?.type === "const" && typeof second.value === "bigint" ? Number(second.value) : size;
        return this.#sized(expr, limit, sum + walk(2));
      }
      case "join": {
        const type = this.#types.get(subject ?? expr);
        const all =
          product(size, type?.type === "list" ? sizeOf(type.item) : Infinity) +
          product(Math.max(0, size - 1), first ? this.#size(first) : 0);
        return this.#sized(expr, all, sum + Math.ceil(all * TRAVERSAL));
      }
      case "strings.quote":
        return this.#sized(expr, size * 2 + 2, sum + walk());
      case "format":
        return sum + walk();
      case "bytes":
        return this.#sized(expr, size * 4, sum + walk());
      case "string":
        return this.#types.get(subject ?? expr)?.type === "plain" && isBytes(this.#types.get(subject ?? expr))
          ? this.#sized(expr, size, sum + walk())
          : sum + 1;
      case "cidr":
      case "isIP":
      case "isCIDR":
      case "quantity":
      case "isQuantity":
      case "semver":
      case "isSemver":
        return sum + walk();
      case "ip":
        return sum + (target === undefined ? walk() : 1);
      case "ip.isCanonical":
        return sum + walk(2);
      case "validate":
        return sum + Math.ceil(Math.ceil(other * TRAVERSAL) * FORMAT_PATTERN * REGEX);
      case "sets.contains":
      case "sets.equivalent":
      case "sets.intersects":
        return sum + product(size, other) * (name === "sets.equivalent" ? 2 : 1) + 1;
      default:
        return sum + 1;
    }
  }

  /** Returns the cost of a macro as the comprehension that it expands to: the start, each round and the end. */
  #fold(expr: FoldExpr): number {
    const range = this.cost(expr.range);
    const filter = expr.filter === undefined ? 0 : this.cost(expr.filter);
    const step = this.cost(expr.step);
    const size = this.#size(expr.range);
    switch (expr.macro) {
      case "optMap":
      case "optFlatMap":
        return range + step + 1;
      case "all":
        return range + product(size, step + 3) + 1;
      case "exists":
        return range + product(size, step + 4) + 1;
      case "exists_one":
      case "existsOne":
        return range + product(size, step + 2) + 2;
      case "filter":
        return this.#sized(expr, size, range + NEW_LIST + product(size, step + 13) + 1);
      case "transformMap":
      case "transformMapEntry":
        return this.#sized(expr, size, range + NEW_MAP + product(size, filter + step + 2) + 1);
      default:
        return this.#sized(expr, size, range + NEW_LIST + product(size, filter + step + 12) + 1);
    }
  }
}

/** Multiplies. Zero times infinity is zero. */
function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

function sizeOf(type: Type | undefined): number {
  if (type === undefined) return Infinity;
  if (type.type === "object" || type.type === "type") return type.type === "type" ? 1 : 0;
  if ("max" in type && type.max !== undefined) return type.max;
  return type.type === "plain" && ONE.has(type.name) ? 1 : Infinity;
}

const ONE: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "timestamp", "duration"]);

function isText(type: Type | undefined): boolean {
  return type?.type === "plain" && (type.name === "string" || type.name === "bytes");
}

function isBytes(type: Type | undefined): boolean {
  return type?.type === "plain" && type.name === "bytes";
}

function isLibraryType(type: Type | undefined): boolean {
  return type?.type === "plain" && (type.name.startsWith("net.") || type.name.startsWith("kubernetes."));
}
