/** The CRDs of a loaded program. Pure. */
import { crdOf, type CustomResourceDefinition } from "@treadle/apimachinery";
import { declaredKinds, type ProgramKinds } from "./kinds.ts";

/**
 * Returns the CRD of each kind of `defineResource` that the handlers and runnables of a program declare, sorted by name. So it has also the
 * kinds that are only read, such as a configuration. Kinds of other operators are made by `kind()`, and have no CRD here.
 *
 * Caveat: there is no conversion in them. Where a program has conversion webhooks, their address depends on where it runs.
 */
export function crdsOf(program: ProgramKinds): readonly CustomResourceDefinition[] {
  const crds = declaredKinds(program).flatMap((kind) => (kind.resource === undefined ? [] : [crdOf(kind)]));
  const byName = new Map(crds.map((crd) => [crd.metadata.name, crd]));
  return [...byName.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
