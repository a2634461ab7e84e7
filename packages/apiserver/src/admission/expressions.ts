/** CEL expressions about a request: how they are compiled, and how they run. */
import { type Budget, BudgetError } from "../cel/budget.ts";
import { compileProgram, type Program } from "../cel/program.ts";
import { DYN, type Type, typeName } from "../cel/types.ts";
import { CelError, Struct, type Value } from "../cel/values.ts";

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

/** Required type of an expression. */
export interface Expected {
  /** Names of the types that the result may have. Without any, each type is allowed. */
  readonly returns?: readonly string[];
  /** Whether the expression may use the types of patches. */
  readonly hasPatchTypes?: boolean;
}

/** Runs an expression. @throws ExpressionError, and BudgetError when the shared budget is used up */
export function run(expression: string, { types, values }: Names, budget: Budget, expected: Expected = {}): Value {
  const program = compile(expression, types, expected);
  // The real server stores no such expression.
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

/** A variable of a policy. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** Adds `variables.name` for each expression. An expression runs when its variable is first read, and may read earlier variables. */
export function withVariables(names: Names, variables: readonly Variable[], budget: Budget): Names {
  // Without variables the object exists, and is empty.
  const types = withVariableTypes(names.types, variables);
  return { types, values: { ...names.values, variables: new Variables({ types, values: names.values }, variables, budget) } };
}

/** Returns the types of all names, with those of the variables. A variable sees those before it. */
export function withVariableTypes(
  types: ReadonlyMap<string, Type>,
  variables: readonly Variable[],
  compiler: (expression: string, types: ReadonlyMap<string, Type>) => Program | string = (expression, all) => compile(expression, all, {}),
): ReadonlyMap<string, Type> {
  const fields = new Map<string, Type>();
  const all = new Map(types).set("variables", { type: "object", name: "kubernetes.variables", fields });
  for (const { name, expression } of variables) {
    const program = compiler(expression, all);
    fields.set(name, typeof program === "string" ? DYN : kept(program.type));
  }
  return all;
}

/** Returns the type of a variable as other expressions see it: types of objects and of libraries are forgotten. */
function kept(type: Type): Type {
  switch (type.type) {
    case "plain":
      return type.name.includes(".") ? DYN : type;
    case "list":
      return { type: "list", item: kept(type.item) };
    case "map":
      return { type: "map", key: kept(type.key), value: kept(type.value) };
    default:
      return DYN;
  }
}

class Variables extends Struct {
  readonly fields: readonly string[];
  readonly #names: Names;
  readonly #expressions: ReadonlyMap<string, string>;
  readonly #budget: Budget;
  readonly #known = new Map<string, Value | CelError>();

  constructor(names: Names, variables: readonly Variable[], budget: Budget) {
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
    const program = compile(expression, this.#names.types, {});
    if (typeof program === "string") return new CelError(`composited variable "${field}" fails to compile: ${program}`);
    try {
      return program.run({ ...this.#names.values, variables: this }, this.#budget);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return new CelError(`composited variable "${field}" fails to evaluate: ${error.message}`);
    }
  }
}

/**
 * Compiles an expression and returns the program or the text of the error. The cache has the programs of each set of types, by
 * the text of the expression.
 */
export function compile(expression: string, types: ReadonlyMap<string, Type>, expected: Expected): Program | string {
  const key = JSON.stringify([expression, expected, signatureOf(types)]);
  const known = programs.get(key) ?? compileAs(expression, types, expected);
  programs.set(key, known);
  return known;
}

// A cache: its values depend only on the texts.
const programs = new Map<string, Program | string>();

/** Returns what a program depends on: the names, and the variables with their types. Other types are the same for each name. */
function signatureOf(types: ReadonlyMap<string, Type>): unknown {
  const variables = types.get("variables");
  const fields = variables?.type === "object" ? [...variables.fields].map(([name, type]) => [name, typeName(type)]) : [];
  return [[...types].map(([name, type]) => [name, typeName(type)]), fields];
}

function compileAs(expression: string, types: ReadonlyMap<string, Type>, { returns, hasPatchTypes = false }: Expected): Program | string {
  const program = compileProgram(expression, types, { hasPatchTypes });
  if (typeof program === "string") return `compilation failed: ${program}`;
  const type = typeName(program.type);
  if (returns === undefined || returns.includes(type)) return program;
  const names = returns.map((name) => (name === "null" ? "null_type" : name));
  const wanted = names.length === 1 ? `${names[0]}` : `one of [${names.join(" ")}]`;
  return `must evaluate to ${wanted} but got ${type}`;
}
