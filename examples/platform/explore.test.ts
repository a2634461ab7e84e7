/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. Simulated controllers run the workloads. */
import { explore } from "@treadle/testing/explore";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, license, objectsIn, platformOf } from "./story.ts";

/** An operator that is away while the spec changes twice sees one desired state. */
const REVISIONS = [
  ["status", "revision"],
  ["status", "steps", "stack", "revision"],
];

/** One of so many points is explored in `npm test`: all of them take some minutes. */
const SHARE = 64;

test("a platform that is installed, upgraded and deleted reaches the same end state after every single fault", {
  tags: ["memory", "part"],
  timeout: 1_800_000,
}, async ({ part }) => {
  const { summary, points } = await explore(
    platform,
    {
      workloads: true,
      async run(cluster) {
        await cluster.create(Secret, license);
        await cluster.create(Platform, { metadata: { name: "shop" }, spec: { tenants: ["anna"] } });
        await cluster.settled();
        await change(cluster, { tenants: ["ben"], version: "1.30.0" });
        await cluster.settled();
        await change(cluster, { widgets: false });
        await cluster.settled();
        await change(cluster, { widgets: true });
      },
      check: async (cluster) => {
        expect(await conditionOf(cluster)).toBe("True Ready: 11 objects are ready");
        expect(await objectsIn(cluster)).toEqual(platformOf("ben"));
      },
    },
    { points: ({ id }) => id === "crash@0" || part.has(id, SHARE), ignore: REVISIONS },
  );
  console.info(`platform: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 200 : 3);
});
