/**
 * Runs random scripts without vitest, and prints figures: `node --conditions=@treadle/source soak.ts --scripts N [--seed N]`. It ends with
 * 1 and the smallest script when an invariant breaks. `npm run soak` starts it.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { AUTHORS } from "./author.ts";
import { type Figures, newFigures } from "./ledger.ts";
import { scripts } from "./script.ts";
import { runScript } from "./world.ts";

const { values } = parseArgs({
  options: { scripts: { type: "string", default: "10000" }, seed: { type: "string", default: String(Date.now() % 2 ** 31) } },
});
const [wanted, seed] = [Number(values.scripts), Number(values.seed)] as const;
if (!(Number.isInteger(wanted) && wanted > 0 && Number.isInteger(seed))) throw new Error("--scripts and --seed need whole numbers");

console.log(`managed: ${wanted} scripts, seed ${seed}`);
const startedMs = performance.now();
const total = newFigures();
for (const author of AUTHORS) {
  const figures = newFigures();
  for (const processes of [1, 2] as const) await round(author, processes, figures);
  console.log(`managed, ${author}: ${shown(figures)}`);
  for (const key of Object.keys(total) as (keyof Figures)[]) total[key] += figures[key];
}
console.log(`managed: ${shown(total)}; ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);

/** Each author has a quarter of the scripts, and one third of those have one process. */
async function round(author: (typeof AUTHORS)[number], processes: 1 | 2, figures: Figures): Promise<void> {
  const share = Math.ceil((wanted / AUTHORS.length) * (processes === 1 ? 1 / 3 : 2 / 3));
  const result = await fc.check(
    fc.asyncProperty(scripts({ processes, authors: [author] }), async (script) => {
      const violations = await runScript(script, figures);
      if (violations.length > 0) throw new Error(violations.join("\n"));
    }),
    { numRuns: share, seed: seed + AUTHORS.indexOf(author) },
  );
  if (!result.failed) return;
  process.exitCode = 1;
  console.error(
    `problem: seed ${seed}, ${author}, ${processes} processes: ${JSON.stringify(result.counterexample)}\n${String(result.errorInstance)}`,
  );
}

function shown(figures: Figures): string {
  const { scripts, passes, creates, crashes, lost, late, duplicates, orphans, said } = figures;
  return `${scripts} scripts, ${passes} passes, ${creates} creates (${late} late), ${crashes} crashes, ${lost} lost answers; ${duplicates} duplicates, ${orphans} orphans, ${said} of which the object had said that the result is not known`;
}
