/** Scenarios before servers, several at a time. */
import { type Scenario, SCENARIOS } from "./scenarios.ts";
import type { Server } from "./server.ts";
import { runScenario } from "./session.ts";

export interface SuiteOptions {
  /** By name. @defaultValue all */
  readonly only?: readonly string[];
  /** See {@link runScenario}. */
  readonly isLong?: boolean;
  /** How often each scenario runs, each time with the next seed. @defaultValue 1 */
  readonly rounds?: number;
  /** @defaultValue 1 */
  readonly seed?: number;
  /** How many scenarios run at a time: mostly they wait. @defaultValue 3 */
  readonly atOnce?: number;
  readonly log: (line: string) => void;
}

export interface SuiteReport {
  readonly passed: number;
  readonly problems: readonly string[];
}

/** All that `server` can do. Scenarios that end it run after the others, alone. Never rejects for what goes wrong in one of them. */
export async function runSuite(server: Server, options: SuiteOptions): Promise<SuiteReport> {
  const { only, rounds = 1, seed = 1, atOnce = 3 } = options;
  const wanted = SCENARIOS.filter(
    ({ name, isReal, isAlone }) =>
      (only === undefined || only.includes(name)) &&
      (isReal !== true || server.name === "real") &&
      (isAlone !== true || server.restart !== undefined),
  );
  const problems: string[] = [];
  let passed = 0;
  const one = async (scenario: Scenario, withSeed: number): Promise<void> => {
    const found = await outcomeOf(scenario, server, { ...options, seed: withSeed });
    if (found.length === 0) passed++;
    problems.push(...found.map((problem) => `${server.name} ${scenario.name} (seed ${withSeed}): ${problem}`));
  };
  for (let round = 0; round < rounds; round++) {
    // The longest first.
    const together = wanted.filter(({ isAlone }) => isAlone !== true).toSorted((a, b) => (b.speed ?? 0) - (a.speed ?? 0));
    const work = async (): Promise<void> => {
      for (let next = together.shift(); next !== undefined; next = together.shift()) await one(next, seed + round);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    for (const scenario of wanted) if (scenario.isAlone === true) await one(scenario, seed + round);
  }
  return { passed, problems };
}

async function outcomeOf(
  scenario: Scenario,
  server: Server,
  { seed = 1, isLong = false, log }: Pick<SuiteOptions, "seed" | "isLong" | "log">,
): Promise<readonly string[]> {
  try {
    const { problems, recoveryMs, boundMs, changes, passes, unverified, lateMs } = await runScenario(scenario, { server, seed, isLong });
    const said = problems.length === 0 ? "all seen" : `${problems.length} PROBLEMS`;
    const of = `${changes} changes, ${passes} passes${unverified === 0 ? "" : `, ${unverified} of times that the auditor missed`}`;
    const times = `within ${Math.round(recoveryMs)} ms of ${Math.round(boundMs)}, machine late by ${Math.round(lateMs)} ms`;
    log(`${server.name} ${scenario.name}: ${said}, ${times} (${of})`);
    return problems;
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
