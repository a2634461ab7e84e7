/** Calls and macros. A macro looks like a call, and its arguments are not evaluated like those of a call. */
import { CelSyntaxError } from "./lexer.ts";
import type { Expr } from "./syntax.ts";

/** Macros by the number of their arguments. The last argument is the step, the first ones are variables. */
const MACROS: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>(
  Object.entries({
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
  }),
);

/** Makes a call, or what a macro stands for. @throws CelSyntaxError */
export function call(name: string, target: Expr | undefined, { args, at }: { readonly args: readonly Expr[]; readonly at: number }): Expr {
  if (target === undefined) {
    const [subject] = args;
    if (name !== "has" || args.length !== 1 || subject === undefined) return { type: "call", name, target, args, at };
    if (subject.type !== "select") throw new CelSyntaxError("invalid argument to has() macro", subject.at);
    return { type: "has", operand: subject.operand, field: subject.field, at };
  }
  if (MACROS.get(name)?.includes(args.length) !== true) return { type: "call", name, target, args, at };
  const isTwoVariable = name.startsWith("transform") || (args.length === 3 && name !== "map");
  const variables = args.slice(0, isTwoVariable ? 2 : 1).map((arg) => {
    if (arg.type !== "ident") throw new CelSyntaxError("argument must be a simple name", arg.at);
    if (arg.name === "__result__") throw new CelSyntaxError("iteration variable overwrites accumulator variable", arg.at);
    return arg.name;
  });
  if (variables[0] === variables[1]) throw new CelSyntaxError(`duplicate variable name: ${variables[0] ?? ""}`, args[1]?.at ?? at);
  const rest = args.slice(variables.length);
  const step = rest.at(-1);
  if (step === undefined) return { type: "call", name, target, args, at };
  return { type: "fold", macro: name, range: target, variables, filter: rest.length > 1 ? rest[0] : undefined, step, at };
}
