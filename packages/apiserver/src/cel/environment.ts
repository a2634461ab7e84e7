/** The names of CEL expressions: variables, functions and types, and how an expression refers to them. */
import type { Expr } from "./syntax.ts";
import type { Type } from "./types.ts";

/** Types of one overload of a function or an operator. */
export interface Signature {
  readonly isMember: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
}

/** The names that an expression may refer to. */
export interface Environment {
  /** Variables and their types. */
  readonly variables: ReadonlyMap<string, Type>;
  /** Returns the overloads of a function, or `undefined` when no function has this name. */
  signatures(name: string): readonly Signature[] | undefined;
  /** Returns the type of a literal such as `Object.spec{}`, or `undefined` when no type has this name. */
  structs(name: string): Type | undefined;
  /** Names of types, with the type of each. */
  readonly types: ReadonlyMap<string, Type>;
  /** Functions whose last argument is checked when it is a literal. */
  readonly literals: ReadonlyMap<string, (text: string) => boolean>;
}

/** Returns the full name of a function in a namespace (`sets.contains`), or else its plain name. */
export function functionName(
  expr: Expr & { readonly type: "call" },
  scope: ReadonlyMap<string, unknown>,
  environment: Environment,
): string {
  const prefix = expr.target === undefined ? undefined : qualified(expr.target);
  if (prefix === undefined || scope.has(prefix.split(".", 1)[0] ?? "")) return expr.name;
  const full = `${prefix}.${expr.name}`;
  return environment.signatures(full) === undefined ? expr.name : full;
}

/** Returns the dotted name that an expression is (`a.b.c`), or `undefined` when it is not a name. */
export function qualified(expr: Expr): string | undefined {
  if (expr.type === "ident") return expr.name;
  if (expr.type !== "select") return undefined;
  const operand = qualified(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
