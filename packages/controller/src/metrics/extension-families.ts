/**
 * The counters, gauges and histograms of extensions. Handlers whose steps use the same extension share its families, and the label
 * `controller` tells them apart. `manager.add` has refused metrics with one name that differ.
 */
import type { DeclaredMetric, ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import { Counter, Gauge, Histogram, type Registry } from "./prom-client-parts.ts";

/** The family of one metric. */
interface Family {
  /** Adds to the counter or the object gauge, sets the gauge, or observes. */
  add(labels: Readonly<Record<string, string>>, value: number): void;
  /** Makes the series with these labels. */
  zero(labels: Readonly<Record<string, string>>): void;
}

/** Returns the family of a metric; it is made for the first handler that has the metric. */
export type ExtensionFamilies = (metric: DeclaredMetric) => Family;

export function extensionFamilies(registry: Registry): ExtensionFamilies {
  const families = new Map<string, Family>();
  return (metric) => {
    const { name } = metric;
    const known = families.get(name);
    if (known !== undefined) return known;
    if (registry.getSingleMetric(name) !== undefined)
      throw new ManagerError(
        "ERR_ADD_REFUSED",
        `cannot serve ${name} of an extension: the registry has another metric of that name: rename one of them`,
      );
    const family = familyOf(metric, registry);
    families.set(name, family);
    return family;
  };
}

function familyOf({ type, name, help, labels, buckets }: DeclaredMetric, registry: Registry): Family {
  const common = { name, help, labelNames: ["controller", ...labels], registers: [registry] };
  if (type === "counter") {
    const counter = new Counter(common);
    return { add: (given, value) => counter.inc(given, value), zero: (given) => counter.inc(given, 0) };
  }
  if (type === "gauge" || type === "objectGauge") {
    const gauge = new Gauge(common);
    const isSum = type === "objectGauge";
    return {
      add: (given, value) => (isSum ? gauge.inc(given, value) : gauge.set(given, value)),
      zero: (given) => gauge.set(given, 0),
    };
  }
  const histogram = new Histogram({ ...common, buckets: [...buckets] });
  return { add: (given, value) => histogram.observe(given, value), zero: (given) => histogram.zero(given) };
}

/** Registers the metrics of one controller, so that their names exist before the first value. Returns a function that measures. */
export function extensionMeasure(
  family: ExtensionFamilies,
  controller: string,
  metrics: readonly DeclaredMetric[],
): NonNullable<ReconcilerEnv["measure"]> {
  const families = new Map(metrics.map((metric) => [metric.name, family(metric)]));
  // The values of labels are not known before the first value.
  for (const { name, labels } of metrics) if (labels.length === 0) families.get(name)?.zero({ controller });
  // An extension that no step of the handler uses measures nothing.
  return (name, labels, value) => families.get(name)?.add({ ...labels, controller }, value);
}
