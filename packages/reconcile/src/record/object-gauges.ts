/**
 * The parts of an object in the object gauges of extensions. A gauge is a sum, so the metrics get the differences: they need no memory of
 * single objects.
 */
import type { ReconcilerEnv } from "../env.ts";
import type { MetricLabels } from "../metric.ts";

/** The part of an object in one series of a gauge. */
export interface ObjectGauge {
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

/** The parts of one object, by series. */
export interface GaugeMemory {
  gauges?: Map<string, ObjectGauge>;
}

/** Replaces the part of an object in a series. */
export function noteObjectGauge(memory: GaugeMemory, gauge: ObjectGauge, metrics: Pick<ReconcilerEnv, "measure">): void {
  const { name, labels, value } = gauge;
  const series = JSON.stringify([name, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  const before = memory.gauges?.get(series)?.value;
  if (before === value) return;
  (memory.gauges ??= new Map()).set(series, gauge);
  metrics.measure?.(name, labels, value - (before ?? 0));
}

/** Removes the parts of an object that is forgotten. */
export function removeObjectGauges({ gauges }: GaugeMemory, metrics: Pick<ReconcilerEnv, "measure">): void {
  for (const { name, labels, value } of gauges?.values() ?? []) if (value !== 0) metrics.measure?.(name, labels, -value);
}
