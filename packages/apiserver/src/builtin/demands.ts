/** The resources that containers and pods request, and their limits. */
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { addQuantities, quantityNanos } from "./quantity.ts";

/** Quantities by the name of their resource. */
export type Amounts = Readonly<Record<string, string>>;

/** What a container or a pod requests, and its limits. */
export interface Demands {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Returns the quantities of a field, such as `requests`, as texts. */
export function amountsIn(object: JsonObject, field: string): readonly (readonly [name: string, amount: string])[] {
  return Object.entries(objectAt(object, field)).map(([name, amount]) => [name, String(amount)] as const);
}

/** Returns the demands of a container, or those that a pod has in addition to its containers. */
export function demandsOf({ resources }: JsonObject): Demands {
  const own = isObject(resources) ? resources : {};
  return { requests: Object.fromEntries(amountsIn(own, "requests")), limits: Object.fromEntries(amountsIn(own, "limits")) };
}

/** Adds up what the containers need. Init containers run one after the other, except for those that stay. */
export function podDemands(spec: JsonObject): Demands {
  const total = (field: keyof Demands): Amounts => {
    let running = listAt(spec, "containers")
      .map((container) => demandsOf(container)[field])
      .reduce(sum, {});
    let staying: Amounts = {};
    let most: Amounts = {};
    for (const container of listAt(spec, "initContainers")) {
      const own = demandsOf(container)[field];
      most = larger(most, sum(staying, own));
      if (container["restartPolicy"] !== "Always") continue;
      staying = sum(staying, own);
      running = sum(running, own);
    }
    return { ...larger(running, most), ...demandsOf(spec)[field] };
  };
  return { requests: total("requests"), limits: total("limits") };
}

/** Adds up quantities. */
export function sum(a: Amounts, b: Amounts): Amounts {
  const total: Record<string, string> = { ...a };
  for (const [name, amount] of Object.entries(b)) total[name] = a[name] === undefined ? amount : addQuantities(a[name], amount);
  return total;
}

/** Returns the larger quantity of each resource. */
export function larger(a: Amounts, b: Amounts): Amounts {
  const bigger = Object.entries(b).filter(([name, amount]) => a[name] === undefined || quantityNanos(amount) > quantityNanos(a[name]));
  return { ...a, ...Object.fromEntries(bigger) };
}
