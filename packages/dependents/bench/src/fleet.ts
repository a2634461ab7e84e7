/** The owner of the benchmarks of sets, and handlers that keep many objects for it. */
import { defineResource, type Kind, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret, ServiceAccount } from "@treadle/apimachinery/kinds";
import { dependentSet, type Manifest, object } from "@treadle/dependents";
import { type AnyHandler, conditions, handler } from "@treadle/reconcile";
import { z } from "zod";

/** Asks for `size` objects. */
export const Fleet = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Fleet",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ size: z.int32(), text: z.string() }),
});
export interface Fleet extends ObjectOf<typeof Fleet> {}

/** Of ten objects eight ConfigMaps, a Secret and a ServiceAccount. */
export function mixed({ metadata: { name }, spec: { size, text } }: Fleet): Manifest[] {
  const numbers = Array.from({ length: size }, (_, i) => i);
  return numbers.map((i) => {
    const metadata = { name: `${name}-${i}` };
    if (i % 10 === 8) return object(ServiceAccount, { metadata });
    if (i % 10 === 9) return object(Secret, { metadata, data: { text: btoa(text) } });
    return object(ConfigMap, { metadata, data: { text, part: `${i}` } });
  });
}

export const MIXED: readonly Kind[] = [ConfigMap, Secret, ServiceAccount];

/** A handler with one set. */
export function fleetOf(kinds: readonly Kind[], objects: (fleet: Fleet) => Manifest[]): AnyHandler {
  return handler(Fleet)
    .step(conditions())
    .step(dependentSet(Fleet, { name: "fleet", condition: "FleetReady", kinds, objects }))
    .build();
}
