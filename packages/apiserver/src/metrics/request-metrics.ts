/**
 * Counts requests and events of watches, and writes the counts in the text format of Prometheus, with the names and labels of a
 * kube-apiserver. A request costs one lookup and two additions; the text is made when it is read. A library would cost a hash of nine labels
 * for each request.
 */

/** The labels of a request, except for its code. */
export interface RequestLabels {
  readonly verb: string;
  /** Empty, `All`, or `invalid`. */
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
}

/** A number that its owner increases. */
export interface Counter {
  value: number;
}

/** Upper bounds of a duration, in seconds (k8s.io/apiserver `requestLatencies`). */
const BOUNDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60] as const;

/** The requests of equal labels. */
interface Series {
  readonly labels: RequestLabels;
  readonly codes: Map<number, number>;
  /** Number of durations up to each bound and above the bound before it. The last one has no bound. */
  readonly buckets: number[];
  sumSeconds: number;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export class RequestMetrics {
  readonly #series = new Map<string, Series>();
  readonly #events = new Map<string, Counter>();

  /** Counts an answered request. */
  count(labels: RequestLabels, code: number, durationMs: number): void {
    const { verb, dryRun, group, version, resource, subresource, scope } = labels;
    const key = `${verb} ${dryRun} ${group} ${version} ${resource} ${subresource} ${scope}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, codes: new Map(), buckets: Array.from({ length: BOUNDS.length + 1 }, () => 0), sumSeconds: 0 };
      this.#series.set(key, series);
    }
    series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
    const seconds = durationMs / 1000;
    let at = 0;
    while (seconds > (BOUNDS[at] ?? Infinity)) at++;
    series.buckets[at] = (series.buckets[at] ?? 0) + 1;
    series.sumSeconds += seconds;
  }

  /** Returns the counter of the events that watchers of a kind received. */
  eventsOf({ group, version, resource }: Kind): Counter {
    const labels = textOf({ group, resource, version });
    let counter = this.#events.get(labels);
    if (counter === undefined) this.#events.set(labels, (counter = { value: 0 }));
    return counter;
  }

  /** Returns all counts as text. */
  text(): string {
    const all = [...this.#series.values()];
    return [
      ...family("apiserver_request_duration_seconds", DURATIONS, all.map(durationLines)),
      ...family("apiserver_request_total", REQUESTS, all.flatMap(totalLines)),
      ...family("apiserver_watch_events_total", EVENTS, [...this.#events].map(eventLines)),
      "",
    ].join("\n");
  }
}

interface Family {
  readonly type: "counter" | "histogram";
  readonly help: string;
}

const BY_LABELS = "for each verb, dry run value, group, version, resource";
const DURATIONS: Family = {
  type: "histogram",
  help: `[STABLE] Response latency distribution in seconds ${BY_LABELS}, subresource, scope and component.`,
};
const REQUESTS: Family = {
  type: "counter",
  help: `[STABLE] Counter of apiserver requests broken out ${BY_LABELS}, scope, component, and HTTP response code.`,
};
const EVENTS: Family = { type: "counter", help: "[ALPHA] Number of events sent in watch clients" };

/** Returns the lines of a family, in the order of their labels. A family without values is left out. */
function family(name: string, { type, help }: Family, series: readonly (readonly string[])[]): readonly string[] {
  if (series.length === 0) return [];
  const sorted = series.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...sorted.flat().map((line) => name + line)];
}

/** One line for each code, which is the first label. */
function totalLines({ labels, codes }: Series): readonly (readonly string[])[] {
  return [...codes].map(([code, value]) => [`{${textOf({ code: String(code), ...named(labels) })}} ${value}`]);
}

function durationLines({ labels, buckets, sumSeconds }: Series): readonly string[] {
  const text = textOf(named(labels));
  let count = 0;
  const lines = buckets.map((value, at) => {
    count += value;
    return `_bucket{${text},le="${BOUNDS[at] ?? "+Inf"}"} ${count}`;
  });
  return [...lines, `_sum{${text}} ${sumSeconds}`, `_count{${text}} ${count}`];
}

function eventLines([labels, { value }]: readonly [string, Counter]): readonly string[] {
  return [`{${labels}} ${value}`];
}

/** Returns the labels by their names, in alphabetical order. */
function named(labels: RequestLabels): Readonly<Record<string, string>> {
  const { verb, dryRun, group, version, resource, subresource, scope, component } = labels;
  return { component, dry_run: dryRun, group, resource, scope, subresource, verb, version };
}

/** The values need no escapes: they are names of kinds and words of this server. */
function textOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",");
}
