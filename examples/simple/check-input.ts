/** Refuses a division that has no result, and hands the numbers to the next step. */
import { step } from "treadle";
import { Simple } from "./simple.ts";

/** The largest quotient that the status can hold: it is an int32. */
const MAX_QUOTIENT = 2 ** 31 - 1;

/** Refuses an input without a result. A retry cannot fix the spec, so the step stops until the spec changes. */
export const checkInput = step(Simple, {
  name: "check-input",
  conditions: ["InputReady"],
  do(req) {
    const { dividend, divisor } = req.object.spec;
    const refusal = refusalOf(dividend, divisor);
    if (refusal !== undefined) {
      // The result of an earlier spec is no longer valid.
      delete req.status.quotient;
      delete req.status.remainder;
      return req.conditions.false("InputReady", refusal.reason, refusal.message).stop();
    }
    req.conditions.true("InputReady");
    return req.next({ input: { dividend, divisor } });
  },
});

function refusalOf(dividend: number, divisor: number): { readonly reason: string; readonly message: string } | undefined {
  if (divisor === 0) return { reason: "DivisionByZero", message: `${dividend} cannot be divided by 0: change spec.divisor` };
  // Only -2147483648 / -1. The server would refuse the status, and every retry of it.
  if (dividend / divisor > MAX_QUOTIENT)
    return {
      reason: "QuotientTooLarge",
      message: `${dividend} / ${divisor} exceeds ${MAX_QUOTIENT}: change spec.dividend or spec.divisor`,
    };
  return undefined;
}
