/** Generic step: rules about the spec that its schema cannot express. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import { misuse } from "../internal/misuse.ts";
import { typeOf } from "../internal/type-of.ts";
import { type Step, step } from "../step.ts";

/** A problem of an object: a text, or a text about one field. */
export type Problem =
  | string
  | {
      /** Path of the field, `spec.ports[0].name`. */
      readonly path: string;
      /** What is wrong with the field. */
      readonly message: string;
    };

/** These are the options of {@link validate}. */
export interface ValidateOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "validate" */
  readonly name?: string;
  /** The condition that reports the problems. @defaultValue "Valid" */
  readonly condition?: string;
  /** Returns the problems of the object; none if the object is valid. Must be pure, and must not be async. */
  problems(object: T): readonly Problem[];
}

/**
 * Makes a step that stops the chain while the object has problems. No retry follows: the next pass starts when the object changes. The
 * condition shows a problem of a field as `spec.replicas: at most 10`. A result that is not a list of problems fails the step.
 */
export function validate<K extends Kind>(kind: K, options: ValidateOptions<ObjectOf<K>>): Step<ObjectOf<K>> {
  const { name = "validate", condition = "Valid" } = options;
  return step(kind, {
    name,
    conditions: [condition],
    do(req) {
      const texts = textsOf(name, options.problems(req.object));
      if (texts.length > 0) return req.conditions.false(condition, "Invalid", texts.join("; ")).stop();
      req.conditions.true(condition);
      return;
    },
  }) as Step<ObjectOf<K>>;
}

/** @throws TypeError for what is not a list of problems: a promise, for example, would count as a valid object. */
function textsOf(step: string, problems: unknown): readonly string[] {
  if (!Array.isArray(problems)) throw refused(step, `it returned ${typeOf(problems)}`);
  return problems.map((problem: unknown, i) => {
    if (typeof problem === "string") return problem;
    const { path, message } = (problem ?? {}) as { readonly path?: unknown; readonly message?: unknown };
    if (typeof path !== "string" || typeof message !== "string") throw refused(step, `problem ${i} is ${typeOf(problem)}`);
    return path === "" ? message : `${path}: ${message}`;
  });
}

function refused(step: string, found: string): Error {
  const expected = "problems must return a list whose items are texts, or objects { path, message } with two texts";
  return misuse("ERR_INVALID_STEP", `step "${step}": ${expected}; ${found}`);
}
