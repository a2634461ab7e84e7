/**
 * The queue compared with a model that keeps plain lists and searches them.
 *
 * Invariants, checked after every command and at every hand-out:
 *  1. A key has at most one holder.
 *  2. A key is handed out only if it was added since it was last handed out, and not before the earliest of its times.
 *  3. It has the highest priority of all that could be handed out; a key's priority is the highest it was added with,
 *     and a delayed add without one keeps that of the holder.
 *  4. Inside a priority and namespace the one that has been ready longest goes first.
 *  5. Inside a priority no namespace is served twice while another one waits all the time.
 *  6. `get` waits only while no key can be handed out.
 *  7. Counts and the next due time equal those of the model.
 *  8. At the end, once time has passed, every added key is handed out, and no other key.
 */
import { fakeClock, type FakeClock } from "@treadle/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WorkQueue } from "./queue.ts";

interface Waiting {
  readonly key: string;
  priority: number;
  dueAt: number;
  /** When it came to where it stands: ready at this priority. */
  rank: number;
}

interface Model {
  now: number;
  rank: number;
  waiting: Map<string, Waiting>;
  running: Map<string, number>;
  /** Per priority and namespace: the rank at which it was last served. */
  served: Map<string, number>;
}

interface Real {
  readonly queue: WorkQueue;
  readonly clock: FakeClock;
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));

function available(model: Model): Waiting[] {
  return [...model.waiting.values()].filter((entry) => entry.dueAt <= model.now && !model.running.has(entry.key));
}

function addToModel(model: Model, key: string, delayMs: number, priority: number | undefined): void {
  const dueAt = model.now + delayMs;
  const known = model.waiting.get(key);
  if (known === undefined) {
    model.waiting.set(key, { key, dueAt, priority: priority ?? model.running.get(key) ?? 0, rank: model.rank++ });
    return;
  }
  const wasReady = known.dueAt <= model.now;
  if (priority !== undefined && priority > known.priority) {
    known.priority = priority;
    if (wasReady && !model.running.has(key)) known.rank = model.rank++;
  }
  if (dueAt < known.dueAt && !wasReady) {
    known.dueAt = dueAt;
    if (delayMs === 0) known.rank = model.rank++;
  }
}

/** Time passes: what becomes due takes its place behind what is ready, in the order of due times, then of adding. */
function advanceModel(model: Model, ms: number): void {
  const due = [...model.waiting.values()].filter((entry) => entry.dueAt > model.now && entry.dueAt <= model.now + ms);
  due.sort((a, b) => a.dueAt - b.dueAt || a.rank - b.rank);
  for (const entry of due) entry.rank = model.rank++;
  model.now += ms;
}

function checkHandOut(model: Model, key: string): void {
  const candidates = available(model);
  const entry = candidates.find((candidate) => candidate.key === key);
  if (entry === undefined) throw new Error(`${key} must not be handed out now`);
  const top = Math.max(...candidates.map((candidate) => candidate.priority));
  expect(entry.priority).toBe(top);
  const peers = candidates.filter((candidate) => candidate.priority === top);
  const first = peers.filter((peer) => namespaceOf(peer.key) === namespaceOf(key)).toSorted((a, b) => a.rank - b.rank)[0];
  expect(key).toBe(first?.key);
  const lastServed = model.served.get(`${top} ${namespaceOf(key)}`) ?? -1;
  for (const peer of peers) {
    const isPassedOver =
      namespaceOf(peer.key) !== namespaceOf(key) &&
      peer.rank < lastServed &&
      (model.served.get(`${top} ${namespaceOf(peer.key)}`) ?? -1) < lastServed;
    expect(isPassedOver, `${peer.key} was passed over twice for ${namespaceOf(key)}`).toBe(false);
  }
  model.waiting.delete(key);
  model.running.set(key, top);
  model.served.set(`${top} ${namespaceOf(key)}`, model.rank++);
}

function checkCounts(model: Model, { queue }: Real): void {
  const later = [...model.waiting.values()].filter((entry) => entry.dueAt > model.now);
  expect(queue.status()).toMatchObject({
    queued: model.waiting.size - later.length,
    running: model.running.size,
    delayed: later.length,
    nextDueAt: later.length === 0 ? undefined : Math.min(...later.map((entry) => entry.dueAt)),
  });
}

type Command = fc.AsyncCommand<Model, Real>;

function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void> | void,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check,
    async run(model, real) {
      await run(model, real);
      checkCounts(model, real);
    },
    toString: () => name,
  };
}

const keys = fc.constantFrom("a/1", "a/2", "a/3", "b/1", "b/2", "c/1");
const priorities = fc.constantFrom(undefined, undefined, -100, 0, 5);
const delays = fc.constantFrom(0, 1, 5, 5, 20);
const withPriority = (priority: number | undefined): { priority?: number } => (priority === undefined ? {} : { priority });

const add = fc.tuple(keys, priorities).map(([key, priority]) =>
  command(`add(${key}, ${priority})`, (model, { queue }) => {
    queue.add(key, withPriority(priority));
    addToModel(model, key, 0, priority ?? 0);
  }),
);
const addAfter = fc.tuple(keys, delays, priorities).map(([key, delayMs, priority]) =>
  command(`addAfter(${key}, ${delayMs}, ${priority})`, (model, { queue }) => {
    queue.addAfter(key, delayMs, withPriority(priority));
    addToModel(model, key, delayMs, priority ?? model.running.get(key));
  }),
);
const get = fc.constant(
  command(
    "get",
    async (model, { queue }) => checkHandOut(model, (await queue.get()) ?? ""),
    (model) => available(model as Model).length > 0,
  ),
);
const done = keys.map((key) =>
  command(`done(${key})`, (model, { queue }) => {
    queue.done(key);
    const entry = model.waiting.get(key);
    // It takes its place behind what is ready.
    if (model.running.delete(key) && entry !== undefined && entry.dueAt <= model.now) entry.rank = model.rank++;
  }),
);
const advance = fc.constantFrom(1, 4, 30).map((ms) =>
  command(`advance(${ms})`, async (model, { clock }) => {
    await clock.advance(ms);
    advanceModel(model, ms);
  }),
);
const waitAndGiveUp = fc.constant(
  command(
    "get, given up",
    async (_model, { queue }) => {
      const controller = new AbortController();
      const got = queue.get(controller.signal);
      controller.abort(new Error("gave up"));
      await expect(got).rejects.toThrow("gave up");
    },
    (model) => available(model as Model).length === 0,
  ),
);

test("the queue behaves as its model, in any order of calls", async () => {
  const commands = fc.commands([add, add, addAfter, get, get, done, advance, waitAndGiveUp], { maxCommands: 60, size: "+1" });
  const property = fc.asyncProperty(commands, async (sequence) => {
    const clock = fakeClock(0);
    const queue = new WorkQueue({ clock });
    const model: Model = { now: 0, rank: 0, waiting: new Map(), running: new Map(), served: new Map() };
    await fc.asyncModelRun(() => ({ model, real: { queue, clock } }), sequence);
    for (const key of model.running.keys()) queue.done(key);
    await clock.advance(1000);
    const rest = new Set<string>();
    while (queue.status().queued > 0) rest.add((await queue.get()) ?? "");
    expect(rest).toEqual(new Set(model.waiting.keys()));
    queue.stop();
    expect(await queue.get()).toBeUndefined();
  });
  await fc.assert(property, { numRuns: 500 });
});
