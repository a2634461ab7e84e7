/** `matchConditions`: CEL expressions over the objects and the request. */
import { BudgetError } from "../cel/budget.ts";
import { ExpressionError, type Names, OUT_OF_BUDGET, run } from "./expressions.ts";

export interface Condition {
  readonly name: string;
  readonly expression: string;
}

/** Reports whether all conditions are true, or returns the text of an error. One false condition decides, even when another one fails. */
export function conditionsHold(conditions: readonly Condition[], names: Names): boolean | string {
  const errors: string[] = [];
  const budget = { remaining: BUDGET };
  for (const { expression } of conditions) {
    try {
      if (run(expression, names, budget, { returns: ["bool"] }) === false) return false;
    } catch (error) {
      if (error instanceof BudgetError) return OUT_OF_BUDGET;
      if (!(error instanceof ExpressionError)) throw error;
      errors.push(error.message);
    }
  }
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;
}

/** k8s.io/apiserver `apis/cel.RuntimeCELCostBudgetMatchConditions`. */
const BUDGET = 2_500_000;
