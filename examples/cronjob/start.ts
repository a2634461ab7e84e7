/** The second step: starts a Job when it is due, and asks for the pass of the next start. */
import { controllerReference, step } from "treadle";
import { Job } from "treadle/kinds";
import { CronJob } from "./cron-job.ts";
import { jobs, SCHEDULED_AT } from "./jobs.ts";
import { startsOf, type Starts } from "./schedule.ts";

export const start = step(CronJob, {
  name: "start",
  needs: [jobs],
  conditions: ["Scheduled"],
  owns: [Job],
  async do(req) {
    const { spec, metadata } = req.object;
    const { active, last } = req.vars;
    if (spec.suspend === true) return req.conditions.true("Scheduled", "Suspended");
    const now = req.now();
    const oldest = now.getTime() - (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    const since = new Date(Math.max(Date.parse(last || (metadata.creationTimestamp ?? "")), oldest));
    let starts: Starts;
    try {
      starts = startsOf(spec.schedule, { since, now });
    } catch (error) {
      return req.conditions.false("Scheduled", "InvalidSchedule", (error as Error).message).stop();
    }
    const { due, next } = starts;
    req.revisit(next.getTime() - now.getTime(), `the next Job is due at ${next.toISOString()}`);
    req.conditions.true("Scheduled");
    if (due === undefined || (spec.concurrencyPolicy === "Forbid" && active.length > 0)) return;

    if (spec.concurrencyPolicy === "Replace")
      for (const { metadata: old } of active)
        await req.client.delete(Job, old, { preconditions: { uid: old.uid }, propagationPolicy: "Background" });
    const { metadata: { labels, annotations } = {}, spec: template } = spec.jobTemplate;
    const job = {
      metadata: {
        // One name for each start: a pass that is repeated after a crash cannot start a second Job.
        name: `${metadata.name}-${due.getTime() / 1000}`,
        labels,
        annotations: { ...annotations, [SCHEDULED_AT]: due.toISOString() },
        ownerReferences: [controllerReference(req.object)],
      },
      spec: template,
    };
    await req.client.apply(Job, job, { existing: undefined });
    req.status.lastScheduleTime = due.toISOString();
  },
});
