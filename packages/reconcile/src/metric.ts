/**
 * Counters, gauges and histograms of extensions. An extension defines them, and measures in its passes. A controller serves them with
 * its metrics.
 */

/** A metric definition has what all metrics of extensions have. */
export interface MetricDefinition {
  /** The name of the metric by the rules of Prometheus, such as `treadle_rooms_visits_total`. */
  readonly name: string;
  /** The text of the metric's `# HELP` line. */
  readonly help: string;
  /**
   * The names of the labels, without `controller`, which is added. Their values must be few, such as reasons or kinds: each
   * combination of values is a series that stays until the process ends.
   */
  readonly labels: readonly string[];
}

/** A counter definition describes a metric of an extension that only grows. */
export type CounterDefinition = MetricDefinition;

/**
 * A gauge definition describes a metric of an extension that also falls, such as an interval. Its value is that of the last pass that
 * set it, of any object: it is not for values of single objects.
 */
export type GaugeDefinition = MetricDefinition;

/**
 * An object gauge definition describes a metric of an extension that is the sum of one value for each object, such as the number of its
 * parts. The part of a deleted object is removed.
 */
export type ObjectGaugeDefinition = MetricDefinition;

/** A histogram definition describes a metric of an extension that observes durations. */
export interface HistogramDefinition extends MetricDefinition {
  /** The upper bounds of the buckets in seconds, ascending. @defaultValue 0.005 to 10, as {@link DEFAULT_BUCKETS} */
  readonly buckets?: readonly number[];
}

/** The buckets of a histogram that defines none, in seconds: those of the client libraries of Prometheus. */
export const DEFAULT_BUCKETS: readonly number[] = Object.freeze([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);

/** A declared metric is a metric of a handler, with the extension that defines it. */
export interface DeclaredMetric extends MetricDefinition {
  /** What `pass.count()` adds to, `pass.gauge()` or `pass.objectGauge()` sets, or `pass.observe()` observes. */
  readonly type: "counter" | "gauge" | "objectGauge" | "histogram";
  /** The upper bounds of the buckets of a histogram in seconds; empty for another metric. */
  readonly buckets: readonly number[];
  /** The name of the extension. */
  readonly extension: string;
}

/** Metric labels are the values of all labels of a metric, by the name of the label. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The metrics that an extension defines. */
interface Measuring {
  readonly name: string;
  readonly counters?: readonly CounterDefinition[];
  readonly gauges?: readonly GaugeDefinition[];
  readonly objectGauges?: readonly ObjectGaugeDefinition[];
  readonly histograms?: readonly HistogramDefinition[];
}

/** The label that the controller adds. */
const ADDED_LABEL = "controller";
/** The label of a bucket. */
const BUCKET_LABEL = "le";
/** Names of metrics and labels. Colons are for recording rules (https://prometheus.io/docs/concepts/data_model). */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Returns all metrics that an extension defines. */
export function metricsOf({ name, counters = [], gauges = [], objectGauges = [], histograms = [] }: Measuring): readonly DeclaredMetric[] {
  const extension = name;
  return [
    ...counters.map((each) => ({ ...each, type: "counter" as const, buckets: NO_BUCKETS, extension })),
    ...gauges.map((each) => ({ ...each, type: "gauge" as const, buckets: NO_BUCKETS, extension })),
    ...objectGauges.map((each) => ({ ...each, type: "objectGauge" as const, buckets: NO_BUCKETS, extension })),
    ...histograms.map((each) => ({ ...each, type: "histogram" as const, buckets: each.buckets ?? DEFAULT_BUCKETS, extension })),
  ];
}

const NO_BUCKETS: readonly number[] = Object.freeze([]);

/** Checks the metrics that an extension defines. @throws TypeError for the first invalid one */
export function checkMetrics(extension: Measuring): void {
  const names = new Set<string>();
  for (const { name, help, labels, type, buckets } of metricsOf(extension)) {
    const where = `extension "${extension.name}": ${type} ${JSON.stringify(name)}`;
    if (!NAME.test(name)) throw new TypeError(`${where} needs a name of letters, digits and "_"`);
    if (names.has(name)) throw new TypeError(`${where} is defined twice: define it once, with all its labels`);
    if (typeof help !== "string" || help === "") throw new TypeError(`${where} needs a help text`);
    if (labels.includes(ADDED_LABEL)) throw new TypeError(`${where} has the label "${ADDED_LABEL}", which is added: leave it out`);
    const isReserved = (label: string): boolean => label.startsWith("__") || (type === "histogram" && label === BUCKET_LABEL);
    const invalid = labels.find((label, at) => !NAME.test(label) || isReserved(label) || labels.indexOf(label) !== at);
    if (invalid !== undefined) throw new TypeError(`${where} has an invalid or repeated label ${JSON.stringify(invalid)}`);
    if (type === "histogram" && !areBuckets(buckets))
      throw new TypeError(`${where} needs buckets that ascend, in seconds, such as [0.1, 1, 10], not ${JSON.stringify(buckets)}`);
    names.add(name);
  }
}

function areBuckets(buckets: unknown): boolean {
  if (!Array.isArray(buckets) || buckets.length === 0) return false;
  return (buckets as readonly unknown[]).every((each, at) => Number.isFinite(each) && (at === 0 || Number(each) > Number(buckets[at - 1])));
}

/** A value that an extension gives to one of its metrics. */
interface Measurement {
  readonly type: DeclaredMetric["type"];
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

/**
 * Checks a value that an extension gives to one of its metrics.
 * @throws TypeError for an unknown name and for other labels than the defined ones, RangeError for an invalid number
 */
export function checkMeasurement({ name: extension, ...defined }: Measuring, { type, name, labels, value }: Measurement): void {
  const metric = defined[`${type}s`]?.find((each) => each.name === name);
  const where = `extension "${extension}": ${type} "${name}"`;
  if (metric === undefined) throw new TypeError(`extension "${extension}" has no ${type} "${name}": add it to its ${type}s`);
  if (!hasLabels(metric, labels)) {
    const given = Object.keys(labels);
    throw new TypeError(`${where} has the labels ${labelText(metric.labels)}, not ${labelText(given)}`);
  }
  const invalid = metric.labels.find((label) => typeof labels[label] !== "string");
  if (invalid !== undefined)
    throw new TypeError(`extension "${extension}": label "${invalid}" of ${type} "${name}" is ${String(labels[invalid])}: give a text`);
  const isGauge = type === "gauge" || type === "objectGauge";
  if (isGauge ? Number.isFinite(value) : value >= 0 && value < Infinity) return;
  if (isGauge) throw new RangeError(`${where} cannot be ${value}: give a finite number`);
  if (type === "counter") throw new RangeError(`${where} cannot grow by ${value}: give a number that is not negative`);
  throw new RangeError(`${where} cannot observe ${value}: give a number of seconds that is not negative`);
}

function hasLabels({ labels }: MetricDefinition, given: MetricLabels): boolean {
  return labels.length === Object.keys(given).length && labels.every((label) => Object.hasOwn(given, label));
}

/** Returns how two metrics of one name differ, so that they cannot be one metric; `undefined` if they do not. */
export function metricConflict(one: DeclaredMetric, other: DeclaredMetric): string | undefined {
  const textOf = ({ type, labels, buckets, extension }: DeclaredMetric, isWithBuckets: boolean): string => {
    const what = isWithBuckets ? `with the buckets ${buckets.join(", ")}` : `as a ${type} by the labels ${labelText(labels)}`;
    return `extension "${extension}" has it ${what}`;
  };
  const isSameType = one.type === other.type && new Set(one.labels).symmetricDifference(new Set(other.labels)).size === 0;
  if (isSameType && one.buckets.join() === other.buckets.join()) return undefined;
  return `${textOf(one, isSameType)}, and ${textOf(other, isSameType)}`;
}

/** Returns names of labels as a text for an error. */
function labelText(labels: readonly string[]): string {
  return labels.length === 0 ? "(none)" : labels.map((label) => `"${label}"`).join(", ");
}
