/** Each fault and each question of an exploration finds the operator that is broken for it. */
import {
  explore,
  type ExplorationError,
  type Exploration,
  type ExploreOptions,
  isExplorationError,
  type Scenario,
} from "@treadle/testing/explore";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import {
  boasts,
  countsEvents,
  countsPasses,
  forgets,
  generatesNames,
  givesUp,
  labelsLate,
  noWriteAhead,
  panics,
  recordsPastTheEngine,
  remembersInMemory,
  swallowsConflicts,
  waitsForEver,
} from "./planted/operators.ts";
import { countsFromCache } from "./planted/classics.ts";
import { explored, found } from "./planted/explored.ts";
import { putsBack, writesAhead } from "./planted/mended.ts";
import { Buckets, LIFE, Thing } from "./planted/thing.ts";

/** Somebody else takes the name as soon as it is free. */
const BUCKETS = {
  ...LIFE,
  external: (given: ConstructorParameters<typeof Buckets>[0]) => new Buckets(given),
  externalState: (buckets: Buckets) => [...buckets.tags.keys()],
};

interface Row {
  readonly name: string;
  readonly explore: () => Promise<Exploration>;
  /** Among others. */
  readonly finds: readonly string[];
  /** No other kind of fault may be blamed. */
  readonly only?: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: "an external create without write-ahead is repeated",
    explore: () => explored(noWriteAhead, BUCKETS),
    finds: ["crash: effects", "crash: end state", "error: effects", "reset: effects"],
  },
  {
    name: "generated names without a list leak after a crash and after a lost answer",
    explore: () => explored(generatesNames, LIFE, { points: ["crash", "crash-lost", "lost"] }),
    finds: ["crash: leak", "crash-lost: leak", "lost: leak"],
  },
  {
    name: "state in the memory of a process is not cleaned up by the next one",
    explore: () => explored(remembersInMemory, LIFE, { points: ["crash", "crash-lost"] }),
    finds: ["crash: leak", "crash-lost: leak"],
  },
  {
    name: "an operator that counts events misses one",
    explore: () => explored(countsEvents, LIFE),
    finds: ["skip: end state"],
    only: ["skip", "crash-stale", "away"],
  },
  {
    name: "a conflict taken for success leaves an old object",
    explore: () => explored(swallowsConflicts, LIFE),
    finds: ["conflict: end state"],
    only: ["conflict"],
  },
  {
    name: "a temporary error taken for a permanent one leaves an old object",
    explore: () => explored(givesUp, LIFE, { points: ["conflict", "error", "reset"] }),
    finds: ["error: end state", "reset: end state", "conflict: end state"],
  },
  {
    name: "a record written without the engine is not seen by the next pass",
    explore: () => explored(recordsPastTheEngine, BUCKETS),
    finds: ["stale: effects", "stale: end state"],
  },
  {
    name: "a label that is set after the create is missing after a crash",
    explore: () => explored(labelsLate, LIFE, { points: ["crash", "crash-lost"] }),
    finds: ["crash: end state", "crash-lost: end state"],
  },
  {
    name: "a status ahead of its object is found",
    explore: () => explored(boasts, LIFE, { points: ["conflict"] }),
    finds: ["conflict: status"],
  },
  {
    name: "a write in every pass after a crash is found",
    explore: () => explored(forgets, LIFE, { points: ["crash"] }),
    finds: ["crash: fixed point"],
  },
  {
    name: "a write in every pass is found in the reference",
    explore: () => explored(countsPasses, LIFE),
    finds: ["reference: fixed point"],
  },
  {
    name: "a cleanup that waits for a value lost in a crash does not end",
    explore: () => explored(waitsForEver, LIFE, { points: ["crash", "crash-lost"] }),
    finds: ["crash: deletion", "crash-lost: deletion"],
  },
  {
    name: "endless passes after a failure are found",
    explore: () => explored(panics, LIFE, { points: ({ id }) => id === "error@1" }),
    finds: ["error: not idle"],
  },
];

test.for(rows)("$name", { tags: ["long"], timeout: 600_000 }, async ({ explore: run, finds, only }) => {
  const exploration = await run();
  const names = found(exploration);
  expect(names).toEqual(expect.arrayContaining([...finds]));
  if (only !== undefined) expect(new Set(names.map((name) => name.replace(/:.*/, "")))).toEqual(new Set(only));
  expect(exploration.leftOut).toBe(0);
});

test("an operator with write-ahead creates one bucket with every fault and pair of faults", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const { byType, summary } = await explore(writesAhead, BUCKETS, { pairs: 30 });
  console.info(`write-ahead: ${summary}`);
  expect(Object.values(byType).every(({ points, failures }) => points > 0 && failures === 0)).toBe(true);
});

test("a report names the fault, its consequences, the difference and the replay", async () => {
  const error: unknown = await explore(generatesNames, LIFE, { points: ["crash-lost"] }).catch((thrown: unknown) => thrown);
  expect(isExplorationError(error)).toBe(true);
  const { message, failures } = error as ExplorationError;
  expect(failures[0]?.id).toBe("crash-lost@1");
  expect(message).toContain("crash-lost@1: objects are left over");
  expect(message).toContain("write 1 is create configmaps default/a-*");
  expect(message).toContain("FAULT: the write is stored, and the process ends before it gets the answer");
  expect(message).toContain("process 2 starts");
  expect(message).toContain("+ ConfigMap default/a-* (2) (not in the reference)");
  expect(message).toContain('replay: explore(operator, scenario, { seed: 1, replay: "crash-lost@1" })');

  const again: unknown = await explore(generatesNames, LIFE, { replay: "crash-lost@1" }).catch((thrown: unknown) => thrown);
  expect((again as ExplorationError).exploration).toMatchObject({ points: 1, runs: 3 });
  expect((again as ExplorationError).failures[0]?.problems).toEqual(failures[0]?.problems);
});

test("a pair with a fault that fails alone is not tried", { tags: ["long"] }, async () => {
  const exploration = await explored(countsEvents, LIFE, { pairs: 20, seed: 3 });
  const alone = new Set(exploration.failures.map(({ id }) => id).filter((id) => !id.includes("+")));
  expect(exploration.byType.pair.points).toBeGreaterThan(0);
  for (const { id } of exploration.failures) if (id.includes("+")) for (const part of id.split("+")) expect(alone.has(part)).toBe(false);
});

test("an operator that differs in two runs without a fault is reported at once", async () => {
  let runs = 0;
  const moody = (): AnyHandler => {
    const run = ++runs;
    const mood = step(Thing, {
      name: "mood",
      do(req) {
        req.status.seen ??= run;
      },
    });
    return handler(Thing).step(conditions()).step(mood).build();
  };
  const exploration = await explored(moody, LIFE);
  expect(exploration).toMatchObject({ points: 0, runs: 2 });
  expect(exploration.failures[0]?.report).toContain("two runs without a fault end differently");
  runs = 0;
  await explore(moody, LIFE, { ignore: [["status", "seen"]], points: ["conflict"] });
});

test("a scenario that throws is reported with its line, and nothing is explored", async () => {
  const scenario = {
    async run(cluster: Parameters<typeof LIFE.run>[0]) {
      await cluster.update(Thing, "nobody", () => undefined);
    },
  };
  const { points, failures } = await explored(givesUp, scenario);
  expect(points).toBe(0);
  expect(failures[0]?.problems).toEqual([
    {
      type: "scenario",
      lines: ["cluster: there is no Thing default/nobody", expect.stringMatching(/^at .*planted\.test\.ts:\d+/)],
    },
  ]);
});

/** One that stays, and one that comes and goes while the operator works. */
const TAKEN_BACK: Pick<Scenario<Buckets>, "run"> = {
  async run(cluster) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.update(Thing, "a", (thing) => {
      thing.spec.size = 2;
    });
    await cluster.create(Thing, { metadata: { name: "b" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.delete(Thing, "b");
  },
};

test("an undone action of the user may be missed, but is not repeated", { tags: ["long"] }, async () => {
  const { byType } = await explore(writesAhead, { ...BUCKETS, ...TAKEN_BACK });
  expect(byType.skip.points).toBeGreaterThan(2);
  expect(byType["crash-stale"].points).toBeGreaterThan(2);
});

test("an operator that misses a deletion is shown it in the end", async () => {
  const scenario: Pick<Scenario<unknown>, "run"> = {
    async run(cluster) {
      await cluster.create(Thing, { metadata: { name: "goes" }, spec: { size: 1 } });
      await cluster.create(Thing, { metadata: { name: "stays" }, spec: { size: 1 } });
      await cluster.settled();
      await cluster.delete(Thing, "goes");
    },
  };
  const { byType } = await explore(putsBack, scenario, { points: ["skip"] });
  expect(byType.skip.points).toBeGreaterThan(1);
});

test("an exhausted budget leaves points out and reports their number", async () => {
  const exploration = await explore(givesUp, LIFE, { budgetMs: 0 });
  expect(exploration.points).toBe(0);
  expect(exploration.leftOut).toBeGreaterThan(10);
  expect(exploration.summary).toMatch(/points left out by budgetMs$/);
});

test.for<[reason: string, options: ExploreOptions, says: string]>([
  ["an unknown type of fault", { points: ["crsh" as never] }, 'points is "crsh"'],
  ["an empty list of faults", { points: [] }, "there is no point to try"],
  ["a filter without any point", { points: () => false }, "there is no point to try"],
  ["half a pair", { pairs: 0.5 }, "pairs is 0.5"],
  ["a negative number of pairs", { pairs: -1 }, "pairs is -1"],
  ["a budget that is not a number", { budgetMs: Number.NaN }, "budgetMs is "],
  ["a seed that is not a number", { seed: Number.NaN }, "seed is "],
  ["a horizon of 0", { horizonMs: 0 }, "horizonMs is 0"],
  ["a write that does not happen", { replay: "conflict@99" }, 'cannot replay "conflict@99"'],
  ["a watch that does not exist", { replay: "skip@nobodies#1" }, 'cannot replay "skip@nobodies#1"'],
])("%s is refused", async ([, options, says]) => {
  await expect(explore(countsFromCache, LIFE, options)).rejects.toThrow(says);
});

test("an exploration without a handler, with a promise or without a write is refused", async () => {
  await expect(explore([], LIFE)).rejects.toThrow("no handler");
  await expect(explore(givesUp, { ...LIFE, external: async () => ({}) })).rejects.toThrow("a promise");
  await expect(explore(givesUp, { run: () => undefined })).rejects.toThrow("0 writes and 0 events");
});

test.for(["crash", "crash@", "skip@3", "nothing@1"])("%s is refused as the id of a point", async (replay) => {
  await expect(explore(givesUp, LIFE, { replay })).rejects.toThrow("names no point");
});
