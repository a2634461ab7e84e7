/** CEL expressions about a request: their variables, and how they run. */
import { type Budget, BudgetError } from "../cel/budget.ts";
import { compileProgram, type Program } from "../cel/program.ts";
import { DYN, type Type } from "../cel/types.ts";
import { CelError, Dict, List, Struct, type Value } from "../cel/values.ts";
import type { JsonObject } from "../internal/json.ts";

/** Variables of an expression, with their types and their values for one request. */
export interface Names {
  readonly types: ReadonlyMap<string, Type>;
  readonly values: Readonly<Record<string, Value>>;
}

/** An expression that has no value. The message is that of the real server. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  readonly code = "ERR_EXPRESSION";
}

/** Makes variables of JSON values. `undefined` becomes null. */
export function namesOf(json: Readonly<Record<string, unknown>>): Names {
  const names = Object.keys(json);
  return {
    types: new Map(names.map((name) => [name, DYN])),
    values: Object.fromEntries(names.map((name) => [name, toValue(json[name])])),
  };
}

/** Runs an expression. @throws ExpressionError, and BudgetError when the shared budget is used up */
export function run(expression: string, { types, values }: Names, budget: Budget): Value {
  const program = compiled(expression, types);
  if (typeof program === "string") throw new ExpressionError(`compilation error: ${program}`);
  const given = Math.min(MAX_COST, budget.remaining);
  const own = { remaining: given };
  try {
    return program.run(values, own);
  } catch (error) {
    if (error instanceof BudgetError && own.remaining < 0 && given === budget.remaining) throw error;
    if (!(error instanceof CelError) && !(error instanceof BudgetError)) throw error;
    const cause = error instanceof CelError ? error.message : "operation cancelled: actual cost limit exceeded";
    throw new ExpressionError(`expression '${expression}' resulted in error: ${cause}`);
  } finally {
    budget.remaining -= given - own.remaining;
  }
}

/** k8s.io/apiserver `apis/cel.PerCallLimit`. */
const MAX_COST = 1_000_000;

export const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

/** Adds `variables.name` for each expression. An expression runs when its variable is first read, and may read earlier variables. */
export function withVariables(
  names: Names,
  variables: readonly { readonly name: string; readonly expression: string }[],
  budget: Budget,
): Names {
  if (variables.length === 0) return names;
  const types = new Map(variables.map(({ name }) => [name, DYN]));
  const type: Type = { type: "object", name: "kubernetes.variables", fields: types };
  const scope: Names = { types: new Map([...names.types, ["variables", type]]), values: names.values };
  return { types: scope.types, values: { ...names.values, variables: new Variables(scope, variables, budget) } };
}

class Variables extends Struct {
  readonly fields: readonly string[];
  readonly #names: Names;
  readonly #expressions: ReadonlyMap<string, string>;
  readonly #budget: Budget;
  readonly #known = new Map<string, Value | CelError>();

  constructor(names: Names, variables: readonly { readonly name: string; readonly expression: string }[], budget: Budget) {
    super();
    this.fields = variables.map(({ name }) => name);
    this.#names = names;
    this.#expressions = new Map(variables.map(({ name, expression }) => [name, expression]));
    this.#budget = budget;
  }

  get(field: string): Value | undefined {
    const expression = this.#expressions.get(field);
    if (expression === undefined) return undefined;
    const known = this.#known.get(field) ?? this.#run(field, expression);
    if (known instanceof CelError) throw known;
    return known;
  }

  #run(field: string, expression: string): Value | CelError {
    // An expression that reads its own variable finds this error.
    this.#known.set(field, new CelError(`composited variable "${field}" refers to itself`));
    const result = this.#value(field, expression);
    this.#known.set(field, result);
    return result;
  }

  #value(field: string, expression: string): Value | CelError {
    const program = compiled(expression, this.#names.types);
    if (typeof program === "string") return new CelError(`composited variable "${field}" fails to compile: ${program}`);
    try {
      return program.run({ ...this.#names.values, variables: this }, this.#budget);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return new CelError(`composited variable "${field}" fails to evaluate: ${error.message}`);
    }
  }
}

/** Compiles an expression and returns the program or the text of the error. The cache key is the text and the types of the variables. */
function compiled(expression: string, types: ReadonlyMap<string, Type>): Program | string {
  const variables = types.get("variables");
  const key = [expression, ...types.keys(), ...(variables?.type === "object" ? variables.fields.keys() : [])].join("\0");
  const known = programs.get(key) ?? compileProgram(expression, types);
  programs.set(key, known);
  return known;
}

// A cache: its values depend only on the texts.
const programs = new Map<string, Program | string>();

function toValue(json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === "string" || typeof json === "boolean") return json;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new List(json.map(toValue));
  return new Dict(new Map(Object.entries(json as JsonObject).map(([key, value]) => [key, toValue(value)])));
}
