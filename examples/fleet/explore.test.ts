/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. Simulated controllers run the workloads. */
import { explore } from "@treadle/testing/explore";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { fleet } from "./controller.ts";
import { Fleet } from "./fleet.ts";
import { conditionOf, COUNTS, countsOf } from "./story.ts";

/** An operator that is away while the spec changes twice sees one desired state. */
const REVISIONS = [
  ["status", "revision"],
  ["status", "steps", "fleet", "revision"],
];

/** One of so many points is explored in `npm test`: all of them take some minutes. */
const SHARE = 64;

test("a fleet that grows, shrinks and drifts reaches the same end state after every single fault", {
  tags: ["memory", "part"],
  timeout: 1_800_000,
}, async ({ part }) => {
  const { summary, points } = await explore(
    fleet,
    {
      workloads: true,
      async run(cluster) {
        await cluster.create(Fleet, { metadata: { name: "north" }, spec: { robots: 1 } });
        await cluster.settled();
        await cluster.update(Fleet, "north", ({ spec }) => void (spec.robots = 3));
        await cluster.settled();
        await cluster.delete(ConfigMap, "hall-1");
        await cluster.update(Fleet, "north", ({ spec }) => void (spec.robots = 2));
      },
      check: async (cluster) => {
        expect(await conditionOf(cluster)).toBe("True Ready: 24 objects are ready");
        expect(await countsOf(cluster)).toEqual({ ...COUNTS, Robot: 4 });
      },
    },
    { points: ({ id }) => id === "crash@0" || part.has(id, SHARE), ignore: REVISIONS },
  );
  console.info(`fleet: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 200 : 3);
});
