/** The rule that input and output are two different Secrets. */
import { validate } from "treadle";
import { outputOf, RWExternal } from "./rw-external.ts";

/** Refuses an object whose output is its own input: each result would start the next division. */
export const distinct = validate(RWExternal, {
  problems: (rw) => (rw.spec.inputSecret === outputOf(rw) ? [`Secret ${outputOf(rw)} cannot be both input and output`] : []),
});
