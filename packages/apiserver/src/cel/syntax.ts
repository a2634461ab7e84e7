/** The tree of a CEL expression, and its macros. */
import type { ConstValue } from "./lexer.ts";

/** A node of an expression. `at` is the offset for messages. */
export type Expr =
  | { readonly type: "const"; readonly value: ConstValue; readonly at: number }
  | { readonly type: "ident"; readonly name: string; readonly at: number }
  | { readonly type: "select"; readonly operand: Expr; readonly field: string; readonly at: number }
  | { readonly type: "has"; readonly operand: Expr; readonly field: string; readonly at: number }
  | { readonly type: "call"; readonly name: string; readonly target: Expr | undefined; readonly args: readonly Expr[]; readonly at: number }
  | ListExpr
  | MapExpr
  | StructExpr
  | FoldExpr;

/** A list literal. `optional` holds the optional items: `[?a]`. */
export interface ListExpr {
  readonly type: "list";
  readonly items: readonly Expr[];
  readonly optional: ReadonlySet<Expr>;
  readonly at: number;
}

/** A map literal. `optional` holds the values of optional entries: `{?k: v}`. */
export interface MapExpr {
  readonly type: "map";
  readonly entries: readonly (readonly [Expr, Expr])[];
  readonly optional: ReadonlySet<Expr>;
  readonly at: number;
}

/** A literal of a named type: `Object.spec{replicas: 1}`. `optional` holds the values of optional fields. */
export interface StructExpr {
  readonly type: "struct";
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly value: Expr; readonly at: number }[];
  readonly optional: ReadonlySet<Expr>;
  readonly at: number;
}

/** A macro over the items of a list or the keys of a map. `optMap` and `optFlatMap` use the content of an optional. */
export interface FoldExpr {
  readonly type: "fold";
  readonly macro: string;
  readonly range: Expr;
  readonly variables: readonly string[];
  readonly filter: Expr | undefined;
  readonly step: Expr;
  readonly at: number;
}
