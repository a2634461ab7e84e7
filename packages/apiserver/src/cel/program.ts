/** Compiles an expression of a rule for the type of `self`, and runs it. */
import { compilePattern } from "../schema/pattern.ts";
import { check, type Checked, type Problem } from "./type-check.ts";
import type { Signature } from "./environment.ts";
import { maxCost } from "./cost.ts";
import { evaluate, type Runtime } from "./evaluate.ts";
import type { Scope } from "./scope.ts";
import type { Budget } from "./budget.ts";
import { authorizer } from "./library/authorizer.ts";
import { collections } from "./library/collections.ts";
import { formats, kubernetes } from "./library/kubernetes.ts";
import { network } from "./library/network.ts";
import { makePatch, patches, patchType } from "./library/patches.ts";
import { standard } from "./library/standard.ts";
import { text } from "./library/text.ts";
import { parseDuration, parseTimestamp, time } from "./library/time.ts";
import { type Overload, overloadsOf } from "./overloads.ts";
import { CelSyntaxError } from "./lexer.ts";
import { MAX_DEPTH, NOWHERE } from "./depth.ts";
import { parseCel } from "./parser.ts";
import type { Expr } from "./syntax.ts";
import { DYN, plain, type Type } from "./types.ts";
import { CelError, TypeValue, type Value } from "./values.ts";

export interface Program {
  readonly type: Type;
  /** Whether the expression uses `oldSelf`. */
  readonly usesOldSelf: boolean;
  /** Returns the maximum cost of a run on any object of the schema. */
  maxCost(): number;
  /** Runs the program. @throws CelError, BudgetError */
  run(variables: Readonly<Record<string, Value>>, budget: Budget): Value;
}

/** Names of an expression. `hasPatchTypes` adds the types of MutatingAdmissionPolicies. */
export interface ProgramOptions {
  readonly hasPatchTypes?: boolean;
}

/** Compiles a program, or returns the error of cel-go. */
export function compileProgram(
  source: string,
  variables: ReadonlyMap<string, Type>,
  { hasPatchTypes = false }: ProgramOptions = {},
): Program | string {
  let expr: Expr;
  try {
    expr = parseCel(source);
  } catch (error) {
    return failure(source, error);
  }
  const named = hasPatchTypes ? findWithPatches : find;
  const structs = hasPatchTypes ? patchType : () => undefined;
  const runtime: Runtime = { variables, types, constants, literals, signatures: named, overloads: named, structs, makeStruct: makePatch };
  let checked: Checked;
  try {
    checked = check(expr, runtime);
  } catch (error) {
    return failure(source, error);
  }
  const { type, problems, uses, types: parts } = checked;
  if (problems.length > 0) return issues(source, problems);
  return {
    type,
    usesOldSelf: uses.has("oldSelf"),
    maxCost: () => maxCost(expr, parts, variables.get("self")),
    run: (values, budget) => {
      let scope: Scope | undefined;
      for (const [name, value] of Object.entries(values)) scope = { name, value, outer: scope };
      try {
        return evaluate(expr, scope, runtime, budget);
      } catch (error) {
        // The variables read one through the other, or it is a limit of JavaScript: the length of a list, the digits of a number.
        if (error instanceof RangeError)
          throw new CelError(/stack/.test(error.message) ? "expression is nested too deeply" : error.message);
        throw error;
      }
    },
  };
}

let overloads: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Returns the overloads of a function in all libraries. Operators with their own syntax have a signature only for the checker. */
function find(name: string): (readonly Overload[] & readonly Signature[]) | undefined {
  overloads ??= overloadsOf([standard, collections, text, time, network, kubernetes, formats, authorizer]);
  return overloads.get(name);
}

let patchOverloads: ReadonlyMap<string, readonly Overload[]> | undefined;

function findWithPatches(name: string): ReturnType<typeof find> {
  patchOverloads ??= overloadsOf([patches]);
  return find(name) ?? patchOverloads.get(name);
}

const TYPE_NAMES: readonly (readonly [name: string, type: Type])[] = [
  ...["bool", "int", "uint", "double", "string", "bytes", "null_type"].map((name) => [name, plain(name)] as const),
  ["list", { type: "list", item: DYN }],
  ["map", { type: "map", key: DYN, value: DYN }],
  ["type", { type: "type", item: DYN }],
  ["optional_type", { type: "optional", item: DYN }],
  ["google.protobuf.Timestamp", plain("timestamp")],
  ["google.protobuf.Duration", plain("duration")],
  ...["net.IP", "net.CIDR", "kubernetes.URL", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.NamedFormat"].map(
    (name) => [name, plain(name)] as const,
  ),
];

/** Names of types, which are values: `type(self) == string`. */
const types: ReadonlyMap<string, Type> = new Map(TYPE_NAMES.map(([name, item]) => [name, { type: "type", item }]));
const constants: ReadonlyMap<string, Value> = new Map(TYPE_NAMES.map(([name]) => [name, new TypeValue(name)]));

const literals: Runtime["literals"] = new Map(
  Object.entries({
    matches: (pattern: string) => compilePattern(pattern) !== undefined,
    duration: (source: string) => parseDuration(source, false) !== undefined,
    timestamp: isTimestamp,
  }),
);

function isTimestamp(text: string): boolean {
  try {
    return parseTimestamp(text) !== undefined;
  } catch {
    return false; // its year is 0
  }
}

/** Returns the error of invalid syntax. An expression that is nested too deeply for the stack counts as invalid. */
function failure(source: string, error: unknown): string {
  if (error instanceof CelSyntaxError) return issues(source, [error]);
  if (error instanceof RangeError) return `ERROR: <input>:-1:0: expression recursion limit exceeded: ${MAX_DEPTH}`;
  throw error;
}

/** Most errors of one expression that are shown. */
const SHOWN_ISSUES = 100;

function issues(source: string, problems: readonly Problem[]): string {
  const more = problems.length - SHOWN_ISSUES;
  return problems
    .slice(0, SHOWN_ISSUES)
    .toSorted((a, b) => a.at - b.at)
    .map(({ message, at }) => {
      if (at === NOWHERE) return `ERROR: <input>:-1:0: ${message}`;
      const start = source.lastIndexOf("\n", at - 1) + 1;
      const end = source.indexOf("\n", start);
      const line = source.slice(start, end < 0 ? undefined : end);
      const row = source.slice(0, start).split("\n").length;
      return `ERROR: <input>:${row}:${at - start + 1}: ${message}\n | ${line}\n | ${".".repeat(at - start)}^`;
    })
    .concat(more > 0 ? [`${more} more errors were truncated`] : [])
    .join("\n");
}
