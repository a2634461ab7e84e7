/**
 * Parses CEL to a tree with the parser of `@marcbachmann/cel-js`, which is loaded for the first rule. The checker and
 * evaluator of this library are not used: they know neither Kubernetes' types nor the cost of a rule.
 */
import { createRequire } from "node:module";

/** A node of an expression. `at` is the offset for messages. */
export type Expr =
  | { readonly type: "const"; readonly value: ConstValue; readonly at: number }
  | { readonly type: "ident"; readonly name: string; readonly at: number }
  | { readonly type: "select"; readonly operand: Expr; readonly field: string; readonly at: number }
  | { readonly type: "has"; readonly operand: Expr; readonly field: string; readonly at: number }
  | { readonly type: "call"; readonly name: string; readonly target: Expr | undefined; readonly args: readonly Expr[]; readonly at: number }
  | { readonly type: "list"; readonly items: readonly Expr[]; readonly at: number }
  | { readonly type: "map"; readonly entries: readonly (readonly [Expr, Expr])[]; readonly at: number }
  | FoldExpr;

export type ConstValue = bigint | number | string | boolean | null | Uint8Array | { readonly uint: bigint };

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

/** A text that is not valid CEL. */
export class CelSyntaxError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "CelSyntaxError";
    this.at = at;
  }
}

/** Parses an expression. @throws CelSyntaxError */
export function parseCel(source: string): Expr {
  parser ??= load();
  let node: Node;
  try {
    node = parser(source);
  } catch (error) {
    // Errors of the library have a position; any other error is a defect.
    const { summary, range, code } = error as { summary?: string; range?: { start: number }; code?: string };
    if (summary === undefined) throw error;
    if (code === "invalid_macro_argument") throw new CelSyntaxError("argument must be a simple name", range?.start ?? 0);
    throw new CelSyntaxError(`Syntax error: ${summary}`, range?.start ?? 0);
  }
  return convert(node, source);
}

/** A node of the library: `args` depend on the operator. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
}

let parser: ((source: string) => Node) | undefined;

function load(): (source: string) => Node {
  // Loaded synchronously, because a CRD in process is installed synchronously.
  const { Environment } = createRequire(import.meta.url)("@marcbachmann/cel-js") as typeof import("@marcbachmann/cel-js");
  const environment = new Environment({ enableOptionalTypes: true, limits: { maxListElements: 100_000, maxMapEntries: 100_000 } });
  return (source) => environment.parse(source).ast as unknown as Node; // its declared type hides the positions
}

function convert(node: Node, source: string): Expr {
  const to = (inner: unknown): Expr => convert(inner as Node, source); // children of a node are nodes
  const args = node.args as readonly unknown[]; // of all but `value` and `id`
  switch (node.op) {
    case "value":
      return { type: "const", value: inRange(constant(node), node.start), at: node.start };
    case "id":
      return { type: "ident", name: String(node.args), at: node.start };
    case ".":
      return { type: "select", operand: to(args[0]), field: String(args[1]), at: before(source, node.pos, ".") };
    case ".?": {
      const field: Expr = { type: "const", value: String(args[1]), at: node.pos };
      return operator("_?._", [to(args[0]), field], before(source, node.pos, "."));
    }
    case "[]":
    case "[?]":
      return operator(node.op === "[]" ? "_[_]" : "_[?_]", [to(args[0]), to(args[1])], before(source, (args[1] as Node).start, "["));
    case "list":
      return { type: "list", items: args.map(to), at: node.start };
    case "map":
      return { type: "map", entries: args.map((entry) => [to((entry as Node[])[0]), to((entry as Node[])[1])] as const), at: node.start };
    case "call":
      return call(String(args[0]), undefined, { args: (args[1] as unknown[]).map(to), at: source.indexOf("(", node.start) });
    case "rcall": {
      const target = args[1] as Node;
      const given = (args[2] as unknown[]).map(to);
      return call(String(args[0]), to(target), { args: given, at: openParen(source, target.end, String(args[0])) });
    }
    case "!_":
      return operator("!_", [to(node.args)], node.start);
    case "-_":
      return negated(node, to);
    case "?:":
      return operator("_?_:_", args.map(to), after(source, (args[0] as Node).end, "?"));
    default: {
      const name = node.op === "in" ? "@in" : `_${node.op}_`;
      return operator(name, args.map(to), after(source, (args[0] as Node).end, node.op));
    }
  }
}

function constant(node: Node): ConstValue {
  const { args } = node;
  if (typeof args === "bigint") return args;
  // The library has its own class for unsigned integers.
  if (typeof args === "object" && args !== null && !(args instanceof Uint8Array)) return { uint: BigInt(args.valueOf() as bigint) };
  return args as ConstValue;
}

function inRange(value: ConstValue, at: number): ConstValue {
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) throw new CelSyntaxError("invalid int literal", at);
  return value;
}

/** A minus before a number belongs to the number: the smallest integer has no positive counterpart. */
function negated(node: Node, to: (inner: unknown) => Expr): Expr {
  const operand = node.args as Node; // of a unary operator
  if (operand.op === "value" && (typeof operand.args === "bigint" || typeof operand.args === "number")) {
    return { type: "const", value: inRange(-operand.args, node.start), at: node.start };
  }
  return operator("-_", [to(operand)], node.start);
}

function operator(name: string, args: readonly Expr[], at: number): Expr {
  return { type: "call", name, target: undefined, args, at };
}

/** Macros by the number of their arguments. The last argument is the step, the first ones are variables. */
const MACROS: Readonly<Record<string, readonly number[]>> = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  optMap: [2],
  optFlatMap: [2],
  sortBy: [2],
};

function call(name: string, target: Expr | undefined, { args, at }: { readonly args: readonly Expr[]; readonly at: number }): Expr {
  if (target === undefined) {
    const [subject] = args;
    if (name !== "has" || args.length !== 1 || subject === undefined) return { type: "call", name, target, args, at };
    if (subject.type !== "select") throw new CelSyntaxError("invalid argument to has() macro", subject.at);
    return { type: "has", operand: subject.operand, field: subject.field, at };
  }
  if (MACROS[name]?.includes(args.length) !== true) return { type: "call", name, target, args, at };
  const isTwoVariable = name.startsWith("transform") || (args.length === 3 && name !== "map");
  const variables = args.slice(0, isTwoVariable ? 2 : 1).map((arg) => {
    if (arg.type === "ident") return arg.name;
    throw new CelSyntaxError("argument must be a simple name", arg.at);
  });
  const rest = args.slice(variables.length);
  const step = rest.at(-1);
  if (step === undefined) return { type: "call", name, target, args, at };
  return { type: "fold", macro: name, range: target, variables, filter: rest.length > 1 ? rest[0] : undefined, step, at };
}

function after(source: string, from: number, text: string): number {
  return Math.max(0, source.indexOf(text, from));
}

function before(source: string, from: number, text: string): number {
  return Math.max(0, source.lastIndexOf(text, from - 1));
}

function openParen(source: string, from: number, name: string): number {
  return after(source, after(source, from, name) + name.length, "(");
}
