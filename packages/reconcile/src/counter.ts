/**
 * Counters of extensions. An extension defines them, counts in its passes, and a controller serves them with its metrics.
 * Values that also fall, and durations, are not counters.
 */

/** A counter definition describes a metric of an extension that only grows. */
export interface CounterDefinition {
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

/** A declared counter is a counter of a handler, with the extension that defines it. */
export interface DeclaredCounter extends CounterDefinition {
  /** The name of the extension. */
  readonly extension: string;
}

/** Counter labels are the values of all labels of a counter, by the name of the label. */
export type CounterLabels = Readonly<Record<string, string>>;

/** The label that the controller adds. */
const ADDED_LABEL = "controller";
/** Names of metrics and labels. Colons are for recording rules (https://prometheus.io/docs/concepts/data_model). */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Checks the counters that an extension defines. @throws TypeError for the first invalid one */
export function checkCounters(extension: string, counters: readonly CounterDefinition[]): void {
  const names = new Set<string>();
  for (const { name, help, labels } of counters) {
    const where = `extension "${extension}": counter ${JSON.stringify(name)}`;
    if (!NAME.test(name)) throw new TypeError(`${where} needs a name of letters, digits and "_"`);
    if (names.has(name)) throw new TypeError(`${where} is defined twice: define it once, with all its labels`);
    if (typeof help !== "string" || help === "") throw new TypeError(`${where} needs a help text`);
    if (labels.includes(ADDED_LABEL)) throw new TypeError(`${where} has the label "${ADDED_LABEL}", which is added: leave it out`);
    const invalid = labels.find((label, at) => !NAME.test(label) || label.startsWith("__") || labels.indexOf(label) !== at);
    if (invalid !== undefined) throw new TypeError(`${where} has an invalid or repeated label ${JSON.stringify(invalid)}`);
    names.add(name);
  }
}

/** A count of an extension, as it was asked for. */
interface Count {
  readonly name: string;
  readonly labels: CounterLabels;
  readonly by: number;
}

/**
 * Returns the counter that an extension asks to count.
 * @throws TypeError for an unknown name and for other labels than the defined ones, RangeError for an invalid number
 */
export function countedCounter(
  { name: extension, counters = [] }: { readonly name: string; readonly counters?: readonly CounterDefinition[] },
  { name, labels, by }: Count,
): CounterDefinition {
  const counter = counters.find((each) => each.name === name);
  if (counter === undefined) throw new TypeError(`extension "${extension}" has no counter "${name}": add it to its counters`);
  if (!hasLabels(counter, Object.keys(labels)))
    throw new TypeError(
      `extension "${extension}": counter "${name}" has the labels ${labelText(counter.labels)}, not ${labelText(Object.keys(labels))}`,
    );
  const invalid = counter.labels.find((label) => typeof labels[label] !== "string");
  if (invalid !== undefined)
    throw new TypeError(`extension "${extension}": label "${invalid}" of counter "${name}" is ${String(labels[invalid])}: give a text`);
  if (!(by >= 0 && by < Infinity))
    throw new RangeError(`extension "${extension}": counter "${name}" cannot grow by ${by}: give a number that is not negative`);
  return counter;
}

/** Returns whether the counter has these labels, in any order. */
export function hasLabels({ labels }: Pick<CounterDefinition, "labels">, others: readonly string[]): boolean {
  return labels.length === others.length && labels.every((label) => others.includes(label));
}

/** Returns names of labels as a text for an error. */
export function labelText(labels: readonly string[]): string {
  return labels.length === 0 ? "(none)" : labels.map((label) => `"${label}"`).join(", ");
}
