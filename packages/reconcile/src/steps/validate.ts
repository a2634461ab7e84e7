/** Generic step: rules about the spec that its schema cannot say. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import { type Step, step } from "../step.ts";

/** Options of {@link validate}. */
export interface ValidateOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "validate" */
  readonly name?: string;
  /** The condition that reports the problems. @defaultValue "Valid" */
  readonly condition?: string;
  /** What is wrong with the object, one text each; nothing when it is right. Pure. */
  problems(object: T): readonly string[];
}

/** A step that stops until the object changes when something is wrong with it; a spec error is nothing to try again. */
export function validate<K extends Kind>(kind: K, options: ValidateOptions<ObjectOf<K>>): Step<ObjectOf<K>> {
  const { name = "validate", condition = "Valid" } = options;
  return step(kind, {
    name,
    conditions: [condition],
    do(req) {
      const problems = options.problems(req.object);
      if (problems.length > 0) return req.conditions.false(condition, "Invalid", problems.join("; ")).stop();
      req.conditions.true(condition);
      return;
    },
  }) as Step<ObjectOf<K>>;
}
