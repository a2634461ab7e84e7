/** Mistakes that operators are shipped with are found, each by the faults that bring it to light. */
import type { Exploration } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import {
  asksOnce,
  collectsByCache,
  countsFromCache,
  forgetsHalf,
  goesStepByStep,
  letsGoFirst,
  looksFirst,
  marksBeforeDoing,
  observesFirst,
  ownsByName,
  runsAgain,
  shrinksByCache,
} from "./planted/classics.ts";
import { explored, found } from "./planted/explored.ts";
import { Buckets, LIFE, REBORN, TWO } from "./planted/thing.ts";

const outside = {
  external: (given: ConstructorParameters<typeof Buckets>[0]) => new Buckets(given),
  externalState: (buckets: Buckets) => [...buckets.tags.keys()],
};

interface Row {
  readonly name: string;
  readonly explore: () => Promise<Exploration>;
  readonly finds: readonly string[];
  /** No other kind of fault may be blamed. */
  readonly only?: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: "an owner identified by its name",
    explore: () => explored(ownsByName, { ...outside, ...REBORN }),
    finds: ["crash-stale: end state"],
    only: ["crash-stale", "skip", "away"],
  },
  {
    name: "a number of missing objects counted in the cache",
    explore: () => explored(countsFromCache, LIFE),
    finds: ["crash-stale: leak", "deposed: leak"],
    only: ["crash-stale", "deposed"],
  },
  {
    name: "a check before a create with an old state",
    explore: () => explored(looksFirst, LIFE),
    finds: ["deposed: leak"],
    only: ["deposed"],
  },
  {
    name: "a record of success before the action",
    explore: () => explored(marksBeforeDoing, { ...outside, ...LIFE }),
    finds: ["crash-lost: effects", "error: end state", "lost: effects"],
  },
  {
    name: "a finalizer removed before the cleanup",
    explore: () => explored(letsGoFirst, { ...outside, ...LIFE }),
    finds: ["crash-lost: end state", "lost: end state"],
  },
  {
    name: "a requeue lost with the process",
    explore: () => explored(asksOnce, LIFE),
    finds: ["crash: end state", "crash-lost: end state"],
  },
  {
    name: "garbage collected by an old cache",
    explore: () => explored(collectsByCache, { ...outside, ...TWO }),
    finds: ["crash-stale: end state"],
    only: ["crash-stale", "skip", "away"],
  },
  {
    name: "an observed generation before the work is done",
    explore: () => explored(observesFirst, LIFE),
    finds: ["crash: end state", "error: end state", "conflict: end state"],
  },
  {
    name: "an intermediate state that must not be skipped",
    explore: () => explored(goesStepByStep, LIFE),
    finds: ["skip: end state", "away: end state"],
    only: ["crash-stale", "skip", "away"],
  },
  {
    name: "a Job deleted before its result is recorded",
    explore: () => explored(runsAgain, { workloads: true, ...LIFE }, { points: ["crash", "crash-lost", "lost", "error"] }),
    finds: ["crash: recreated", "crash-lost: recreated", "lost: recreated", "error: recreated"],
  },
  {
    name: "data deleted by an old size",
    explore: () => explored(shrinksByCache, LIFE, { points: ["crash-stale"] }),
    finds: ["crash-stale: recreated"],
  },
  {
    name: "one of two related objects that is not checked",
    explore: () => explored(forgetsHalf, LIFE, { points: ["crash", "crash-lost", "lost", "error", "conflict"] }),
    finds: ["crash: leak", "crash-lost: leak", "lost: leak", "error: leak", "conflict: leak"],
  },
];

test.for(rows)("$name", { tags: ["long"], timeout: 600_000 }, async ({ explore: run, finds, only }) => {
  const exploration = await run();
  const names = found(exploration);
  expect(names).toEqual(expect.arrayContaining([...finds]));
  if (only !== undefined) for (const name of names) expect(only).toContain(name.replace(/:.*/, ""));
  // A report fits on one screen, so that the log of a failed test shows all of it.
  for (const { report } of exploration.failures) expect(report.split("\n").length).toBeLessThan(80);
});
