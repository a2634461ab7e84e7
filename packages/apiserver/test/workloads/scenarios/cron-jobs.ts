/** CronJobs: the Jobs that they create, replace and delete. Their shortest period is a minute, also in real time. */
import type { Json } from "../../conformance/session.ts";
import { type Scenario, template } from "../scenario.ts";

function cronJob(behaviour: string | undefined, spec: Json = {}): Json {
  const { metadata, ...pod } = template("work", { spec: { restartPolicy: "Never" }, ...(behaviour === undefined ? {} : { behaviour }) });
  const jobTemplate = { metadata: { labels: { by: "cron" } }, spec: { template: { metadata, ...pod } } };
  return { metadata: { name: "tick" }, spec: { schedule: "* * * * *", jobTemplate, ...spec } };
}

const names = (list: readonly Json[] = []): string => list.map(({ metadata }) => String(metadata.name)).join();

export const cronJobs: readonly Scenario[] = [
  {
    name: "cronjob runs and keeps one",
    async run({ create, settle }) {
      await create("cronjobs", cronJob(undefined, { successfulJobsHistoryLimit: 1 }));
      await settle("one run", ({ cronjobs: [one] }) => one?.["status"].lastSuccessfulTime !== undefined);
      let first = "";
      await settle("another run", ({ jobs, cronjobs: [one] }) => {
        first ||= names(jobs);
        return jobs.length === 1 && names(jobs) !== first && one?.["status"].active === undefined;
      });
    },
  },
  {
    name: "cronjob allows several at once",
    async run({ create, settle }) {
      await create("cronjobs", cronJob("runs"));
      await settle("two run", ({ cronjobs: [one] }) => one?.["status"].active?.length === 2);
    },
  },
  {
    name: "cronjob replaces what still runs",
    async run({ create, settle }) {
      await create("cronjobs", cronJob("runs", { concurrencyPolicy: "Replace" }));
      await settle("one runs", ({ cronjobs: [one] }) => one?.["status"].active?.length === 1);
      let first = "";
      await settle("replaced", ({ jobs, pods }) => {
        first ||= names(jobs);
        return jobs.length === 1 && pods.length === 1 && names(jobs) !== first;
      });
    },
  },
  {
    name: "cronjob is suspended",
    async run({ create, settle }) {
      await create("cronjobs", cronJob(undefined, { suspend: true, concurrencyPolicy: "Forbid" }));
      await settle("nothing happens");
    },
  },
];
