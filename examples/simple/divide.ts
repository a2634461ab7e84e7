/** Divides the numbers that `checkInput` accepted. */
import { step } from "treadle";
import { checkInput } from "./check-input.ts";
import { Simple } from "./simple.ts";

/** Stores the result. `needs` types `req.vars.input`, and turns a wrong order of the steps into a compile error. */
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
