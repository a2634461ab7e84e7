/** The objects of a step in one pass: a list, with one element for most steps. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import { LIVE, targetOf } from "./dependent.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** One object of a step in one pass. */
export interface Subject {
  /** The object as the pass read it; `undefined`: it does not exist. */
  readonly live: KubernetesObject | undefined;
  /** Returns its name and namespace. @throws what the author's functions throw */
  target(): Ref;
}

/** Returns the objects that the step keeps, whether or not each of them is desired. @throws what the author's functions throw */
export function subjectsOf({ dependent, context, req }: Unit<AnyDoReq>): readonly Subject[] {
  const live = req.reads[LIVE as never] as KubernetesObject | undefined; // The read under this name returns it.
  return [{ live, target: () => targetOf(dependent, context.owner) }];
}

/** Notes the live objects for the steps that depend on this one. */
export function noteLive(
  { dependent, pass }: Unit,
  brought: readonly { readonly converged: { readonly live: KubernetesObject | undefined } }[],
): void {
  pass.found.live.set(dependent.name, brought[0]?.converged.live);
}
