/** `matchConditions`: expressions of CEL over the objects and the request. */
import type { Value } from "../cel/values.ts";
import { CelError, Dict, List } from "../cel/values.ts";
import { type Program, compileProgram } from "../cel/program.ts";
import { BudgetError } from "../cel/evaluate.ts";
import { DYN } from "../cel/types.ts";
import { isObject, type JsonObject } from "../internal/json.ts";

export interface Condition {
  readonly name: string;
  readonly expression: string;
}

/** Whether all conditions hold; a text: why that is not known. One that does not hold decides, whatever the others do. */
export function conditionsHold(conditions: readonly Condition[], review: JsonObject): boolean | string {
  const errors: string[] = [];
  const { object, oldObject, ...request } = isObject(review["request"]) ? review["request"] : {};
  const variables = { object: toValue(object), oldObject: toValue(oldObject), request: toValue(request) };
  const budget = { remaining: BUDGET };
  for (const { expression } of conditions) {
    const program = compiled(expression);
    if (typeof program === "string") {
      errors.push(`compilation error: ${program}`);
      continue;
    }
    try {
      const held = program.run(variables, budget);
      if (held === false) return false;
      if (held !== true) errors.push(`expression '${expression}' resulted in error: cel expression must evaluate to a bool`);
    } catch (error) {
      if (error instanceof BudgetError)
        return "validation failed due to running out of cost budget, no further validation rules will be run";
      if (!(error instanceof CelError)) throw error;
      errors.push(`expression '${expression}' resulted in error: ${error.message}`);
    }
  }
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;
}

/** k8s.io/apiserver `apis/cel.RuntimeCELCostBudgetMatchConditions`. */
const BUDGET = 2_500_000;

function compiled(expression: string): Program | string {
  const known = programs.get(expression) ?? compileProgram(expression, VARIABLES);
  programs.set(expression, known);
  return known;
}

const VARIABLES = new Map(["object", "oldObject", "request"].map((name) => [name, DYN] as const));

// A cache of what follows from the text alone.
const programs = new Map<string, Program | string>();

function toValue(json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === "string" || typeof json === "boolean") return json;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new List(json.map(toValue));
  return new Dict(new Map(Object.entries(json as JsonObject).map(([key, value]) => [key, toValue(value)])));
}
