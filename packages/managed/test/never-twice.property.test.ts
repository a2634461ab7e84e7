/**
 * Never twice, never lost: one external resource under everything that can go wrong at once. The invariants are listed in
 * never-twice/ledger.ts, and what happens in never-twice/script.ts.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { newFigures } from "./never-twice/ledger.ts";
import { scripts } from "./never-twice/script.ts";
import { runScript } from "./never-twice/world.ts";

test.for([
  { processes: 1, runs: 250 },
  { processes: 2, runs: 550 },
] as const)(
  "with $processes processes an object has one resource at most, and leaves none, whatever happens when",
  {
    tags: ["part"],
  },
  async ({ processes, runs }, { part }) => {
    const figures = newFigures();
    const parameters = part.runs(runs);
    await fc.assert(
      fc.asyncProperty(scripts({ processes }), async (script) => {
        expect(await runScript(script, figures)).toEqual([]);
      }),
      parameters,
    );
    // The scripts do what they are for.
    expect(figures.creates).toBeGreaterThan(figures.scripts / 2);
    expect(figures.crashes).toBeGreaterThan(0);
  },
);

test("a person who answers between two writes of a pass reads of an earlier name", async () => {
  const nature = { author: "recovered", createMs: 0, visibleAfterMs: 0, deleteMs: 0, updateMs: 0, isEventualForWrites: false } as const;
  const incidents = [{ at: 6, when: "before", what: "answer" }] as const;
  const moves = ["name nothing", "pass", "answer", "pass", "pass"] as const;
  expect(await runScript({ nature, incidents, late: [], moves })).toEqual([]);
});

test("a create that the provider answered with an error, and whose resource is removed then, is another create", async () => {
  const nature = { author: "chosen", createMs: 0, visibleAfterMs: 0, deleteMs: 0, updateMs: 0, isEventualForWrites: false } as const;
  const incidents = [{ at: 3, when: "after", what: "429" }] as const;
  const moves = ["pass", "vanish outside", "pass", "pass"] as const;
  expect(await runScript({ nature, incidents, late: [], moves })).toEqual([]);
});
