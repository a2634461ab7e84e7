import { type Condition, fakeClock, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import { expect, test } from "vitest";
import { ObjectMetrics } from "./object-metrics.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString().replace(".000", "");

interface Given {
  readonly name?: string;
  readonly uid?: string;
  readonly created?: number;
  readonly deleted?: number;
  /** Type, status, time of the transition, reason. */
  readonly conditions?: readonly (readonly [string, string, number, string?])[];
  readonly status?: unknown;
}

function object({ name = "a", uid = name, created = 0, deleted, conditions, status }: Given = {}): KubernetesObject {
  const all = conditions?.map(([type, value, seconds, reason = "R"]) => ({
    type,
    status: value,
    reason,
    message: "",
    lastTransitionTime: at(seconds),
  }));
  const metadata = {
    name,
    namespace: "ns",
    uid,
    creationTimestamp: at(created),
    ...(deleted !== undefined && { deletionTimestamp: at(deleted) }),
  };
  return { apiVersion: "v1", kind: "X", metadata, status: status ?? { conditions: all } } as unknown as KubernetesObject;
}

type Event = InformerEvent<KubernetesObject>;
const added = (given: Given, initial = false): Event => ({ type: "added", object: object(given), initial });
const updated = (given: Given, previous: Given = {}): Event => ({ type: "updated", object: object(given), previous: object(previous) });
const gone = (given: Given): Event => ({ type: "deleted", object: object(given) });
const unwatched = (given: Given): Event => ({ type: "deleted", object: object(given), unwatched: true });

function metrics(types: readonly string[] = []) {
  const clock = fakeClock(START);
  const series = new Map<string, string>();
  const [ready, deleted]: [number[], number[]] = [[], []];
  const made = new ObjectMetrics({
    types,
    clock,
    sink: {
      ready: (seconds) => void ready.push(seconds),
      deleted: (seconds) => void deleted.push(seconds),
      condition(key: string, { type, status, reason, lastTransitionTime }: Condition, isShown: boolean) {
        const id = `${key} ${type} ${status} ${reason}`;
        if (isShown) series.set(id, lastTransitionTime);
        else series.delete(id);
      },
    },
  });
  const counts = () => Object.fromEntries([...made.counts()].map(({ type, status, count }) => [`${type}=${status}`, count]));
  return { made, clock, counts, series, ready, deleted };
}

test.for<{ name: string; events: readonly Event[]; want: Readonly<Record<string, number>> }>([
  { name: "declared types are at 0 before there are objects", events: [], want: {} },
  {
    name: "each object counts once for each of its conditions",
    events: [
      added({
        name: "a",
        conditions: [
          ["Ready", "True", 1],
          ["Synced", "False", 1],
        ],
      }),
      added({ name: "b", conditions: [["Ready", "True", 1]] }),
    ],
    want: { "Ready=True": 2, "Synced=False": 1 },
  },
  {
    name: "a change moves the object, and a status that nothing has any more has no series unless it is declared",
    events: [
      added({ conditions: [["Synced", "False", 1]] }),
      updated({
        conditions: [
          ["Synced", "True", 2],
          ["Ready", "False", 2],
        ],
      }),
    ],
    want: { "Synced=True": 1, "Ready=False": 1 },
  },
  { name: "a deleted object no longer counts", events: [added({ conditions: [["Ready", "True", 1]] }), gone({})], want: {} },
  {
    name: "an object whose namespace is no longer watched does not count",
    events: [added({ conditions: [["Ready", "True", 1]] }), unwatched({})],
    want: {},
  },
  {
    name: "an event that is repeated changes nothing",
    events: [
      added({ conditions: [["Ready", "True", 1]] }),
      added({ conditions: [["Ready", "True", 1]] }),
      updated({ conditions: [["Ready", "True", 1]] }),
    ],
    want: { "Ready=True": 1 },
  },
  {
    name: "a status of any shape does no harm",
    events: [
      added({ name: "a", status: { conditions: "none" } }),
      added({
        name: "b",
        status: { conditions: [null, 5, { type: "Ready" }, { type: "Ready", status: "True" }, { type: "Ready", status: "True" }] },
      }),
      added({ name: "c", status: 5 }),
    ],
    want: { "Ready=True": 1 },
  },
])("$name", ({ events, want }) => {
  const zeros = { "Ready=True": 0, "Ready=False": 0, "Ready=Unknown": 0 };
  for (const beginsAt of [0, events.length]) {
    const { made, counts } = metrics(["Ready"]);
    events.forEach((event, index) => {
      if (index === beginsAt) made.begin();
      if (index < beginsAt) expect(counts(), "nothing is reported before begin()").toEqual({});
      made.observe(event);
    });
    made.begin();
    expect(counts()).toEqual({ ...zeros, ...want });
  }
});

test.for<{ name: string; before?: readonly Event[]; events: readonly Event[]; want: readonly number[] }>([
  {
    name: "the time runs from the creation to the transition, and counts once",
    events: [
      added({ created: 10 }),
      updated({ created: 10, conditions: [["Ready", "False", 10]] }),
      updated({ created: 10, conditions: [["Ready", "True", 42]] }),
      updated({ created: 10, conditions: [["Ready", "False", 50]] }),
      updated({ created: 10, conditions: [["Ready", "True", 60]] }),
    ],
    want: [32],
  },
  {
    name: "an object that was ready before the start does not count",
    before: [added({ conditions: [["Ready", "True", 5]] }, true)],
    events: [updated({ conditions: [["Ready", "False", 7]] }), updated({ conditions: [["Ready", "True", 9]] })],
    want: [],
  },
  {
    name: "an object that was not ready at the start counts if its condition has not changed since the creation",
    before: [added({ conditions: [["Ready", "False", 1]] }, true)],
    events: [updated({ conditions: [["Ready", "True", 90]] })],
    want: [90],
  },
  {
    name: "an object that was not ready at the start does not count if it may have been ready before",
    before: [added({ conditions: [["Ready", "False", 30]] }, true)],
    events: [updated({ conditions: [["Ready", "True", 90]] })],
    want: [],
  },
  {
    name: "an object that became ready under another leader does not count",
    before: [added({}), updated({ conditions: [["Ready", "True", 5]] })],
    events: [updated({ conditions: [["Ready", "False", 7]] }), updated({ conditions: [["Ready", "True", 9]] })],
    want: [],
  },
  {
    name: "a new object of the same name counts",
    events: [
      added({ uid: "1" }),
      updated({ uid: "1", conditions: [["Ready", "True", 3]] }),
      updated({ uid: "2", created: 20 }, { uid: "1" }),
      updated({ uid: "2", created: 20, conditions: [["Ready", "True", 24]] }, { uid: "2" }),
    ],
    want: [3, 4],
  },
])("time to ready: $name", ({ before = [], events, want }) => {
  const { made, ready } = metrics();
  for (const event of before) made.observe(event);
  made.begin();
  for (const event of events) made.observe(event);
  expect(ready).toEqual(want);
});

test("time of a deletion: it counts when the object no longer exists, and not when its namespace is no longer watched", async () => {
  const { made, clock, deleted } = metrics();
  made.begin();
  for (const name of ["a", "b", "c", "d"]) made.observe(added({ name }));
  await clock.advance(30_000);
  made.observe(gone({ name: "a", deleted: 10 }));
  made.observe(unwatched({ name: "b", deleted: 10 }));
  made.observe(gone({ name: "c" }));
  made.observe(updated({ name: "d", uid: "new" }, { name: "d", deleted: 28 }));
  expect(deleted).toEqual([20, 2]);
});

test("each condition has one series, which is replaced by its next state and removed with its object", () => {
  const { made, series } = metrics();
  made.observe(added({ conditions: [["Ready", "False", 1, "NotYet"]] }));
  expect(series.size).toBe(0);
  made.begin();
  expect(Object.fromEntries(series)).toEqual({ "ns/a Ready False NotYet": at(1) });
  made.observe(
    updated({
      conditions: [
        ["Ready", "False", 1, "Slow"],
        ["Synced", "True", 2],
      ],
    }),
  );
  expect(Object.fromEntries(series)).toEqual({ "ns/a Ready False Slow": at(1), "ns/a Synced True R": at(2) });
  made.observe(updated({ conditions: [["Ready", "True", 3]] }));
  made.observe(updated({ conditions: [["Ready", "True", 4]] }));
  expect(Object.fromEntries(series)).toEqual({ "ns/a Ready True R": at(4) });
  made.observe(gone({}));
  expect(series.size).toBe(0);
});
