/**
 * Fault exploration: a scenario is run once as it should go, and then again and again, each time with one thing going
 * wrong: a crash, a lost answer, a stale cache, a skipped event, a conflict, an error, at every write and every event. All
 * runs must come to the same end.
 */
import { ExplorationError } from "./exploration-error.ts";
import { judge } from "./judge.ts";
import { checkOptions, checkPoints, checkReplay } from "./misuse.ts";
import { idOf, parsePoint, type Point, POINT_KINDS, type PointKind } from "./point.ts";
import { pairsOf, singlePoints } from "./points.ts";
import type { Problem } from "./problem.ts";
import { type Outcome, type Plan, runOnce } from "./run.ts";
import type { ExploredOperator, ExploreOptions, Scenario } from "./scenario.ts";
import { tell } from "./story.ts";

export interface Exploration {
  /** Faults that were tried, pairs included. */
  readonly points: number;
  /** Runs of the scenario: one for each point, and two references. */
  readonly runs: number;
  /** Real ones. */
  readonly seconds: number;
  /** What the process computed meanwhile: on a busy machine less than `seconds`, and comparable. */
  readonly cpuSeconds: number;
  readonly byKind: Readonly<Record<PointKind | "pair", { readonly points: number; readonly failures: number }>>;
  /** Of the reference. */
  readonly writes: number;
  readonly events: number;
  /** Points whose fault never came to strike: the run was at its end before. */
  readonly missed: readonly string[];
  /** Points for which the budget had no time left. */
  readonly leftOut: number;
  readonly failures: readonly ExplorationFailure[];
  /** The figures in one line. */
  readonly summary: string;
  /** All that happened, where a point was replayed. */
  readonly story: string | undefined;
}

export interface ExplorationFailure {
  /** What `replay` takes. */
  readonly id: string;
  readonly problems: readonly Problem[];
  /** For a person, with the way to replay it. */
  readonly story: string;
}

/**
 * Explores an operator. Every run has a server, a world and processes of its own, in virtual time; one after the other.
 * A run is the same for the same seed as far as the operator's code is: times and random numbers come from `req.now()` and
 * what `world` is given.
 *
 * @throws ExplorationError when a run failed: with the story of the smallest, and the id to replay it
 * @throws TypeError for options that are none, for a replay whose fault does not strike, and where there is nothing to try
 */
export async function explore<World = undefined>(
  operator: ExploredOperator<World>,
  scenario: Scenario<World>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  checkOptions(options);
  const search = new Search({ operator, scenario, options });
  const exploration = await search.run();
  if (exploration.failures.length > 0) throw new ExplorationError(exploration);
  return exploration;
}

class Search<World> {
  readonly #plan: Plan<World>;
  readonly #startedMs = performance.now();
  readonly #cpuAtStart = process.cpuUsage();
  readonly #failures: (ExplorationFailure & { readonly point: Point })[] = [];
  readonly #missed: string[] = [];
  readonly #tried: Point[] = [];
  #runs = 0;
  #leftOut = 0;
  #story: string | undefined;

  constructor(plan: Plan<World>) {
    this.#plan = plan;
  }

  async run(): Promise<Exploration> {
    const { options } = this.#plan;
    const { seed = 1, pairs = 0, replay, points } = options;
    const asked = replay === undefined ? undefined : parsePoint(replay);
    const reference = await this.#reference();
    if (reference.problems.length > 0 || this.#failures.length > 0) return this.#result(reference);
    if (asked !== undefined) {
      await this.#try(reference, asked, 1);
      return this.#result(reference);
    }
    const singles = singlePoints(reference, points);
    const all = [...singles, ...pairsOf(singles, pairs, seed)];
    checkPoints(all, reference);
    for (const [index, point] of all.entries()) {
      if (this.#isOverBudget()) {
        this.#leftOut = all.length - index;
        break;
      }
      // A pair around a fault that fails alone says nothing new.
      if (point.length === 1 || !point.some((fault) => this.#hasFailed([fault]))) await this.#try(reference, point, all.length);
    }
    return this.#result(reference);
  }

  /** Runs it twice: what differs between two runs without a fault is no work of a fault. */
  async #reference(): Promise<Outcome> {
    const { scenario, options } = this.#plan;
    const reference = await this.#runOnce([]);
    if (reference.problems.length > 0) {
      this.#fail(reference, reference, reference.problems);
      return reference;
    }
    const again = await this.#runOnce([]);
    const problems = judge(reference, again, scenario.checkEffects);
    if (problems.length > 0) {
      const hint = "two runs without any fault do not end alike: take times and random numbers from req.now() and the world's `random`";
      const lines = options.ignore === undefined ? [`${hint}, or name what may differ in \`ignore\``] : [hint];
      this.#fail(reference, again, [...problems, { oracle: "scenario", lines }]);
    }
    return reference;
  }

  async #try(reference: Outcome, point: Point, total: number): Promise<void> {
    const { scenario, options } = this.#plan;
    const run = await this.#runOnce(point);
    this.#tried.push(point);
    if (!run.hasStruck) this.#missed.push(idOf(point));
    const problems = judge(reference, run, scenario.checkEffects);
    if (problems.length > 0) this.#fail(reference, run, problems);
    else if (options.replay !== undefined) checkReplay(run);
    if (options.replay !== undefined) this.#story = this.#tell(reference, run, problems);
    options.onProgress?.({ done: this.#tried.length, total, failures: this.#failures.length, point: idOf(point) });
  }

  async #runOnce(point: Point): Promise<Outcome> {
    this.#runs++;
    return await runOnce(this.#plan, point);
  }

  #fail(reference: Outcome, run: Outcome, problems: readonly Problem[]): void {
    const story = this.#tell(reference, run, problems);
    this.#failures.push({ point: run.point, id: idOf(run.point), problems, story });
  }

  #tell(reference: Outcome, run: Outcome, problems: readonly Problem[]): string {
    const { seed = 1, replay } = this.#plan.options;
    return tell(reference, run, problems, { seed, isWhole: replay !== undefined });
  }

  #hasFailed(point: Point): boolean {
    return this.#failures.some(({ id }) => id === idOf(point));
  }

  #isOverBudget(): boolean {
    const { budgetMs = Number.POSITIVE_INFINITY } = this.#plan.options;
    return performance.now() - this.#startedMs >= budgetMs;
  }

  #result({ writes, events }: Outcome): Exploration {
    const seconds = (performance.now() - this.#startedMs) / 1000;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const cpuSeconds = (user + system) / 1_000_000;
    const failures = this.#failures.toSorted((a, b) => a.point.length - b.point.length);
    const kindOf = (point: Point): PointKind | "pair" => (point.length === 1 ? (point[0]?.type ?? "pair") : "pair");
    const byKind = Object.fromEntries(
      [...POINT_KINDS, "pair" as const].map((kind) => [
        kind,
        {
          points: this.#tried.filter((point) => kindOf(point) === kind).length,
          failures: failures.filter(({ point }) => point.length > 0 && kindOf(point) === kind).length,
        },
      ]),
    ) as Exploration["byKind"]; // all of its keys
    const kinds = Object.entries(byKind).filter(([, { points }]) => points > 0);
    const left = this.#leftOut === 0 ? "" : `, ${this.#leftOut} points left out for lack of time`;
    const summary = `${this.#tried.length} points (${kinds.map(([kind, { points }]) => `${points} ${kind}`).join(", ")}) in ${this.#runs} runs, ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU): ${failures.length} failed${left}`;
    return {
      points: this.#tried.length,
      runs: this.#runs,
      seconds,
      cpuSeconds,
      byKind,
      writes: writes.length,
      events: events.length,
      missed: this.#missed,
      leftOut: this.#leftOut,
      failures,
      summary,
      story: this.#story,
    };
  }
}
