import { expect, test } from "vitest";
import { checkCounters, type CounterDefinition, countedCounter } from "./counter.ts";

const VISITS: CounterDefinition = { name: "visits_total", help: "Visits.", labels: ["room", "guest"] };
const LABELS = { room: "hall", guest: "a" };

test.for([
  { name: "a name with a hyphen", counters: [{ ...VISITS, name: "visits-total" }], want: /"visits-total" needs a name of letters/ },
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
])("a definition is refused for $name", ({ counters, want }) => {
  expect(() => checkCounters("rooms", counters)).toThrow(TypeError);
  expect(() => checkCounters("rooms", counters)).toThrow(want);
});

test("counters with valid names are accepted", () => {
  expect(() => checkCounters("rooms", [VISITS, { name: "_a1", help: "A.", labels: [] }])).not.toThrow();
});

test("a count gets its counter, whatever the order of the labels", () => {
  const labels = { guest: "a", room: "hall" };
  expect(countedCounter({ name: "rooms", counters: [VISITS] }, { name: "visits_total", labels, by: 0.5 })).toBe(VISITS);
});

test.for([
  { name: "an unknown counter", count: { name: "leaves_total", labels: {}, by: 1 }, want: /no counter "leaves_total": add it/ },
  { name: "a missing label", count: { labels: { room: "hall" } }, want: /has the labels "room", "guest", not "room"/ },
  { name: "a label too many", count: { labels: { ...LABELS, day: "1" } }, want: /not "room", "guest", "day"/ },
  { name: "no labels", count: { labels: {} }, want: /not \(none\)/ },
  {
    name: "a value that is not a text",
    count: { labels: { ...LABELS, guest: undefined as never } },
    want: /label "guest" .* is undefined/,
  },
])("a count of $name is a TypeError", ({ count, want }) => {
  const counted = (): unknown => countedCounter({ name: "rooms", counters: [VISITS] }, { name: VISITS.name, by: 1, ...count });
  expect(counted).toThrow(TypeError);
  expect(counted).toThrow(want);
});

test.for([-1, NaN, Infinity])("a count by %d is a RangeError", (by) => {
  expect(() => countedCounter({ name: "rooms", counters: [VISITS] }, { name: VISITS.name, labels: LABELS, by })).toThrow(RangeError);
});

test("an extension without counters counts nothing", () => {
  expect(() => countedCounter({ name: "rooms" }, { name: "visits_total", labels: {}, by: 1 })).toThrow(/has no counter/);
});
