/** The objects in which the API server looks for the CA of the webhooks. */
import { crdOf } from "@treadle/apimachinery";
import type { Target } from "../certificates/target.ts";
import type { AnyWebhooks } from "../definition.ts";
import { entryName } from "../paths.ts";

/**
 * Returns the configurations, with the entries of these webhooks, and the CRDs with conversion.
 * @param name the name of both configurations
 */
export function certificateTargets(webhooks: readonly AnyWebhooks[], name: string): readonly Target[] {
  const entries = (part: "fill" | "problems"): string[] => webhooks.filter((each) => each[part] !== undefined).map(entryName);
  const [mutating, validating] = [entries("fill"), entries("problems")];
  return [
    ...(mutating.length === 0 ? [] : [{ type: "mutating", name, entries: mutating } as const]),
    ...(validating.length === 0 ? [] : [{ type: "validating", name, entries: validating } as const]),
    ...webhooks
      .filter(({ convert }) => Object.keys(convert).length > 0)
      .map(({ kind }) => ({ type: "crd", name: crdOf(kind).metadata.name }) as const),
  ];
}
