/** Every combination of policies, in every phase, for every state of the object before. In memory and, unchanged, on a real server. */
import { startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { Platform } from "./platforms.ts";
import { differences, fateOf, foundOf, OWNERS, ownerName, PHASES, prepare, ROWS, run, seen, STATES } from "./policy-table.ts";

/** One of so many cases is tried in `npm test` and on a real server: all of them take minutes there. */
const SHARE = 8;

const CASES = STATES.flatMap((state) => PHASES.map((phase) => ({ state, phase })));

describe("an object with any policies", () => {
  const name = "that is $state, in the phase $phase, becomes what its policies say";
  test.for(CASES)(name, { tags: ["part"] }, async ({ state, phase }, { part, skip }) => {
    skip(!part.has(`${state} ${phase}`, SHARE), "not in this part");
    await using cluster = await startTestCluster({ kinds: [Platform] });
    await prepare(cluster, state);
    const before = await seen(cluster);
    const { held } = await run(cluster, state, phase);
    const after = await seen(cluster);
    const owners = new Map(await Promise.all(OWNERS.map(async (name) => [name, await cluster.get(Platform, name)] as const)));
    for (const { name, onRemoval } of ROWS) {
      const version = held?.get(name)?.metadata.resourceVersion;
      // The marks of an object that stays are removed, whatever happens to it next.
      if (version !== undefined && onRemoval === "delete")
        expect([name, version]).toEqual([name, before.get(name)?.metadata.resourceVersion]);
    }
    const wrong = ROWS.flatMap((row) => {
      const found = foundOf(row, { before, after, owner: owners.get(ownerName(row.adopt)) });
      return differences(row, { found, wanted: fateOf(row, state, phase) });
    });
    expect(wrong).toEqual([]);
    for (const [name, owner] of owners) {
      const reasons = ROWS.filter(({ adopt }) => ownerName(adopt) === name).map((row) => fateOf(row, state, phase).reason);
      const condition = owner?.status?.conditions?.find(({ type }) => type === "StackReady");
      if (phase === "owner deleted") expect(owner).toBeUndefined();
      else expect(condition?.reason).toBe(reasons.includes("NotOurs") ? "Error" : "Ready");
    }
  });
});
