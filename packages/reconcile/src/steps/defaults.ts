/** Generic step: values that depend on more than a schema's defaults can say, written into the object itself. */
import type { Kind, KubernetesObject, Mutable, ObjectOf } from "@treadle/apimachinery";
import { type Step, step } from "../step.ts";

type SpecOf<T> = T extends { readonly spec: infer S } ? Mutable<S> : never;

export interface DefaultsOptions<T extends KubernetesObject> {
  /** @defaultValue "defaults" */
  readonly name?: string;
  /** Fills in what is missing, in place. Must come to rest: applied to its own result it changes nothing. */
  fill(spec: SpecOf<T>, object: T): void;
}

/**
 * A step that completes the spec. A change ends the chain; the new generation starts the next pass, so later steps only
 * ever see a complete spec. Prefer defaults in the schema, which the API server applies.
 */
export function defaults<K extends Kind>(kind: K, options: DefaultsOptions<ObjectOf<K>>): Step<ObjectOf<K>> {
  const { name = "defaults" } = options;
  return step(kind, {
    name,
    writes: ["spec"],
    do(req) {
      options.fill(req.spec as SpecOf<ObjectOf<K>>, req.object);
    },
  }) as Step<ObjectOf<K>>;
}
