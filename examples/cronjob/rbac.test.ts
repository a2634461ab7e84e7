/** The operator's rights are sufficient, and each of them is needed. On a real server, too: the template is stored as it was given. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { Job } from "treadle/kinds";
import { expect, test } from "vitest";
import { cronJob } from "./controller.ts";
import { CronJob } from "./cron-job.ts";

const template = {
  metadata: { labels: { app: "report" }, annotations: { note: "kept" }, finalizers: ["example.com/kept"] },
  spec: { restartPolicy: "Never" as const, containers: [{ name: "report", image: "example.com/report:1" }] },
};

test("the CronJob operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [CronJob] });
  const runs = await checkRights(cluster, cronJob, {
    async run({ namespaces: [namespace], until }) {
      // A start in each second, which replaces the Job before.
      const spec = { schedule: "* * * * * *", concurrencyPolicy: "Replace" as const, jobTemplate: { spec: { template } } };
      await cluster.create(CronJob, { metadata: { name: "a", namespace }, spec });
      let first: string | undefined;
      await until("a Job replaces the first one", async () => {
        const jobs = await cluster.list(Job, namespace);
        first ??= jobs[0]?.metadata.name;
        return jobs.length > 0 && jobs.every(({ metadata }) => metadata.name !== first);
      });
      const live = await cluster.get(CronJob, `${namespace}/a`);
      expect(live?.spec.jobTemplate.spec?.template.metadata).toEqual(template.metadata);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
});
