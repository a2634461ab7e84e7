/** Generic step: rules about the spec that its schema cannot express. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import { type Step, step } from "../step.ts";

/** These are the options of {@link validate}. */
export interface ValidateOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "validate" */
  readonly name?: string;
  /** The condition that reports the problems. @defaultValue "Valid" */
  readonly condition?: string;
  /** Returns the problems of the object, one text each; none if the object is valid. Must be pure. */
  problems(object: T): readonly string[];
}

/** Makes a step that stops the chain while the object has problems. No retry follows: the next pass starts when the object changes. */
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
