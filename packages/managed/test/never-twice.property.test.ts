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
