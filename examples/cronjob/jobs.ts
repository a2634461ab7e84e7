/** The first step: looks at the Jobs of the CronJob, reports them, and deletes old ones. */
import { health, owned, step } from "treadle";
import { Job } from "treadle/kinds";
import { CronJob } from "./cron-job.ts";

/** The annotation with the start for which a Job was made. */
export const SCHEDULED_AT = "batch.tutorial.treadle.dev/scheduled-at";

const scheduledAt = ({ metadata }: Job): string => metadata.annotations?.[SCHEDULED_AT] ?? "";

/** Hands over the Jobs that run, and the last start. */
export const jobs = step(CronJob, {
  name: "jobs",
  reads: { jobs: owned(Job) },
  permissions: [{ kind: Job, verbs: ["delete"] }],
  async do(req) {
    const sorted = req.reads.jobs.toSorted((a, b) => scheduledAt(a).localeCompare(scheduledAt(b)));
    const of = (type: string): readonly Job[] => sorted.filter((job) => health(job).type === type);
    const { spec, status } = req.object;
    const active = sorted.filter((job) => !["Ready", "Failed"].includes(health(job).type));
    const last = [status?.lastScheduleTime ?? "", ...sorted.map(scheduledAt)].toSorted().at(-1) ?? "";

    req.status.active = active.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, name: metadata.name }));
    if (last !== "") req.status.lastScheduleTime = last;
    for (const [finished, limit] of [
      [of("Ready"), spec.successfulJobsHistoryLimit],
      [of("Failed"), spec.failedJobsHistoryLimit],
    ] as const) {
      const old = limit === undefined ? [] : finished.slice(0, Math.max(0, finished.length - limit));
      for (const { metadata } of old)
        await req.client.delete(Job, metadata, { preconditions: { uid: metadata.uid }, propagationPolicy: "Background" });
    }
    return req.next({ active, last });
  },
});
