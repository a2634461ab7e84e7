/** Generic step: writes defaults into the spec that a schema cannot express. */
import { jsonEqual, type Kind, type KubernetesObject, type Mutable, type ObjectOf } from "@treadle/apimachinery";
import { TerminalError } from "../errors.ts";
import { misuse } from "../internal/misuse.ts";
import { typeOf } from "../internal/type-of.ts";
import { type Step, step } from "../step.ts";

/** The spec of an object as a draft: all fields can be changed. `never` for objects without a spec. */
export type SpecOf<T> = T extends { readonly spec: infer S } ? Mutable<S> : never;

/** These are the options of {@link defaults}. */
export interface DefaultsOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "defaults" */
  readonly name?: string;
  /** Fills in missing fields, in place. Must be pure and synchronous, return nothing, and must not change its own result. */
  // A function that returns a promise or an object fits `void` alone, and does not fit this union.
  fill(spec: SpecOf<T>, object: T): void | undefined;
}

/**
 * Makes a step that completes the spec. A change ends the chain, and the new generation starts the next pass. So later steps see
 * only a complete spec. Prefer defaults in the schema, which the API server applies. A `fill` that returns something fails the step.
 */
export function defaults<K extends Kind>(kind: K, options: DefaultsOptions<ObjectOf<K>>): Step<ObjectOf<K>> {
  const { name = "defaults" } = options;
  return step(kind, {
    name,
    writes: ["spec"],
    do(req) {
      const filled = fill(req.object.spec);
      if (jsonEqual(filled, req.object.spec ?? {})) return;
      // Each write starts the next pass at once: a fill that changes its own result would write forever.
      if (!jsonEqual(fill(filled), filled)) {
        throw new TerminalError(`step "${name}": fill changes its own result: it must change nothing if no field is missing`, {
          code: "ERR_NOT_AT_REST",
        });
      }
      const spec: Record<string, unknown> = req.spec as object as Record<string, unknown>; // the draft, whatever the kind's spec
      for (const key of Object.keys(spec)) if (!Object.hasOwn(filled, key)) delete spec[key];
      Object.assign(spec, filled);

      function fill(from: unknown): object {
        const copy = structuredClone(from ?? {}) as object;
        const returned: unknown = options.fill(copy as SpecOf<ObjectOf<K>>, req.object);
        if (returned !== undefined) throw refused(name, returned);
        return copy;
      }
    },
  }) as Step<ObjectOf<K>>;
}

/** A promise would fill in the fields too late, and a returned object would be lost. */
function refused(step: string, returned: unknown): Error {
  // Its rejection must not end the process.
  if (returned instanceof Promise) returned.catch(() => {});
  const expected = "fill must change the fields of its first argument, return nothing and not be async";
  return misuse("ERR_INVALID_STEP", `step "${step}": ${expected}; it returned ${typeOf(returned)}`);
}
