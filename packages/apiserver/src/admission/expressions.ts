/** CEL expressions about a request: how they are compiled, and how they run. */
import { type Budget, BudgetError } from "../cel/budget.ts";
import { compileProgram, type Program } from "../cel/program.ts";
import { DYN, type Type, typeName } from "../cel/types.ts";
import { CelError, Struct, type Value } from "../cel/values.ts";
import { Recent } from "../internal/recent.ts";

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
export function withVariables({ types, values }: Names, variables: readonly Variable[], budget: Budget): Names {
  const programs = new Map<string, Program | string>();
  const all = withVariableTypes(types, variables, ({ name, expression }, seen) => {
    const program = compile(expression, seen, {});
    programs.set(name, program);
    return program;
  });
  // Without variables the object exists, and is empty.
  return { types: all, values: { ...values, variables: new Variables(values, programs, budget) } };
}

/** Returns the types of all names, with those of the variables. `compiler` is called for each variable, with the types before it. */
export function withVariableTypes<V extends Variable>(
  types: ReadonlyMap<string, Type>,
  variables: readonly V[],
  compiler: (variable: V, types: ReadonlyMap<string, Type>) => Program | string,
): ReadonlyMap<string, Type> {
  const fields = new Map<string, Type>();
  const all = new Map(types).set("variables", { type: "object", name: "kubernetes.variables", fields });
  for (const variable of variables) {
    const program = compiler(variable, all);
    fields.set(variable.name, typeof program === "string" ? DYN : kept(program.type));
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
  readonly #values: Names["values"];
  readonly #programs: ReadonlyMap<string, Program | string>;
  readonly #budget: Budget;
  readonly #known = new Map<string, Value | CelError>();

  constructor(values: Names["values"], programs: ReadonlyMap<string, Program | string>, budget: Budget) {
    super();
    this.fields = [...programs.keys()];
    this.#values = values;
    this.#programs = programs;
    this.#budget = budget;
  }

  get(field: string): Value | undefined {
    const program = this.#programs.get(field);
    if (program === undefined) return undefined;
    const known = this.#known.get(field) ?? this.#run(field, program);
    if (known instanceof CelError) throw known;
    return known;
  }

  #run(field: string, program: Program | string): Value | CelError {
    // An expression that reads its own variable finds this error.
    this.#known.set(field, new CelError(`composited variable "${field}" refers to itself`));
    const result = this.#value(field, program);
    this.#known.set(field, result);
    return result;
  }

  #value(field: string, program: Program | string): Value | CelError {
    if (typeof program === "string") return new CelError(`composited variable "${field}" fails to compile: ${program}`);
    try {
      return program.run({ ...this.#values, variables: this }, this.#budget);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return new CelError(`composited variable "${field}" fails to evaluate: ${error.message}`);
    }
  }
}

/**
 * Compiles an expression and returns the program or the text of the error. The cache has the programs of each set of types, by
 * the text of the expression, as long as they are used.
 */
export function compile(expression: string, types: ReadonlyMap<string, Type>, expected: Expected): Program | string {
  const key = JSON.stringify([expression, expected, signatureOf(types)]);
  const known = programs.get(key);
  if (known !== undefined) return known;
  const made = compileAs(expression, types, expected);
  programs.set(key, made);
  return made;
}

/** Maximum number of compiled expressions, which is more than the policies of a cluster have. */
const MAX_PROGRAMS = 4096;

// A cache: its values depend only on the texts.
const programs = new Recent<Program | string>(MAX_PROGRAMS);

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
