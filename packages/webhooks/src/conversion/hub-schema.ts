/** The schema of the hub for objects that clients wrote. It is made at the first check, and a check ends also with a slow pattern. */
import { apiVersionOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { TimeLimit } from "@treadle/reconcile/unstable/engine";
import { type SchemaProblem, schemaProblems, type View, viewsOf } from "./views.ts";

/** Checks objects of one kind by the schema of its hub. */
export class HubSchema {
  readonly #kind: Kind;
  readonly #limit: TimeLimit = new TimeLimit();
  #hub: { readonly view: View | undefined } | undefined;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /**
   * Returns how an object breaks the schema; nothing for a kind that `defineResource` did not make. Problems that `old` has at the same paths
   * are left out. One problem replaces all others when the texts of the object take too long for the patterns.
   */
  problems(object: KubernetesObject, old?: KubernetesObject): readonly SchemaProblem[] {
    this.#hub ??= { view: viewsOf(this.#kind).get(apiVersionOf(this.#kind)) };
    const { view } = this.#hub;
    if (view === undefined) return [];
    if (!view.hasPatterns) return newProblems(view, object, old);
    const done = this.#limit.run(() => newProblems(view, object, old));
    return done === undefined ? [{ path: "spec", message: "its texts take too long for the patterns of the schema" }] : done.result;
  }
}

function newProblems(view: View, object: KubernetesObject, old: KubernetesObject | undefined): readonly SchemaProblem[] {
  const found = schemaProblems(object, view);
  if (found.length === 0 || old === undefined) return found;
  const known = new Set(schemaProblems(old, view).map(({ path }) => path));
  return found.filter(({ path }) => !known.has(path));
}
