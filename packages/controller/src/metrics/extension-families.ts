/**
 * The counters of extensions. Handlers whose steps use the same extension share its families, and the label `controller` tells
 * them apart. `manager.add` has refused counters with one name and different labels.
 */
import type { CounterDefinition, ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import { Counter, type Registry } from "./prom-client-parts.ts";

/** Returns the family of a counter; it is made for the first handler that has the counter. */
export type ExtensionFamilies = (counter: CounterDefinition) => Counter;

export function extensionFamilies(registry: Registry): ExtensionFamilies {
  const families = new Map<string, Counter>();
  return ({ name, help, labels }) => {
    const known = families.get(name);
    if (known !== undefined) return known;
    if (registry.getSingleMetric(name) !== undefined)
      throw new ManagerError(
        "ERR_ADD_REFUSED",
        `cannot count ${name} of an extension: the registry has another metric of that name: rename one of them`,
      );
    const family = new Counter({ name, help, labelNames: ["controller", ...labels], registers: [registry] });
    families.set(name, family);
    return family;
  };
}

/** Registers the counters of one controller, so that their names exist before the first count. Returns a function that counts. */
export function extensionCounters(
  family: ExtensionFamilies,
  controller: string,
  counters: readonly CounterDefinition[],
): NonNullable<ReconcilerEnv["count"]> {
  const families = new Map(counters.map((counter) => [counter.name, family(counter)]));
  // The values of labels are not known before the first count.
  for (const { name, labels } of counters) if (labels.length === 0) families.get(name)?.inc({ controller }, 0);
  // An extension that no step of the handler uses counts nothing.
  return ({ name }, labels, by) => families.get(name)?.inc({ ...labels, controller }, by);
}
