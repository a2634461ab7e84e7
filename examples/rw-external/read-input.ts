/** The input: a Secret that another person or program keeps. */
import { one, step } from "treadle";
import { Secret } from "treadle/kinds";
import { parseDivision } from "./division.ts";
import { RWExternal } from "./rw-external.ts";

/** Reads the numbers to divide. The read is a watch as well: a pass starts when the Secret is created, changed or deleted. */
export const readInput = step(RWExternal, {
  name: "read-input",
  conditions: ["InputReady"],
  reads: { input: one(Secret, (rw) => rw.spec.inputSecret) },
  do(req) {
    const { inputSecret } = req.object.spec;
    const { input } = req.reads;
    if (input === undefined) return req.conditions.false("InputReady", "NotFound", `Secret ${inputSecret} does not exist`).wait();
    const division = parseDivision(input.data);
    if ("problem" in division)
      return req.conditions.false("InputReady", division.reason, `Secret ${inputSecret} ${division.problem}`).wait();
    req.conditions.true("InputReady");
    return req.next({ division });
  },
});
