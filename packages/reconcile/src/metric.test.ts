import { expect, test } from "vitest";
import {
  checkMeasurement,
  checkMetrics,
  type CounterDefinition,
  DEFAULT_BUCKETS,
  type DeclaredMetric,
  type HistogramDefinition,
  metricConflict,
  metricsOf,
} from "./metric.ts";

const VISITS: CounterDefinition = { name: "visits_total", help: "Visits.", labels: ["room", "guest"] };
const STAYS: HistogramDefinition = { name: "stay_seconds", help: "Stays.", labels: ["room"], buckets: [1, 60] };
const LABELS = { room: "hall", guest: "a" };

test.for<{
  readonly name: string;
  readonly counters?: readonly CounterDefinition[];
  readonly histograms?: readonly HistogramDefinition[];
  readonly want: RegExp;
}>([
  { name: "a name with a hyphen", counters: [{ ...VISITS, name: "visits-total" }], want: /counter "visits-total" needs a name of letters/ },
  { name: "a name with a colon, which is for recording rules", counters: [{ ...VISITS, name: "a:b" }], want: /needs a name/ },
  { name: "two counters with one name", counters: [VISITS, { ...VISITS, labels: [] }], want: /"visits_total" is defined twice/ },
  { name: "no help text", counters: [{ ...VISITS, help: "" }], want: /needs a help text/ },
  {
    name: "the label of the controller",
    counters: [{ ...VISITS, labels: ["controller"] }],
    want: /"controller", which is added: leave it out/,
  },
  { name: "a label with a dot", counters: [{ ...VISITS, labels: ["a.b"] }], want: /invalid or repeated label "a.b"/ },
  { name: "a label of Prometheus itself", counters: [{ ...VISITS, labels: ["__name__"] }], want: /invalid or repeated label/ },
  { name: "a label that is listed twice", counters: [{ ...VISITS, labels: ["a", "a"] }], want: /invalid or repeated label "a"/ },
  {
    name: "a histogram with the name of a counter",
    counters: [VISITS],
    histograms: [{ ...STAYS, name: "visits_total" }],
    want: /defined twice/,
  },
  { name: "a histogram with an invalid name", histograms: [{ ...STAYS, name: "a.b" }], want: /histogram "a.b" needs a name of letters/ },
  { name: "the label of the buckets", histograms: [{ ...STAYS, labels: ["le"] }], want: /invalid or repeated label "le"/ },
  { name: "no buckets", histograms: [{ ...STAYS, buckets: [] }], want: /needs buckets that ascend, in seconds, such as/ },
  { name: "buckets that do not ascend", histograms: [{ ...STAYS, buckets: [1, 1] }], want: /not \[1,1\]/ },
  { name: "a bucket that is not a number", histograms: [{ ...STAYS, buckets: [1, Infinity] }], want: /needs buckets that ascend/ },
])("a definition is refused for $name", ({ counters = [], histograms = [], want }) => {
  expect(() => checkMetrics({ name: "rooms", counters, histograms })).toThrow(TypeError);
  expect(() => checkMetrics({ name: "rooms", counters, histograms })).toThrow(want);
});

test.for([5, -1, 0])("a gauge may be %d", (value) => {
  const gauges = [{ name: "level", help: "Levels.", labels: [] }];
  expect(() => checkMeasurement({ name: "rooms", gauges }, { type: "gauge", name: "level", labels: {}, value })).not.toThrow();
});

test("a gauge that is not a number is refused", () => {
  const gauges = [{ name: "level", help: "Levels.", labels: [] }];
  expect(() => checkMeasurement({ name: "rooms", gauges }, { type: "gauge", name: "level", labels: {}, value: Number.NaN })).toThrow(
    RangeError,
  );
});

test("metrics with valid names are accepted", () => {
  const counters = [VISITS, { name: "_a1", help: "A.", labels: [] }];
  expect(() => checkMetrics({ name: "rooms", counters, histograms: [STAYS, { ...STAYS, name: "b" }] })).not.toThrow();
});

test("a histogram without buckets gets the default ones, and a counter gets none", () => {
  const { buckets: _, ...histogram } = STAYS;
  expect(metricsOf({ name: "rooms", counters: [VISITS], histograms: [histogram] })).toEqual([
    { ...VISITS, type: "counter", buckets: [], extension: "rooms" },
    { ...STAYS, type: "histogram", buckets: DEFAULT_BUCKETS, extension: "rooms" },
  ]);
});

const rooms = { name: "rooms", counters: [VISITS], histograms: [STAYS] };
const visit = { type: "counter", name: "visits_total", labels: LABELS, value: 1 } as const;
const stay = { type: "histogram", name: "stay_seconds", labels: { room: "hall" }, value: 1 } as const;

test.for([
  { name: "a count, whatever the order of the labels", measured: { ...visit, labels: { guest: "a", room: "hall" }, value: 0.5 } },
  { name: "a duration of 0", measured: { ...stay, value: 0 } },
])("$name is accepted", ({ measured }) => {
  expect(() => checkMeasurement(rooms, measured)).not.toThrow();
});

test.for([
  { name: "an unknown counter", measured: { ...visit, name: "leaves_total", labels: {} }, want: /no counter "leaves_total": add it/ },
  {
    name: "a histogram as a counter",
    measured: { ...visit, name: "stay_seconds" },
    want: /no counter "stay_seconds": add it to its counters/,
  },
  {
    name: "a counter as a histogram",
    measured: { ...stay, name: "visits_total" },
    want: /no histogram "visits_total": add it to its histograms/,
  },
  { name: "a missing label", measured: { ...visit, labels: { room: "hall" } }, want: /has the labels "room", "guest", not "room"/ },
  { name: "a label too many", measured: { ...visit, labels: { ...LABELS, day: "1" } }, want: /not "room", "guest", "day"/ },
  { name: "no labels", measured: { ...visit, labels: {} }, want: /not \(none\)/ },
  {
    name: "a label value that is not a text",
    measured: { ...stay, labels: { room: undefined as never } },
    want: /label "room" of histogram "stay_seconds" is undefined/,
  },
])("a value of $name is a TypeError", ({ measured, want }) => {
  expect(() => checkMeasurement(rooms, measured)).toThrow(TypeError);
  expect(() => checkMeasurement(rooms, measured)).toThrow(want);
});

test.for([
  { measured: { ...visit, value: -1 }, want: /counter "visits_total" cannot grow by -1/ },
  { measured: { ...visit, value: NaN }, want: /cannot grow by NaN/ },
  { measured: { ...visit, value: Infinity }, want: /cannot grow by Infinity/ },
  { measured: { ...stay, value: NaN }, want: /histogram "stay_seconds" cannot observe NaN/ },
])("the value $measured.value of a $measured.type is a RangeError", ({ measured, want }) => {
  expect(() => checkMeasurement(rooms, measured)).toThrow(RangeError);
  expect(() => checkMeasurement(rooms, measured)).toThrow(want);
});

test("an extension without metrics measures nothing", () => {
  expect(() => checkMeasurement({ name: "rooms" }, visit)).toThrow(/has no counter/);
});

const declared: DeclaredMetric = { ...STAYS, type: "histogram", buckets: [1, 60], extension: "rooms" };
test.for<{ readonly name: string; readonly other: DeclaredMetric; readonly want: RegExp | undefined }>([
  { name: "the same metric of a copy", other: { ...declared, extension: "copy" }, want: undefined },
  { name: "another help text", other: { ...declared, help: "Other." }, want: undefined },
  { name: "other labels", other: { ...declared, labels: ["a"] }, want: /as a histogram by the labels "room", and .* by the labels "a"/ },
  {
    name: "another type",
    other: { ...declared, type: "counter", buckets: [] },
    want: /as a histogram by the labels "room", and .* as a counter/,
  },
  { name: "other buckets", other: { ...declared, buckets: [1] }, want: /with the buckets 1, 60, and .* with the buckets 1$/ },
])("a metric and $name: $want", ({ other, want }) => {
  if (want === undefined) expect(metricConflict(declared, other)).toBeUndefined();
  else expect(metricConflict(declared, other)).toMatch(want);
});
