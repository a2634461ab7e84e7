/**
 * Compares the scenarios on the simulated controllers, in virtual time, with the recorded results of the real controllers
 * (`record.ts`). A difference that `known-differences.ts` does not list fails, and so does a listed one that does not occur.
 */
import { readFileSync } from "node:fs";
import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import type { Step } from "./digest.ts";
import { KNOWN_DIFFERENCES, type KnownDifference } from "./known-differences.ts";
import { play } from "./play.ts";
import { differences, recordingOf } from "./recordings.ts";
import { LABEL, type Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

const met = new Set<KnownDifference>();

test.for(scenarios)("$name", async (scenario) => {
  const recorded = JSON.parse(readFileSync(recordingOf(scenario), "utf8")) as readonly Step[]; // written by record.ts
  const unknown = differences(recorded, await simulate(scenario)).filter((line) => {
    const known = KNOWN_DIFFERENCES.find((one) => one.scenario.test(scenario.name) && one.line.test(line));
    if (known !== undefined) met.add(known);
    return known === undefined;
  });
  expect(unknown).toEqual([]);
});

test("each known difference occurs in a scenario", () => {
  expect(KNOWN_DIFFERENCES.filter((one) => !met.has(one))).toEqual([]);
});

async function simulate(scenario: Scenario): Promise<readonly Step[]> {
  const clock = fakeClock();
  const server = createApiServer({ clock, workloads: true, garbageCollection: true });
  const { metrics, pods } = server.workloads;
  if (scenario.hasMetrics === true) metrics.report({ cpu: "0" }, { name: "another" });
  pods.fail("NotReady", { matchLabels: { [LABEL]: "not-ready" } });
  for (const exitCode of [1, 42]) pods.fail({ exitCode }, { matchLabels: { [LABEL]: `exit-${exitCode}` } });
  pods.fail("Hangs", { matchLabels: { [LABEL]: "runs" } });
  try {
    return await play(scenario, {
      transport: server.transport(),
      now: () => clock.now(),
      async report(all, use) {
        for (const { metadata } of all) metrics.report(use, { namespace: metadata.namespace, name: metadata.name });
      },
      async pass(ms) {
        await server.settled();
        await clock.advance(ms);
        await server.settled();
      },
    });
  } finally {
    await server.close();
  }
}
