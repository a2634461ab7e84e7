/**
 * Plants each defect into the source as it is loaded, and looks for it with scripts: `node --conditions=@treadle/source planted.ts`.
 * Each defect has modules of its own: a query in their addresses. Prints a line of JSON for each defect.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { AUTHORS, type Library } from "./author.ts";
import { type Defect, DEFECTS } from "./defects.ts";
import { newFigures } from "./ledger.ts";
import { scripts, type Script } from "./script.ts";
import { runScript } from "./world.ts";

const { values } = parseArgs({
  options: { only: { type: "string" }, scripts: { type: "string", default: "1600" } },
});
const SOURCE = new URL("../../src/", import.meta.url).href;
const unused = new Set(DEFECTS);

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const query = context.parentURL === undefined ? "" : new URL(context.parentURL).search;
    return query.startsWith("?defect=") && found.url.startsWith(SOURCE) ? { ...found, url: `${found.url}${query}` } : found;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const { pathname, search } = new URL(url);
    const defect = DEFECTS[Number(search.slice("?defect=".length) || -1)];
    if (defect === undefined || !url.startsWith(`${SOURCE}flow/`) || !pathname.endsWith(`/${defect.file}`)) return loaded;
    const text = String(typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array));
    if (!text.includes(defect.from))
      throw new Error(`${fileURLToPath(url)} has no longer the line that the defect changes: ${defect.from}`);
    unused.delete(defect);
    return { ...loaded, source: text.replace(defect.from, defect.to) };
  },
});

for (const [at, defect] of DEFECTS.entries()) {
  if (values.only !== undefined && !defect.rule.includes(values.only)) continue;
  const library = (await import(`${SOURCE}index.ts?defect=${at}`)) as Library;
  const found = await find(defect, library);
  if (unused.has(defect)) throw new Error(`the defect of "${defect.rule}" was not loaded`);
  console.log(JSON.stringify({ rule: defect.rule, ...found }));
}

interface Found {
  readonly violations: readonly string[];
  /** What the script finds in the source without the defect. */
  readonly without: readonly string[];
  /** The script that was found by chance, because the given one finds nothing. */
  readonly script?: Script;
}

async function find({ script }: Defect, library: Library): Promise<Found> {
  const given = await compare(script, library);
  if (given.violations.length > 0) return given;
  for (const author of AUTHORS) {
    const result = await fc.check(
      fc.asyncProperty(scripts({ processes: 2, authors: [author] }), async (script) => {
        const violations = await runScript(script, newFigures(), library);
        if (violations.length > 0) throw new Error(violations.join("\n"));
      }),
      {
        numRuns: Math.ceil(Number(values.scripts) / AUTHORS.length),
        seed: 8,
        interruptAfterTimeLimit: 60_000,
      },
    );
    const [counterexample] = result.counterexample ?? [];
    if (counterexample !== undefined && counterexample !== null)
      return { ...(await compare(counterexample, library)), script: counterexample };
  }
  return { violations: [], without: [] };
}

async function compare(script: Script, library: Library): Promise<Found> {
  const violations = await runScript(script, newFigures(), library);
  return { violations: violations.map((text) => text.slice(0, 200)), without: await runScript(script) };
}
