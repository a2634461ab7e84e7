/** The reads that follow from the references of a step. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import { many, one, type Reads } from "@treadle/reconcile";
import type { ReferenceParts, References } from "../reference.ts";
import type { ReferenceChoice, ReferenceChoices } from "./choices.ts";

/** Returns the stored choices in the status of an object. Pure, because it is part of a read. */
export type ChoicesOf = (object: KubernetesObject) => Partial<ReferenceChoices> | undefined;

/** Returns the name of the read of a reference. It has a `/`, so that no read of an author has the same name. */
export function readNameOf(reference: string): string {
  return `reference/${reference}`;
}

/** Returns the name of the read of the chosen object, for a selector with `resolve: "once"`. */
export function chosenReadNameOf(reference: string): string {
  return `reference/${reference}/chosen`;
}

/**
 * Returns the reads of the references, for the `reads` of the step. A reference with `resolve: "once"` reads the object that
 * `choicesOf` returns, whatever the spec names meanwhile.
 */
export function readsOfReferences(references: References<KubernetesObject>, choicesOf: ChoicesOf): Reads<KubernetesObject> {
  return Object.fromEntries(Object.entries(references).flatMap(([name, given]) => readsOf(name, partsOf(given), choicesOf)));
}

/** Returns the parts of a reference. @throws TypeError for a value that `reference()` did not make (untyped code) */
export function partsOf(given: References<KubernetesObject>[string]): ReferenceParts {
  if ((given as unknown as Partial<ReferenceParts> | undefined)?.type !== "reference")
    throw new TypeError("a reference is not made by reference(): write reference(Kind, (object) => name)");
  return given as ReferenceParts; // Only reference() makes them.
}

function readsOf(
  name: string,
  { kind, ref, selector, resolve }: ReferenceParts,
  choicesOf: ChoicesOf,
): readonly (readonly [string, Reads<KubernetesObject>[string]])[] {
  const chosen = (object: KubernetesObject): Ref | undefined => (resolve === "once" ? refOf(choicesOf(object)?.[name]) : undefined);
  if (ref !== undefined) return [[readNameOf(name), one(kind, (object: KubernetesObject) => chosen(object) ?? ref(object))]];
  const all = many(kind, (object: KubernetesObject) => ({ matchLabels: selector?.matchLabels(object) ?? {} }));
  if (resolve === "always") return [[readNameOf(name), all]];
  return [
    [readNameOf(name), all],
    [chosenReadNameOf(name), one(kind, chosen)],
  ];
}

function refOf(choice: ReferenceChoice | undefined): Ref | undefined {
  if (choice === undefined) return undefined;
  return choice.namespace === undefined ? { name: choice.name } : { name: choice.name, namespace: choice.namespace };
}
