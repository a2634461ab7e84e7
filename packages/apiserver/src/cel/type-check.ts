/** Finds the types and the errors of an expression, with the texts of cel-go. */
import { type Environment, functionName, qualified } from "./environment.ts";
import { keywordField } from "./escaping.ts";
import type { Expr, FoldExpr, StructExpr } from "./syntax.ts";
import { constType, renamed } from "./type-parts.ts";
import { BOOL, type Bindings, DYN, fits, INT, plain, STRING, substitute, type Type, typeName } from "./types.ts";

/** A fault of an expression. */
export interface Problem {
  readonly message: string;
  /** Position in the text of the expression. */
  readonly at: number;
}

/** What the check of an expression found. */
export interface Checked {
  readonly type: Type;
  readonly problems: readonly Problem[];
  /** The variables that the expression uses. */
  readonly uses: ReadonlySet<string>;
  /** Type of each part. */
  readonly types: ReadonlyMap<Expr, Type>;
}

/** Checks an expression. It can run if there are no problems. */
export function check(expr: Expr, environment: Environment): Checked {
  const checker = new Checker(environment);
  const type = checker.check(expr, new Map());
  return { type: substitute(type, checker.bound, true), problems: checker.problems, uses: checker.uses, types: checker.types };
}

type Scope = ReadonlyMap<string, Type>;

/** Type of a wrong part, so that each error is reported once. */
const WRONG: Type = plain("!error!");

class Checker {
  readonly #environment: Environment;
  readonly problems: Problem[] = [];
  readonly uses = new Set<string>();
  readonly types = new Map<Expr, Type>();
  bound: Bindings = new Map();
  #params = 0;
  #formats = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  check(expr: Expr, scope: Scope): Type {
    const type = this.#typeOf(expr, scope);
    this.types.set(expr, substitute(type, this.bound));
    return type;
  }

  #typeOf(expr: Expr, scope: Scope): Type {
    switch (expr.type) {
      case "const":
        return constType(expr.value);
      case "ident":
        return this.#ident(expr.name, expr.at, scope);
      case "select":
        return this.#select(expr, scope);
      case "has":
        this.#field(this.check(expr.operand, scope), expr);
        return BOOL;
      case "call":
        return this.#call(expr, scope);
      case "list":
        return { type: "list", item: this.#join(expr.items, scope, expr.optional) };
      case "map": {
        const key = this.#join(
          expr.entries.map(([k]) => k),
          scope,
        );
        const value = this.#join(
          expr.entries.map(([, v]) => v),
          scope,
          expr.optional,
        );
        return { type: "map", key, value };
      }
      case "struct":
        return this.#struct(expr, scope);
      case "fold":
        return this.#fold(expr, scope);
    }
  }

  #struct({ name, fields, optional, at }: StructExpr, scope: Scope): Type {
    const type = this.#environment.structs(name);
    if (type === undefined) return this.#wrong(`undeclared reference to '${name}' (in container '')`, at);
    for (const { name: field, value, at: colon } of fields) {
      const isOpen = type.type === "object" && type.isOpen === true;
      const wanted = isOpen ? DYN : type.type === "object" ? type.fields.get(field) : undefined;
      const given = this.#entry(value, scope, optional);
      if (given === WRONG || (wanted !== undefined && fits(given, wanted, this.bound))) continue;
      const [expected = "", provided] = [wanted, given].map((one) => (one === undefined ? "" : typeName(substitute(one, this.bound))));
      this.#wrong(`expected type of field '${field}' is '${expected}' but provided type is '${provided}'`, colon);
    }
    return type;
  }

  /** Returns the type of an entry of a literal. An optional entry has an optional as its value. */
  #entry(expr: Expr, scope: Scope, optional: ReadonlySet<Expr> = NOTHING): Type {
    const type = this.check(expr, scope);
    if (!optional.has(expr) || type === WRONG) return type;
    const given = substitute(type, this.bound);
    if (given.type === "optional") return given.item;
    if (given.type === "dyn") return given;
    return this.#wrong(`expected type 'optional_type(${typeName(given)})' but found '${typeName(given)}'`, expr.at);
  }

  #ident(name: string, at: number, scope: Scope): Type {
    const local = scope.get(name);
    if (local !== undefined) return local;
    const type = this.#environment.variables.get(name);
    if (type !== undefined) {
      this.uses.add(name);
      return type;
    }
    return this.#environment.types.get(name) ?? this.#wrong(`undeclared reference to '${name}' (in container '')`, at);
  }

  #select(expr: Expr & { readonly type: "select" }, scope: Scope): Type {
    const name = qualified(expr);
    const isHidden = name === undefined || scope.has(name.split(".", 1)[0] ?? "");
    const { types, variables } = this.#environment;
    // A variable can have a dotted name.
    const constant = isHidden ? undefined : (types.get(name) ?? variables.get(name));
    return constant ?? this.#field(this.check(expr.operand, scope), expr);
  }

  #field(operand: Type, { field, at }: { readonly field: string; readonly at: number }): Type {
    const of = substitute(operand, this.bound);
    if (of === WRONG) return WRONG;
    switch (of.type) {
      case "object":
        if (of.isOpen) return DYN;
        return fieldOf(of.fields, field) ?? this.#wrong(`undefined field '${field}'`, at);
      case "map":
        return fits(STRING, of.key, new Map(this.bound))
          ? of.value
          : this.#wrong(`expected type '${typeName(of.key)}' but found 'string'`, at);
      case "optional":
        return { type: "optional", item: this.#field(of.item, { field, at }) };
      case "dyn":
      case "param":
        return DYN;
      default: {
        // Types of the libraries are objects without known fields.
        const isOfLibrary = of.type === "plain" && of.name.includes(".");
        const text = isOfLibrary
          ? `unexpected failed resolution of '${of.name}'`
          : `type '${typeName(of)}' does not support field selection`;
        return this.#wrong(text, at);
      }
    }
  }

  #call(expr: Expr & { readonly type: "call" }, scope: Scope): Type {
    const name = functionName(expr, scope, this.#environment);
    const isMember = expr.target !== undefined && name === expr.name;
    if (name === "_?._" || name === "_[?_]") return this.#optionalAccess(expr, scope);
    // In the arguments of a format, lists and maps can have items of any type.
    const isFormat = name === "format" && isMember;
    if (isFormat) this.#formats++;
    const args = [...(isMember && expr.target !== undefined ? [expr.target] : []), ...expr.args].map((arg) => this.check(arg, scope));
    if (isFormat) this.#formats--;
    this.#checkLiteral(name, expr.args);
    const signatures = this.#environment.signatures(name);
    if (signatures === undefined) return this.#wrong(`undeclared reference to '${name}' (in container '')`, expr.at);
    if (args.includes(WRONG)) return WRONG;
    let result: Type | undefined;
    for (const signature of signatures) {
      if (signature.isMember !== isMember || signature.args.length !== args.length) continue;
      const fresh = `${++this.#params}`;
      const trial: Bindings = new Map(this.bound);
      if (!signature.args.every((wanted, i) => fits(args[i] ?? DYN, renamed(wanted, fresh), trial))) continue;
      const found = substitute(renamed(signature.result, fresh), trial);
      if (result === undefined) {
        this.bound = trial;
        result = found;
      } else if (typeName(result) !== typeName(found)) result = DYN;
    }
    if (result !== undefined) return result;
    const given = args.map((arg) => typeName(substitute(arg, this.bound, true)));
    const shown = isMember ? `${given[0] ?? ""}.(${given.slice(1).join(", ")})` : `(${given.join(", ")})`;
    return this.#wrong(`found no matching overload for '${name}' applied to '${shown}'`, expr.at);
  }

  #optionalAccess({ name, args, at }: Expr & { readonly type: "call" }, scope: Scope): Type {
    const [target, key] = args;
    if (target === undefined || key === undefined) return WRONG;
    const given = substitute(this.check(target, scope), this.bound);
    const of = given.type === "optional" ? given.item : given;
    if (of === WRONG) return WRONG;
    if (name === "_?._" && key.type === "const") return wrapped(this.#field(of, { field: String(key.value), at }));
    const index = this.check(key, scope);
    if (of.type === "list" && fits(index, INT, new Map(this.bound))) return wrapped(of.item);
    if (of.type === "map" && fits(index, of.key, new Map(this.bound))) return wrapped(of.value);
    if (of.type === "dyn") return wrapped(DYN);
    return this.#wrong(`found no matching overload for '${name}' applied to '(${typeName(given)}, ${typeName(index)})'`, at);
  }

  #fold(expr: FoldExpr, scope: Scope): Type {
    const range = substitute(this.check(expr.range, scope), this.bound);
    const inner = new Map(scope);
    const types = this.#iterated(expr, range);
    expr.variables.forEach((name, i) => inner.set(name, types[i] ?? DYN));
    if (expr.filter !== undefined) this.#isBool(expr.filter, inner);
    if (BOOLEAN_STEPS.has(expr.macro)) {
      this.#isBool(expr.step, inner);
      return expr.macro === "filter" ? { type: "list", item: types[0] ?? DYN } : BOOL;
    }
    const step = this.check(expr.step, inner);
    switch (expr.macro) {
      case "optMap":
        return wrapped(step);
      case "optFlatMap":
      case "transformMapEntry":
        return step;
      case "sortBy":
        return range;
      case "transformMap":
        return { type: "map", key: types[0] ?? DYN, value: step };
      default:
        return { type: "list", item: step };
    }
  }

  /** Returns the types of the variables of a macro. */
  #iterated(expr: FoldExpr, range: Type): readonly Type[] {
    if (range === WRONG || range.type === "dyn" || range.type === "param") return [DYN, DYN];
    if (expr.macro.startsWith("opt")) {
      if (range.type === "optional") return [range.item];
    } else if (range.type === "list") return expr.variables.length === 2 ? [INT, range.item] : [range.item];
    else if (range.type === "map") return [range.key, range.value];
    const message = `expression of type '${typeName(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.#wrong(message, expr.range.at);
    return [WRONG, WRONG];
  }

  #isBool(expr: Expr, scope: Scope): void {
    const type = substitute(this.check(expr, scope), this.bound);
    if (type === WRONG || fits(type, BOOL, this.bound)) return;
    this.#wrong(`expected type 'bool' but found '${typeName(type)}'`, expr.at);
  }

  /** Returns the common type of the items of a literal. */
  #join(items: readonly Expr[], scope: Scope, optional?: ReadonlySet<Expr>): Type {
    let joined: Type | undefined;
    for (const item of items) {
      const type = this.#entry(item, scope, optional);
      if (type === WRONG) continue;
      if (joined === undefined) joined = type;
      else if (this.#formats > 0) joined = DYN;
      else if (!fits(type, joined, this.bound)) {
        const [wanted, found] = [joined, type].map((one) => typeName(substitute(one, this.bound)));
        this.#wrong(`expected type '${wanted}' but found '${found}'`, item.at);
      } else if (type.type === "dyn") joined = DYN;
    }
    return joined ?? { type: "param", name: `item${++this.#params}` };
  }

  /** Checks literals that are parsed when the rule is compiled. */
  #checkLiteral(name: string, args: readonly Expr[]): void {
    const argument = args.at(-1);
    if (argument?.type !== "const" || typeof argument.value !== "string") return;
    const isValid = this.#environment.literals.get(name);
    if (isValid !== undefined && !isValid(argument.value)) this.problems.push({ message: `invalid ${name} argument`, at: argument.at });
  }

  #wrong(message: string, at: number): Type {
    this.problems.push({ message, at });
    return WRONG;
  }
}

const NOTHING: ReadonlySet<Expr> = new Set();

/** Returns the type of a field, whose name can be a keyword. */
function fieldOf(fields: ReadonlyMap<string, Type>, name: string): Type | undefined {
  const escaped = keywordField(name);
  return fields.get(name) ?? (escaped === undefined ? undefined : fields.get(escaped));
}

/** Macros whose last argument is a condition. */
const BOOLEAN_STEPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "existsOne", "filter"]);

function wrapped(item: Type): Type {
  return item === WRONG || item.type === "optional" ? item : { type: "optional", item };
}
