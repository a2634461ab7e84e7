/** The steps, and the handler that runs them in this order. */
import { conditions, handler, step } from "treadle";
import { Simple } from "./simple.ts";

/** Refuses what cannot be divided. Trying again would not mend it, so it stops until the spec changes. */
export const checkInput = step(Simple, {
  name: "check-input",
  conditions: ["InputReady"],
  do(req) {
    const { dividend, divisor } = req.object.spec;
    if (divisor === 0) {
      // What an earlier spec gave does not hold any more.
      delete req.status.quotient;
      delete req.status.remainder;
      return req.conditions.false("InputReady", "DivisionByZero", `${dividend} cannot be divided by 0: change spec.divisor`).stop();
    }
    req.conditions.true("InputReady");
    return req.next({ input: { dividend, divisor } });
  },
});

/** Divides. `needs` makes the input of the step above a typed variable, and a wrong order a compile error. */
export const divide = step(Simple, {
  name: "divide",
  needs: [checkInput],
  do(req) {
    const { dividend, divisor } = req.vars.input;
    // `+ 0` because JSON has no -0.
    req.status.quotient = Math.trunc(dividend / divisor) + 0;
    req.status.remainder = (dividend % divisor) + 0;
  },
});

export const simple = handler(Simple).step(conditions()).step(checkInput).step(divide).build();
