/**
 * Records what the real controllers make of the scenarios; with `--check` it compares them with what was recorded. Needs a
 * control plane with all controllers, and the stand-in for kubelets (`prepare` in `tools/e2e/cluster.ts`): `npm run
 * test:e2e -- --only workloads` has both and checks, with TREADLE_RECORD=1 it records. Format what it wrote.
 *
 *     KUBECONFIG=FILE node --conditions=@treadle/source packages/apiserver/test/workloads/record.ts [--check] [TEXT IN A NAME]...
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { realServer } from "../conformance/real-server.ts";
import type { Step } from "./digest.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";
import { reporter, withMetrics } from "./pod-metrics.ts";
import { play } from "./play.ts";
import { differences, recordingOf } from "./recordings.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

const AT_ONCE = 12;
/** A scenario that differs is played so many times more. */
const MORE_TIMES = 2;

const kubeconfig = process.env["KUBECONFIG"];
if (kubeconfig === undefined || kubeconfig === "") throw new Error("set KUBECONFIG to the file of a real control plane");
const transport = realServer(kubeconfig);
const { values, positionals: chosen } = parseArgs({ allowPositionals: true, options: { check: { type: "boolean", default: false } } });
const wanted = scenarios.filter(({ name }) => chosen.length === 0 || chosen.some((text) => name.includes(text)));
const failed: string[] = [];
try {
  await playAll(wanted.filter(({ hasMetrics }) => hasMetrics !== true));
  const measured = wanted.filter(({ hasMetrics }) => hasMetrics === true);
  // A cluster has metrics for all, so these come last.
  if (measured.length > 0) await withMetrics(transport, () => playAll(measured));
} finally {
  await transport.close();
}
if (failed.length > 0) {
  console.error(failed.join("\n"));
  process.exitCode = 1;
}

async function playAll(all: readonly Scenario[]): Promise<void> {
  const waiting = [...all];
  await Promise.all(Array.from({ length: AT_ONCE }, () => worker(waiting)));
}

async function worker(waiting: Scenario[]): Promise<void> {
  for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
    const started = performance.now();
    try {
      const isExpected = (steps: readonly Step[]): boolean => !values.check || changes(scenario, steps).length === 0;
      const played = (): Promise<readonly Step[]> =>
        play(scenario, { transport, now: () => performance.now(), pass: (ms) => delay(ms), report: reporter(transport), isExpected });
      let steps = await played();
      // The real controllers race with each other: what differs is played again before it counts.
      for (let again = 0; values.check && again < MORE_TIMES && changes(scenario, steps).length > 0; again++) {
        console.log(`${scenario.name}: played again, ${changes(scenario, steps)[0]?.slice(0, 200)}`);
        steps = await played();
      }
      if (values.check) failed.push(...changes(scenario, steps));
      else writeFileSync(recordingOf(scenario), `${JSON.stringify(steps, undefined, 2)}\n`);
      console.log(`${scenario.name}: ${steps.length} steps, ${Math.round((performance.now() - started) / 1000)} s`);
    } catch (error) {
      failed.push(`${scenario.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Returns the differences of these steps from the recording, except for those that vary. */
function changes(scenario: Scenario, steps: readonly Step[]): readonly string[] {
  const recorded = (JSON.parse(readFileSync(recordingOf(scenario), "utf8")) as readonly Step[]).slice(0, steps.length); // written above
  const varying = KNOWN_DIFFERENCES.filter((one) => one.varies === true && one.scenario.test(scenario.name));
  return differences(recorded, steps)
    .filter((line) => !varying.some((one) => one.line.test(line)))
    .map((line) => `${scenario.name}: ${line.replace("simulated", "now")}`);
}
