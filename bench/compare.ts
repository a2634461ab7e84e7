/**
 * `npm run bench -- compare OLD [NEW]`: two commits of Treadle, measured in turns on one machine. Prints the median of each, and the
 * ratios of the pairs. OLD and NEW are commits or folders; without NEW it is this checkout, with what is not committed.
 * A commit is checked out and set up in a temporary folder, which is removed at the end, also after a failure and Ctrl-C.
 *
 *  --only widgets   processor time for each Widget, before the in-memory server in another process
 *  --only passes    what passes cost that find nothing to do
 *  --only plane     start, Widgets and changes of the built operators, before a real control plane
 *  --rounds N       pairs of runs (5)
 *  --widgets N      the size (500)
 *  --limit RATIO    fails when the processor time for each Widget is above it, in the median of the pairs, twice
 *  --ci             the part widgets with a limit of 1.15, against the commit that this change landed on; passes where there is none
 */
import { Checkouts, type Checkout } from "./src/compare/checkouts.ts";
import { gitIn, hasChanged, landedBefore } from "./src/compare/git.ts";
import { OldDoesNotRun, passPairs, planePairs, widgetPairs, type Work } from "./src/compare/measuring.ts";
import { type CompareOptions, compareOptions } from "./src/compare/options.ts";
import { isAbove, type Pairs, ratiosOf, table } from "./src/compare/verdict.ts";
import { interruption, logger, measuring, textOf } from "./src/settings.ts";

const MEASURE = "widgetCpuMs";
/** In CI, for a machine that is much slower than two idle processors. */
const LATE_MS = 4 * 60_000;
const options = read();
const { log } = logger();
const repository = process.cwd();

await measuring(async () => {
  const { signal, interrupted } = interruption();
  const old = options.isCi ? await oldOfCi() : options.old;
  if (old === undefined) return;
  await using checkouts = new Checkouts({ repository, log, signal });
  const before = options.isCi ? await orNone(checkouts.of(old)) : await checkouts.of(old);
  if (before === undefined) return;
  const after = options.new === undefined ? { dir: repository, about: "this checkout" } : await checkouts.of(options.new);
  log(`old is ${before.about}, new is ${after.about}`);
  const { rounds, widgets } = options;
  const late = options.isCi ? { lateMs: LATE_MS } : {};
  await compare(options, { checkouts: { old: before, new: after }, rounds, widgets, log, signal, interrupted, ...late });
});

/** Ends the process with 2 when the arguments are wrong. */
function read(): CompareOptions {
  try {
    return compareOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`compare: ${error instanceof Error ? error.message : String(error)}`);
    return process.exit(2);
  }
}

/** The old commit in CI, or `undefined` where nothing is to be compared, with the reason in the log. */
async function oldOfCi(): Promise<string | undefined> {
  const git = gitIn(repository);
  const choice = await landedBefore(git);
  if (choice === undefined) {
    log("nothing to compare: this clone has no commit before this one");
    return undefined;
  }
  log(`the old commit is ${choice.about}, ${choice.commit.slice(0, 12)}`);
  if (await hasChanged(git, choice.commit)) return choice.commit;
  log("nothing to compare: no file differs that an operator runs");
  return undefined;
}

/** A commit that cannot be set up is no fault of the change. */
async function orNone(checkout: Promise<Checkout>): Promise<Checkout | undefined> {
  try {
    return await checkout;
  } catch (error) {
    log(`nothing to compare: the old commit cannot be set up: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function compare({ parts, limit, isCi }: CompareOptions, work: Work): Promise<void> {
  if (parts.includes("widgets")) {
    const pairs = await widgetPairs(work).catch((error: unknown) => noPairs(error, isCi));
    if (pairs === undefined) return;
    print(pairs);
    if (limit !== undefined) await judge(limit, pairs, work);
  }
  if (parts.includes("passes")) print(await passPairs(work));
  if (parts.includes("plane")) print(await planePairs(work));
}

function noPairs(error: unknown, isCi: boolean): undefined {
  if (!isCi || !(error instanceof OldDoesNotRun)) throw error;
  log(`nothing to compare: ${error.message}: ${textOf(error.cause)}`);
}

async function judge(limit: number, first: Pairs, work: Work): Promise<void> {
  const failed = await isAbove(limit, ratiosOf(first, MEASURE), async () => {
    log(`above the limit of ${limit}; measuring again`);
    const second = await widgetPairs(work);
    print(second);
    return ratiosOf(second, MEASURE);
  });
  log(`processor time for each Widget, new / old: ${failed ? "above" : "within"} the limit of ${limit}`);
  if (!failed) return;
  console.error("problem: an operator takes more processor time for each Widget; `npm run bench -- peers --profile` shows its functions");
  process.exitCode = 1;
}

function print(pairs: Pairs): void {
  console.log(["", ...table(pairs), ""].join("\n"));
}
