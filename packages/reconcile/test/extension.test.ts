/**
 * A second extension, built on public entries alone: it counts visits to rooms. It has memory, a part of the status, an order
 * between parts, work after the chain, build problems, rights, and a composite that sees what its parts came to.
 */
import { crdOf, defineResource, kind, type ObjectOf } from "@treadle/apimachinery";
import { anyKind, BuildError, conditions, handler, type Step, step } from "@treadle/reconcile";
import {
  defineComposite,
  defineExtension,
  defineStep,
  type EndedPass,
  type ExtensionPass,
  partsOf,
  type Progress,
  runtimeOf,
  type StepRuntime,
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
});

function visits({ found, memory }: EndedPass<Room, Visits, Found>, stored: unknown): unknown {
  if (found.visited.length === 0) return stored;
  return Object.fromEntries([...memory.counts].toSorted());
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
    await operator.pass("default/a");
    expect(trace.filter((each) => !each.startsWith("floor"))).toEqual(
      ["hall", "kitchen", "cellar", "after hall,kitchen,cellar"]
        .flatMap((each) => each)
        .concat(["hall", "kitchen", "cellar", "after hall,kitchen,cellar"]),
    );
    expect((await live()).status).toMatchObject({
      rooms: { cellar: 2, hall: 2, kitchen: 2 },
      seen: "pass 2",
      steps: { ground: { best: 3 } },
    });
  });
});
