/** Limits of cel-go (`parser/parser.go`), without which a long or deep expression would use up the stack or the memory. */
import { CelSyntaxError } from "./lexer.ts";
import type { Expr } from "./syntax.ts";

/** Maximum depth of nested expressions, and of operators, selections and calls in each other. */
export const MAX_DEPTH = 250;
/** Maximum length of an expression, in characters. */
const MAX_SIZE = 100_000;

/** Position of an error about the whole expression. */
export const NOWHERE = -1;

/** Refuses an expression that is too long. @throws CelSyntaxError */
export function checkSize(source: string): void {
  if (source.length <= MAX_SIZE) return;
  const size = [...source].length;
  if (size > MAX_SIZE) throw new CelSyntaxError(`expression code point size exceeds limit: size: ${size}, limit ${MAX_SIZE}`, NOWHERE);
}

/** Refuses a tree that is too deep for functions that call themselves. @throws CelSyntaxError */
export function checkDepth(root: Expr): void {
  const waiting: (readonly [Expr, number])[] = [[root, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [expr, above] = next;
    const depth = above + (counts(expr) ? 1 : 0);
    if (depth > MAX_DEPTH) throw new CelSyntaxError("max recursion depth exceeded", NOWHERE);
    for (const part of partsOf(expr)) waiting.push([part, depth]);
  }
}

/** Reports whether cel-go counts a node. It does not count calls of global functions, literals, `!`, `-`, `&&` and `||`. */
function counts(expr: Expr): boolean {
  if (expr.type === "call")
    return expr.target !== undefined || (expr.name.includes("_") && !UNCOUNTED.has(expr.name)) || expr.name === "@in";
  return expr.type === "select" || expr.type === "has" || expr.type === "fold";
}

const UNCOUNTED: ReadonlySet<string> = new Set(["!_", "-_", "_&&_", "_||_"]);

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.type) {
    case "select":
    case "has":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flat();
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "fold":
      return [expr.range, ...(expr.filter === undefined ? [] : [expr.filter]), expr.step];
    default:
      return [];
  }
}
