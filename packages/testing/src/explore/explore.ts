/**
 * Fault exploration. A scenario runs once without a fault: the reference. Then it runs once for each point: a crash, a lost
 * answer, a stale cache, a skipped event, a conflict or an error at each write and each event of the reference. All runs must
 * end in the same state.
 */
import { chosenPoints } from "./choose-points.ts";
import { problemsOf } from "./compare-runs.ts";
import type { Exploration, ExplorationFailure } from "./exploration.ts";
import { ExplorationError } from "./exploration-error.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import { announce, Estimate, withWarning } from "./expected-time.ts";
import { idOf, parsePoint, type Point, POINT_TYPES, type PointType } from "./fault-point.ts";
import { checkOptions, checkPoints, checkReplay } from "./option-checks.ts";
import { reportOf } from "./report.ts";
import { runOnce } from "./run.ts";
import type { Plan, RunOutcome } from "./run-outcome.ts";
import type { ExploredOperator, ExploreOptions, Scenario } from "./scenario.ts";

/**
 * Explores an operator: runs the scenario with one fault at a time and compares the ends.
 *
 * - Each run has its own server, external systems and processes, in virtual time. Runs are sequential.
 * - The same seed gives the same runs, if the operator takes times and random numbers from `req.now()` and from the context
 *   of `external`.
 * - A process warning says the number of points and the expected time, when that is above 5 s. `budgetMs` and `points` bound it.
 *
 * @throws ExplorationError when a run failed; it has the report of the smallest failure, and the id that replays it
 * @throws TypeError for an invalid option, for a replay whose fault does not happen, and when there is no point to try
 */
export async function explore<External = undefined>(
  operator: ExploredOperator<External>,
  scenario: Scenario<External>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  checkOptions(options);
  const search = new Search({ operator, scenario, options });
  const exploration = await search.run();
  if (exploration.failures.length > 0) throw new ExplorationError(exploration);
  return exploration;
}

class Search<External> {
  readonly #plan: Plan<External>;
  readonly #startedMs = performance.now();
  readonly #cpuAtStart = process.cpuUsage();
  readonly #failures: (ExplorationFailure & { readonly point: Point })[] = [];
  readonly #missed: string[] = [];
  readonly #tried: Point[] = [];
  readonly #estimate = new Estimate();
  #runs = 0;
  #leftOut = 0;
  #report: string | undefined;

  constructor(plan: Plan<External>) {
    this.#plan = plan;
  }

  async run(): Promise<Exploration> {
    const { options } = this.#plan;
    const replayed = options.replay === undefined ? undefined : parsePoint(options.replay);
    const reference = await withWarning(() => this.#runOnce([]));
    const points = replayed === undefined ? chosenPoints(reference, options) : [replayed];
    if (reference.problems.length > 0) this.#fail(reference, reference, reference.problems);
    else {
      if (replayed === undefined) checkPoints(points, reference);
      await this.#repeatReference(reference);
      this.#announce(points.length);
    }
    if (this.#failures.length === 0) await this.#tryAll(reference, points);
    return this.#result(reference);
  }

  #announce(total: number): void {
    const remainingMs = this.#estimate.msFor(total);
    this.#plan.options.onProgress?.({ done: 0, total, failures: 0, point: "reference", remainingMs });
    announce({ points: total, remainingMs, budgetMs: this.#plan.options.budgetMs });
  }

  /** Runs the reference again: a difference between two runs without a fault is not the result of a fault. */
  async #repeatReference(reference: RunOutcome): Promise<void> {
    const { scenario, options } = this.#plan;
    const repeated = await this.#runOnce([]);
    const problems = problemsOf(reference, repeated, scenario.checkEffects);
    if (problems.length === 0) return;
    const hint = "two runs without a fault end differently: take times and random numbers from req.now() and the `random` of `external`";
    const lines = options.ignore === undefined ? [`${hint}, or name what may differ in \`ignore\``] : [hint];
    this.#fail(reference, repeated, [...problems, { type: "scenario", lines }]);
  }

  async #tryAll(reference: RunOutcome, points: readonly Point[]): Promise<void> {
    for (const [index, point] of points.entries()) {
      if (this.#isOverBudget()) {
        this.#leftOut = points.length - index;
        return;
      }
      // A pair with a fault that fails alone proves nothing new.
      if (point.length > 1 && point.some((fault) => this.#hasFailed([fault]))) continue;
      await this.#try(reference, point);
      const remainingMs = this.#estimate.msFor(points.length - index - 1);
      const failures = this.#failures.length;
      this.#plan.options.onProgress?.({ done: this.#tried.length, total: points.length, failures, point: idOf(point), remainingMs });
    }
  }

  async #try(reference: RunOutcome, point: Point): Promise<void> {
    const { scenario, options } = this.#plan;
    const run = await this.#runOnce(point);
    this.#tried.push(point);
    if (!run.hasHappened) this.#missed.push(idOf(point));
    const problems = problemsOf(reference, run, scenario.checkEffects);
    if (problems.length > 0) this.#fail(reference, run, problems);
    else if (options.replay !== undefined) checkReplay(run);
    if (options.replay !== undefined) this.#report = this.#reportOn(reference, run, problems);
  }

  async #runOnce(point: Point): Promise<RunOutcome> {
    this.#runs++;
    return await this.#estimate.measured(() => runOnce(this.#plan, point));
  }

  #fail(reference: RunOutcome, run: RunOutcome, problems: readonly ExplorationProblem[]): void {
    const report = this.#reportOn(reference, run, problems);
    this.#failures.push({ point: run.point, id: idOf(run.point), problems, report });
  }

  #reportOn(reference: RunOutcome, run: RunOutcome, problems: readonly ExplorationProblem[]): string {
    const { seed = 1, replay } = this.#plan.options;
    return reportOf(reference, run, problems, { seed, isWhole: replay !== undefined });
  }

  #hasFailed(point: Point): boolean {
    return this.#failures.some(({ id }) => id === idOf(point));
  }

  #isOverBudget(): boolean {
    const { budgetMs = Number.POSITIVE_INFINITY } = this.#plan.options;
    return performance.now() - this.#startedMs >= budgetMs;
  }

  #result({ writes, events }: RunOutcome): Exploration {
    const seconds = (performance.now() - this.#startedMs) / 1000;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const cpuSeconds = (user + system) / 1_000_000;
    const failures = this.#failures.toSorted((a, b) => a.point.length - b.point.length);
    const byType = countByType(
      this.#tried,
      failures.map(({ point }) => point),
    );
    const types = Object.entries(byType).filter(([, { points }]) => points > 0);
    const left = this.#leftOut === 0 ? "" : `, ${this.#leftOut} points left out by budgetMs`;
    const summary = `${this.#tried.length} points (${types.map(([type, { points }]) => `${points} ${type}`).join(", ")}) in ${this.#runs} runs, ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU): ${failures.length} failed${left}`;
    return {
      points: this.#tried.length,
      runs: this.#runs,
      seconds,
      cpuSeconds,
      byType,
      writes: writes.length,
      events: events.length,
      missed: this.#missed,
      leftOut: this.#leftOut,
      failures,
      summary,
      report: this.#report,
    };
  }
}

function countByType(tried: readonly Point[], failed: readonly Point[]): Exploration["byType"] {
  const typeOf = (point: Point): PointType | "pair" => (point.length === 1 ? (point[0]?.type ?? "pair") : "pair");
  const count = (points: readonly Point[], type: PointType | "pair"): number =>
    points.filter((point) => point.length > 0 && typeOf(point) === type).length;
  const types = [...POINT_TYPES, "pair" as const];
  const counts = types.map((type) => [type, { points: count(tried, type), failures: count(failed, type) }]);
  return Object.fromEntries(counts) as Exploration["byType"]; // It has an entry for each type.
}
