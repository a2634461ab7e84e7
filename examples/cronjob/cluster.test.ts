/** Users' stories, in virtual time. */
import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { Job } from "treadle/kinds";
import { expect, test } from "vitest";
import { cronJob } from "./controller.ts";
import { CronJob } from "./cron-job.ts";
import { SCHEDULED_AT } from "./jobs.ts";

const MINUTE_MS = 60_000;

const jobTemplate = {
  metadata: { labels: { team: "reports" }, annotations: { note: "kept" } },
  spec: {
    template: {
      metadata: { labels: { app: "report" }, annotations: { also: "kept" }, finalizers: ["example.com/kept"] },
      spec: { restartPolicy: "Never" as const, containers: [{ name: "report", image: "example.com/report:1" }] },
    },
  },
};

async function started(spec: Partial<CronJob["spec"]> = {}, workloads: { readonly runSeconds?: number } = {}): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads });
  await cluster.start(cronJob);
  await cluster.create(CronJob, { metadata: { name: "report" }, spec: { schedule: "*/10 * * * *", jobTemplate, ...spec } });
  await cluster.settled();
  return cluster;
}

const namesOf = async (cluster: TestCluster): Promise<readonly string[]> =>
  (await cluster.list(Job)).map(({ metadata }) => metadata.name).toSorted();

test("a Job starts at each time of the schedule, with the labels of the template", { tags: ["memory"] }, async () => {
  await using cluster = await started();
  expect(await namesOf(cluster)).toEqual([]);
  await cluster.settled({ horizonMs: 30 * MINUTE_MS });
  expect(await cluster.list(Job)).toHaveLength(3);
  expect((await cluster.list(Job))[0]).toMatchObject({
    metadata: { labels: jobTemplate.metadata.labels, annotations: jobTemplate.metadata.annotations },
    spec: { template: { metadata: jobTemplate.spec.template.metadata } },
  });
  const live = await cluster.get(CronJob, "report");
  expect(live).toBeReady();
  expect(live?.status?.lastScheduleTime).toMatch(/:[0-5]0:00\.000Z$/);
});

test("finished Jobs above the limits are deleted, the oldest first", { tags: ["memory"] }, async () => {
  await using cluster = await started({ successfulJobsHistoryLimit: 2 });
  await cluster.settled({ horizonMs: 60 * MINUTE_MS });
  const times = (await cluster.list(Job))
    .map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT] ?? "")
    .toSorted((a, b) => a.localeCompare(b));
  expect(times).toHaveLength(2);
  expect(times.at(-1)).toBe((await cluster.get(CronJob, "report"))?.status?.lastScheduleTime);
});

test.for([
  { concurrencyPolicy: "Allow", running: 3 },
  { concurrencyPolicy: "Forbid", running: 1 },
  { concurrencyPolicy: "Replace", running: 1 },
] as const)(
  "with $concurrencyPolicy, $running long Jobs run after three starts",
  { tags: ["memory"] },
  async ({ concurrencyPolicy, running }) => {
    await using cluster = await started({ concurrencyPolicy }, { runSeconds: 3 * 3600 });
    await cluster.settled({ horizonMs: 10 * MINUTE_MS });
    const [first] = await namesOf(cluster);
    await cluster.settled({ horizonMs: 20 * MINUTE_MS });
    const names = await namesOf(cluster);
    expect(names).toHaveLength(running);
    expect(names.includes(first ?? "")).toBe(concurrencyPolicy !== "Replace");
    expect((await cluster.get(CronJob, "report"))?.status?.active).toHaveLength(running);
  },
);

test("a suspended CronJob starts no Job, and starts again afterwards", { tags: ["memory"] }, async () => {
  await using cluster = await started({ suspend: true });
  await cluster.advance(60 * MINUTE_MS);
  await cluster.settled();
  expect(await namesOf(cluster)).toEqual([]);
  expect(await cluster.get(CronJob, "report")).toHaveCondition("Scheduled", { status: "True", reason: "Suspended" });
  await cluster.update(CronJob, "report", (object) => void (object.spec.suspend = false));
  await cluster.settled();
  expect(await namesOf(cluster), "one Job for all starts that were missed").toHaveLength(1);
});

test("a CronJob that missed hundreds of starts goes on with the last one", { tags: ["memory"] }, async () => {
  await using cluster = await started({ suspend: true, schedule: "* * * * *" });
  await cluster.advance(300 * MINUTE_MS);
  await cluster.update(CronJob, "report", (object) => void (object.spec.suspend = false));
  await cluster.settled();
  expect(await namesOf(cluster)).toHaveLength(1);
  await cluster.settled({ horizonMs: 3 * MINUTE_MS });
  expect(await namesOf(cluster)).toHaveLength(4);
});

test("a Job whose start was missed for longer than its deadline does not start", { tags: ["memory"] }, async () => {
  await using cluster = await started({ suspend: true, startingDeadlineSeconds: 30 });
  await cluster.advance(15 * MINUTE_MS);
  await cluster.update(CronJob, "report", (object) => void (object.spec.suspend = false));
  await cluster.settled();
  expect(await namesOf(cluster)).toEqual([]);
});

test("an invalid schedule is reported, and not retried", { tags: ["memory"] }, async () => {
  await using cluster = await started({ schedule: "every day" });
  expect(await cluster.get(CronJob, "report")).toHaveCondition("Ready", { status: "False", reason: "InvalidSchedule" });
  await cluster.settled({ horizonMs: 60 * MINUTE_MS });
  expect(await namesOf(cluster)).toEqual([]);
});

test("a failed Job counts as failed, and a deleted CronJob takes its Jobs with it", { tags: ["memory"] }, async () => {
  await using cluster = await started({
    failedJobsHistoryLimit: 0,
    jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, backoffLimit: 0 } },
  });
  cluster.workloads.pods.fail({ exitCode: 1 });
  await cluster.settled({ horizonMs: 10 * MINUTE_MS });
  expect(await namesOf(cluster), "the failed Job is above the limit").toEqual([]);
  expect((await cluster.get(CronJob, "report"))?.status?.lastScheduleTime).toBeDefined();
  await cluster.delete(CronJob, "report");
  await cluster.settled();
  expect(await namesOf(cluster)).toEqual([]);
});
