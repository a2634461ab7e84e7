/**
 * A second extension, built on public entries alone: it counts visits to rooms. It has memory, a part of the status, an order
 * between parts, work after the chain, build problems, rights, metrics, a debug view, and a composite that sees what its parts
 * came to.
 */
import { crdOf, defineResource, kind, type ObjectOf } from "@treadle/apimachinery";
import { type AnyHandler, BuildError, conditions, handler, type Step, step } from "@treadle/reconcile";
import {
  defineComposite,
  defineExtension,
  defineStep,
  type EndedPass,
  type ExtendedHandler,
  type ExtensionPass,
  partsOf,
  pipelineOf,
  type Progress,
  type ReconcilerEnv,
  runtimeOf,
  waitBecause,
} from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Harness, startHarness } from "./harness.ts";

const House = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "House",
  scope: "Namespaced",
  stepState: true,
  statusParts: { rooms: { type: "object", additionalProperties: { type: "integer" } } },
  spec: z.object({ locked: z.array(z.string()).default([]), broken: z.array(z.string()).default([]) }),
  status: z.object({ seen: z.string().optional() }),
});
interface House extends ObjectOf<typeof House> {}
const Key = kind({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" });

interface Room {
  readonly behind: readonly object[];
}
interface Visits {
  readonly counts: Map<string, number>;
}
interface Found {
  readonly visited: string[];
}

const rooms = defineExtension<Room, Visits, Found>({
  name: "rooms",
  memory: () => ({ counts: new Map() }),
  found: () => ({ visited: [] }),
  status: { field: "rooms", writtenBy: "room() writes it", compute: visits },
  order: {
    before: ({ data }) => data.behind.map(runtimeOf),
    blocked: (chain, { name, step: part }, { by }) => {
      chain.note(part, "unreached");
      trace.push(`${name} blocked by ${by.map((each) => each.name).join()}`);
    },
  },
  async afterChain(chain) {
    trace.push(`after ${chain.found.visited.join()}`);
    const last = chain.handler.steps.at(-1);
    if (last === undefined || !(chain.object as House).spec.locked.includes("all")) return { type: "done" };
    return await chain.run({
      name: "leave",
      phase: "cleanup",
      steps: [last.step],
      concurrency: 1,
      before: () => [],
      blocked: () => undefined,
    });
  },
  problems: ({ steps }) => (steps.some(({ name }) => name === "attic") ? [`step "attic" has no floor: leave it out`] : []),
  counters: [{ name: "test_visits_total", help: "Visits of rooms.", labels: ["room"] }],
  debug: ({ steps }, object) => ({
    name: object.metadata.name ?? "",
    state: "Open",
    children: steps.map(({ name }) => {
      const visited = (object as { readonly status?: { readonly rooms?: Record<string, number> } }).status?.rooms?.[name];
      return visited === undefined ? { name, state: "Empty" } : { name, state: "Visited", note: `${visited} times` };
    }),
  }),
});

function visits({ found, memory }: EndedPass<Room, Visits, Found>, stored: unknown): unknown {
  if (found.visited.length === 0) return stored;
  return Object.fromEntries([...memory.counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

let trace: string[] = [];

function room(name: string, behind: readonly object[] = []): Step<House> {
  return defineStep(House, {
    name,
    owns: [Key],
    refersFrom: [],
    permissions: [{ kind: Key, verbs: ["create"] }],
    uses: [rooms.use({ behind })],
    do(req) {
      const pass: ExtensionPass<Room, Visits, Found> = rooms.of(req);
      const { locked, broken } = (pass.object as House).spec;
      if (broken.includes(name)) throw new Error(`${name} is broken`);
      if (locked.includes(name)) return waitBecause(`${name} is locked`, { code: "Locked", severity: "failed", afterMs: 5_000 });
      pass.memory.counts.set(name, (pass.memory.counts.get(name) ?? 0) + 1);
      pass.found.visited.push(name);
      trace.push(name);
      pass.count("test_visits_total", { room: name });
      return undefined;
    },
    cleanup: () => void trace.push(`leave ${name}`),
  }) as Step<House>;
}

/** A composite with its own condition and state: it reports how many of its rooms were visited. */
function floor(name: string, steps: readonly object[]): Step<House> {
  return defineComposite({
    name,
    kind: House,
    parts: { steps, maker: "floor", order: { by: rooms, concurrency: 2, of: "a room" } },
    conditions: ["FloorReady"],
    state: z.object({ best: z.number().default(0) }),
    do(req) {
      const parts = partsOf(req);
      const done = [...parts].filter(([, { type }]) => type === "done").length;
      const { conditions: set, state } = req as {
        conditions: { true(type: string): void; false(type: string, reason: string, message: string): void };
        state: { best: number };
      };
      state.best = Math.max(state.best, done);
      if (done === steps.length) set.true("FloorReady");
      else set.false("FloorReady", "NotAll", [...parts].map(([part, { type }]) => `${part}: ${type}`).join(", "));
    },
    post: (req) =>
      void trace.push(`floor saw ${[...partsOf(req)].map(([part, progress]: [string, Progress]) => `${part} ${progress.type}`).join()}`),
  }) as Step<House>;
}

const hall = room("hall");
const kitchen = room("kitchen", [hall]);
const cellar = room("cellar", [kitchen]);
const see = step(House, {
  name: "see",
  memory: () => ({ passes: 0 }),
  do(req) {
    req.memory.passes++;
    req.status.seen = `pass ${req.memory.passes}`;
  },
});
const built = handler(House)
  .step(conditions())
  .step(see)
  .step(floor("ground", [cellar, hall, kitchen]))
  .build();

let harness: Harness;
beforeEach(async () => {
  trace = [];
  harness = await startHarness([House]);
});

const REF = { namespace: "default", name: "a" };
const live = async (): Promise<House> => (await harness.user.get(House, REF)) as House;
const house = (spec: Partial<House["spec"]> = {}) => ({ metadata: { ...REF }, spec });

describe("an extension", () => {
  test("orders parts, keeps a part of the status and a memory, and works after the chain", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house());
    await operator.pass("default/a");
    expect(trace).toEqual(["hall", "kitchen", "cellar", "after hall,kitchen,cellar", "floor saw cellar done,hall done,kitchen done"]);
    await operator.pass("default/a");
    expect((await live()).status).toMatchObject({
      rooms: { cellar: 2, hall: 2, kitchen: 2 },
      seen: "pass 2",
      steps: { ground: { best: 3 } },
    });
    expect(conditionsOf(await live())).toEqual({ FloorReady: "True FloorReady", Ready: "True Ready" });
  });

  test("a part that cannot run blocks those behind it, and Ready reports the cause of its wait", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house({ locked: ["kitchen"] }));
    const result = await operator.pass("default/a");
    expect(trace).toContain("cellar blocked by kitchen");
    expect(result.requeue).toMatchObject({ type: "after", afterMs: 5_000 });
    expect(conditionsOf(await live())).toEqual({
      FloorReady: "False NotAll",
      Ready: "False Locked",
    });
    expect((await live()).status?.conditions?.find(({ type }) => type === "FloorReady")?.message).toBe(
      "cellar: unreached, hall: done, kitchen: wait",
    );
  });

  test("a composite sees which of its parts failed, and the pass reports the failure", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house({ broken: ["hall"] }));
    const result = await operator.pass("default/a");
    expect(result.outcome).toMatchObject({ type: "failed", step: "hall" });
    expect(trace.at(-1)).toBe("floor saw cellar unreached,hall failed,kitchen unreached");
  });

  test("runs cleanups of steps after the chain", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house({ locked: ["all"] }));
    await operator.pass("default/a");
    expect(trace).toContain("leave kitchen");
  });

  test("cleans up in the reverse order", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house());
    await operator.pass("default/a");
    await harness.user.delete(House, REF);
    trace = [];
    await operator.pass("default/a");
    expect(trace.filter((each) => each.startsWith("leave"))).toEqual(["leave cellar", "leave kitchen", "leave hall"]);
    expect(await live()).toBeUndefined();
  });

  test("forgets an object that was made again under the same name", async () => {
    const operator = harness.operator(
      handler(House)
        .step(conditions())
        .step(see)
        .step(floor("ground", [hall]))
        .build(),
    );
    await harness.user.create(House, house());
    await operator.pass("default/a");
    await harness.user.patch(House, REF, { type: "merge", body: { metadata: { finalizers: null } } });
    await harness.user.delete(House, REF);
    await harness.user.create(House, house());
    await operator.pass("default/a");
    expect((await live()).status).toMatchObject({ rooms: { hall: 1 }, seen: "pass 1" });
  });

  test("forgets an object for which a pass is requested by the annotation", async () => {
    const operator = harness.operator(built);
    await harness.user.create(House, house());
    await operator.pass("default/a");
    await harness.user.patch(House, REF, {
      type: "merge",
      body: { metadata: { annotations: { "treadle.dev/reconcile-requested-at": "now" } } },
    });
    await operator.pass("default/a");
    expect((await live()).status).toMatchObject({ rooms: { hall: 1 }, seen: "pass 1" });
  });

  test("refuses a handler by its build problems", () => {
    expect(() => handler(House).step(conditions()).step(room("attic")).build()).toThrow(BuildError);
    expect(() => handler(House).step(conditions()).step(room("attic")).build()).toThrow(/step "attic" has no floor: leave it out/);
  });

  test("a composite refuses parts that its extension does not know", () => {
    const stranger = step(House, { name: "stranger", do() {} });
    expect(() => floor("ground", [hall, stranger])).toThrow(/"stranger" is not a room: place it before or after, or use all\(\)/);
  });

  test("an author who writes its part of the status is told who writes it", async () => {
    const writer = step(House, { name: "writer", do: (req) => void ((req.status as { rooms?: object }).rooms = {}) });
    const operator = harness.operator(handler(House).step(conditions()).step(writer).step(hall).build());
    await harness.user.create(House, house());
    const { error } = await operator.pass("default/a");
    expect(error).toMatchObject({
      code: "ERR_READ_ONLY",
      message: expect.stringContaining("req.status.rooms is kept by the engine: room() writes it"),
    });
  });

  test("counts in a pass, with the values of its labels", async () => {
    const counts: unknown[] = [];
    const measure: ReconcilerEnv["measure"] = (...measured) => void counts.push(measured);
    await harness.user.create(House, house({ locked: ["kitchen"] }));
    await harness.operator(built, { measure }).pass("default/a");
    expect(counts).toEqual([["test_visits_total", { room: "hall" }, 1]]);
  });

  describe("that only measures", () => {
    const guests = defineExtension<object>({
      name: "guests",
      counters: [{ name: "test_guests_total", help: "Guests.", labels: [] }],
      histograms: [{ name: "test_stay_seconds", help: "Stays.", labels: [] }],
    });
    const guest = (counter: string, seconds: number = 0.5): AnyHandler => {
      const counting = defineStep(House, {
        name: "guest",
        uses: [guests.use({})],
        do(req) {
          guests.of(req).count(counter, {}, 2);
          guests.of(req).observe("test_stay_seconds", {}, seconds);
        },
      });
      return handler(House)
        .step(conditions())
        .step(counting as Step<House>)
        .build();
    };

    test.for([
      { name: "nothing in a dry run", isDryRun: true, seconds: 0.5, want: [] },
      { name: "the given values", isDryRun: false, seconds: 0.5, want: [2, 0.5] },
      { name: "a negative duration as 0", isDryRun: false, seconds: -3, want: [2, 0] },
    ])("measures $name", async ({ isDryRun, seconds, want }) => {
      const values: number[] = [];
      await harness.user.create(House, house());
      const measure = (_metric: string, _labels: object, value: number): void => void values.push(value);
      const operator = harness.operator(guest("test_guests_total", seconds), { measure, isDryRun });
      expect(await operator.pass("default/a")).toMatchObject({ outcome: { type: "done" } });
      expect(values).toEqual(want);
    });

    test("fails its step by a counter that it does not define, also where nothing is counted", async () => {
      await harness.user.create(House, house());
      const { error } = await harness.operator(guest("test_ghosts_total")).pass("default/a");
      expect(String(error)).toContain('extension "guests" has no counter "test_ghosts_total"');
    });
  });

  test("a counter that Prometheus does not accept is refused when the extension is defined", () => {
    const counters = [{ name: "visits-total", help: "Visits.", labels: [] }];
    expect(() => defineExtension({ name: "rooms", counters })).toThrow(/"visits-total" needs a name/);
  });

  test("shows a debug tree of a stored object, outside of a pass", async () => {
    await harness.user.create(House, house({ locked: ["kitchen"] }));
    await harness.operator(built).pass("default/a");
    const { extensions, extended, metrics } = pipelineOf(built);
    const stored = await live();
    const [shown] = extensions.map(({ name, debug }) => debug?.(extended.get(name) as ExtendedHandler<unknown>, stored));
    expect(metrics).toEqual([
      { name: "test_visits_total", help: "Visits of rooms.", labels: ["room"], type: "counter", buckets: [], extension: "rooms" },
    ]);
    expect(shown).toEqual({
      name: "a",
      state: "Open",
      children: [
        { name: "cellar", state: "Empty" },
        { name: "hall", state: "Visited", note: "1 times" },
        { name: "kitchen", state: "Empty" },
      ],
    });
  });

  test("a post sees the part of the status that the pass will store", async () => {
    const copy = step(House, {
      name: "copy",
      post: (req) => void (req.status.seen = JSON.stringify((req.object.status as { rooms?: object } | undefined)?.rooms)),
    });
    const operator = harness.operator(handler(House).step(conditions()).step(hall).step(copy).build());
    await harness.user.create(House, house());
    await operator.pass("default/a");
    expect((await live()).status?.seen).toBe('{"hall":1}');
  });

  test.for(["afterChain", "compute"] as const)("an exception in %s fails the pass, and Ready says so", async (hook) => {
    const broken = defineExtension<object, object, object>({
      name: "broken",
      status: {
        field: "rooms",
        writtenBy: "nobody",
        compute: (_pass, stored) => {
          if (hook === "compute") throw new Error("no rooms");
          return stored;
        },
      },
      async afterChain() {
        if (hook === "afterChain") throw new Error("no rooms");
        return { type: "done" };
      },
    });
    const using = defineStep(House, { name: "using", uses: [broken.use({})], do() {} }) as Step<House>;
    const operator = harness.operator(handler(House).step(conditions()).step(see).step(using).build());
    await harness.user.create(House, house());
    const result = await operator.pass("default/a");
    expect(String(result.error)).toContain("no rooms");
    const ready = (await live()).status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status: "False", message: expect.stringContaining("no rooms") });
  });

  describe("that is called from outside of a pass", () => {
    const bells = defineExtension<object>({ name: "bells" });
    let ring: (cause: string) => void;
    const listening = handler(House)
      .step(conditions())
      .step(defineStep(House, { name: "listen", uses: [bells.use({})], do: (req) => void (ring = bells.of(req).waker()) }) as Step<House>)
      .build();

    test("triggers passes of its object by the waker, each time and with the cause", async () => {
      const woken: string[] = [];
      await harness.user.create(House, house());
      await harness.operator(listening, { wake: (key, cause) => void woken.push(`${key}: ${cause}`) }).pass("default/a");
      expect(woken).toEqual([]);
      ring("a slot is free");
      ring("another slot is free");
      expect(woken).toEqual(["default/a: a slot is free", "default/a: another slot is free"]);
    });

    test("triggers nothing by the waker in an environment without a queue", async () => {
      await harness.user.create(House, house());
      await harness.operator(listening).pass("default/a");
      expect(() => ring("a slot is free")).not.toThrow();
    });
  });

  describe("that counts parts of objects", () => {
    const windows = defineExtension<object>({
      name: "windows",
      objectGauges: [{ name: "test_windows", help: "Windows.", labels: ["state"] }],
    });
    let open = 2;
    let sum = 0;
    const counting = handler(House)
      .step(conditions())
      .step(
        defineStep(House, {
          name: "count",
          uses: [windows.use({})],
          do: (req) => windows.of(req).objectGauge("test_windows", { state: "open" }, open),
        }) as Step<House>,
      )
      .build();
    const measure = (_metric: string, _labels: object, value: number): void => void (sum += value);
    const ref = (name: string) => ({ name, namespace: "default" });
    beforeEach(async () => {
      open = 2;
      sum = 0;
      for (const name of ["a", "b"]) await harness.user.create(House, { ...house(), metadata: ref(name) });
    });

    test("sums the parts of all objects, and removes those of a deleted one", async () => {
      const operator = harness.operator(counting, { measure });
      await operator.pass("default/a");
      await operator.pass("default/b");
      await operator.pass("default/b");
      expect(sum).toBe(4);
      open = 5;
      await operator.pass("default/b");
      expect(sum).toBe(7);
      await harness.user.delete(House, ref("b"));
      await operator.pass("default/b");
      expect(sum).toBe(2);
      operator.reconciler.forget(ref("a"));
      expect(sum).toBe(0);
    });

    test("keeps the parts when a user requests a pass, until it ends", async () => {
      const operator = harness.operator(counting, { measure });
      await operator.pass("default/a");
      await harness.user.patch(House, ref("a"), {
        type: "merge",
        body: { metadata: { annotations: { "treadle.dev/reconcile-requested-at": "1" } } },
      });
      open = 3;
      await operator.pass("default/a");
      expect(sum).toBe(3);
    });

    test("counts nothing in a dry run", async () => {
      const measured: unknown[] = [];
      await harness.operator(counting, { measure: (...each) => void measured.push(each), isDryRun: true }).pass("default/a");
      expect(measured).toEqual([]);
    });

    test.for([
      { name: "another name", call: { metric: "test_doors", value: 1 }, says: 'extension "windows" has no objectGauge "test_doors"' },
      { name: "no number", call: { metric: "test_windows", value: Number.NaN }, says: "cannot be NaN: give a finite number" },
    ])("fails its step by $name", async ({ call: { metric, value }, says }) => {
      const wrong = defineStep(House, {
        name: "wrong",
        uses: [windows.use({})],
        do: (req) => windows.of(req).objectGauge(metric, { state: "open" }, value),
      }) as Step<House>;
      const { error } = await harness.operator(handler(House).step(conditions()).step(wrong).build()).pass("default/a");
      expect(String(error)).toContain(says);
    });
  });

  describe("whose memory can be disposed of", () => {
    const disposals: string[] = [];
    const rented = defineExtension<object, Disposable>({
      name: "rented",
      memory: () => {
        disposals.push("made");
        return { [Symbol.dispose]: () => void disposals.push("disposed of") };
      },
    });
    const renting = handler(House)
      .step(conditions())
      .step(defineStep(House, { name: "rent", uses: [rented.use({})], do: (req) => void rented.of(req).memory }) as Step<House>)
      .build();
    beforeEach(async () => {
      disposals.length = 0;
      await harness.user.create(House, house());
    });

    test("keeps it between passes, and disposes of it when the object is deleted", async () => {
      const operator = harness.operator(renting);
      await operator.pass("default/a");
      await operator.pass("default/a");
      expect(disposals).toEqual(["made"]);
      await harness.user.delete(House, { name: "a", namespace: "default" });
      await operator.pass("default/a");
      expect(disposals).toEqual(["made", "disposed of"]);
    });

    test("disposes of it when a user requests a pass", async () => {
      const operator = harness.operator(renting);
      await operator.pass("default/a");
      const metadata = { annotations: { "treadle.dev/reconcile-requested-at": "1" } };
      await harness.user.patch(House, { name: "a", namespace: "default" }, { type: "merge", body: { metadata } });
      await operator.pass("default/a");
      expect(disposals).toEqual(["made", "disposed of", "made"]);
    });

    test("disposes of it at the end of a dry run", async () => {
      await harness.operator(renting, { isDryRun: true }).pass("default/a");
      expect(disposals).toEqual(["made", "disposed of"]);
    });
  });

  test("parts in a circle are a problem of build()", () => {
    const behind: object[] = [];
    const east = room("east", behind);
    const west = room("west", [east]);
    behind.push(west);
    const list = handler(House)
      .step(conditions())
      .step(floor("ground", [east, west]));
    expect(() => list.build()).toThrow('floor("ground"): its parts depend on each other in a circle: "east" on "west" on "east"');
  });

  test("its part of the status is in the schema of the kind", () => {
    const status = crdOf(House).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["status"];
    expect(status?.properties?.["rooms"]).toEqual({ type: "object", additionalProperties: { type: "integer" } });
  });

  test("a step that names the kinds that refer to it gets no rights from owns", () => {
    expect(runtimeOf(hall)).toMatchObject({ refersFrom: [], permissions: [{ kind: Key, verbs: ["create"] }] });
  });
});

function conditionsOf({ status }: House): Record<string, string> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]));
}
