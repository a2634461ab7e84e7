/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state. */
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { cronJob } from "./controller.ts";
import { CronJob } from "./cron-job.ts";

const jobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never" as const, containers: [{ name: "a", image: "example.com/a:1" }] } } },
};

test("a CronJob reaches the same end state after every single fault", { tags: ["memory"], timeout: 600_000 }, async () => {
  const { summary, points } = await explore(cronJob, {
    async run(cluster) {
      await cluster.create(CronJob, { metadata: { name: "a" }, spec: { schedule: "0 0 1 1 *", jobTemplate } });
      await cluster.settled();
      await cluster.update(CronJob, "a", (object) => {
        object.spec.suspend = true;
      });
      await cluster.settled();
      await cluster.delete(CronJob, "a");
    },
  });
  console.info(`cronjob: ${summary}`);
  expect(points).toBeGreaterThan(5);
});
