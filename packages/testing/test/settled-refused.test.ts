/** `settled()` does not wait for watches that the server refuses. */
import { defineResource, kind } from "@treadle/apimachinery";
import { conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { startTestCluster } from "../src/index.ts";

const group = "refused.treadle.dev";
const Site = defineResource({ group, version: "v1", kind: "Site", scope: "Namespaced", spec: z.object({}), status: z.object({}) });
const Mon = defineResource({ group, version: "v1", kind: "Mon", scope: "Namespaced", spec: z.object({}) });
const site = { apiVersion: `${group}/v1`, kind: "Site", metadata: { name: "a" }, spec: {} };
const mon = { apiVersion: `${group}/v1`, kind: "Mon", metadata: { name: "m" }, spec: {} };

const lookingAt = (watched: Parameters<typeof kind>[0]) =>
  handler(Site)
    .step(conditions())
    .step(
      step(Site, {
        name: "look",
        conditions: ["Looked"],
        do(req) {
          const watch = req.watch(kind(watched));
          if (watch.type === "synced") return req.conditions.true("Looked");
          return req.conditions.false("Looked", "NotSynced", `${watch.type}: ${watch.reason}`).wait(3_600_000);
        },
      }),
    )
    .build();

test.for([
  { name: "a served kind without objects", watched: Mon, objects: [site] },
  { name: "a served kind with an object", watched: Mon, objects: [site, mon] },
  {
    name: "a kind that is not served",
    watched: { group: "nowhere.treadle.dev", version: "v1", kind: "Mon", plural: "mons" },
    objects: [site],
  },
])("settled() does not wait for the refused watch of $name", async ({ watched, objects }) => {
  await using cluster = await startTestCluster({ kinds: [Mon], objects });
  const op = await cluster.start(lookingAt(watched));
  await op.settled();
  const [, looked] = (await cluster.get(Site, "a"))?.status?.conditions ?? [];
  expect(looked?.message ?? "").toMatch(/refused|may not/);
});
