/** The CronJob controller: creates a Job at each time of the schedule, as `concurrencyPolicy` allows, and keeps the last few Jobs. */
import { formatTime, jsonEqual } from "@treadle/apimachinery";
import { CronJob, Job } from "@treadle/apimachinery/kinds";
import { controllerReference } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { parseSchedule, type Schedule } from "./cron-schedule.ts";
import { finish } from "./job-verdict.ts";
import { controllersIn } from "./objects.ts";
import { type Draft, RefusedError } from "./writer.ts";

type Status = NonNullable<CronJob["status"]>;
type Active = NonNullable<Status["active"]>;

export function cronJobs({ clock, objects, events, as }: Context): Controller {
  const write = as("cronjob-controller");
  const record = events.recorder("cronjob-controller");
  return {
    name: "cronjob-controller",
    kind: CronJob,
    watches: [watch(Job, controllersIn(CronJob))],
    async sync(key) {
      const cron = objects.get(CronJob, key);
      if (cron?.spec === undefined || cron.metadata.deletionTimestamp !== undefined) return undefined;
      noteEnded(cron, await forget(cron));
      await tell(cron, { ...cron.status, ...seen(cron) });
      const schedule = parseSchedule(cron.spec.schedule, cron.spec.timeZone);
      if (schedule === undefined || cron.spec.suspend === true) return undefined;
      const nowMs = clock.now();
      const dueMs = dueTime(cron, schedule, nowMs);
      if (dueMs !== undefined) await start(key, dueMs);
      const next = schedule.next(nowMs);
      return next === undefined ? undefined : next - nowMs;
    },
  };

  function jobsOf(cron: CronJob): readonly Job[] {
    return objects.controlled(Job, cron);
  }

  /** Deletes the oldest finished Jobs, and returns them. */
  async function forget(cron: CronJob): Promise<readonly Job[]> {
    const deleted: Job[] = [];
    const limits = { Complete: cron.spec?.successfulJobsHistoryLimit ?? 3, Failed: cron.spec?.failedJobsHistoryLimit ?? 1 };
    for (const [type, limit] of Object.entries(limits)) {
      const ended = jobsOf(cron).filter((job) => job.metadata.deletionTimestamp === undefined && finish(job)?.type === type);
      const oldest = ended.toSorted((a, b) => startOf(a) - startOf(b)).slice(0, Math.max(0, ended.length - limit));
      for (const job of oldest) await remove(cron, job);
      deleted.push(...oldest);
    }
    return deleted;
  }

  async function create(cron: CronJob, draft: Draft): Promise<void> {
    try {
      const job = await write.create(Job, cron.metadata.namespace, draft);
      record(CronJob, cron, { reason: "SuccessfulCreate", message: `Created job ${job.metadata.name}` });
    } catch (error) {
      if (error instanceof RefusedError && !error.isOfEndingNamespace)
        record(CronJob, cron, { type: "Warning", reason: "FailedCreate", message: `Error creating job: ${error.message}` });
      throw error;
    }
  }

  async function remove(cron: CronJob, job: Job): Promise<void> {
    await write.delete(Job, job, { propagationPolicy: "Background" });
    record(CronJob, cron, { reason: "SuccessfulDelete", message: `Deleted job ${job.metadata.name}` });
  }

  /** Reports what happened to the Jobs of the status since it was written. Only the deletion of a deleted one is reported. */
  function noteEnded(cron: CronJob, deleted: readonly Job[]): void {
    for (const { uid, name = "" } of cron.status?.active ?? []) {
      if (deleted.some(({ metadata }) => metadata.uid === uid)) continue;
      const job = jobsOf(cron).find(({ metadata }) => metadata.uid === uid);
      const end = job === undefined ? undefined : finish(job);
      if (job === undefined) record(CronJob, cron, { reason: "MissingJob", message: `Active job went missing: ${name}` });
      else if (end !== undefined)
        record(CronJob, cron, { reason: "SawCompletedJob", message: `Saw completed job: ${name}, condition: ${end.type}` });
    }
  }

  /** Returns the status that follows from the existing Jobs. */
  function seen(cron: CronJob): Partial<Status> {
    const jobs = jobsOf(cron);
    const running = new Map(jobs.filter((job) => finish(job) === undefined).map((job) => [job.metadata.uid ?? "", job]));
    const known = (cron.status?.active ?? []).filter(({ uid }) => running.has(uid ?? ""));
    const others = [...running.values()].filter(({ metadata }) => !known.some(({ uid }) => uid === metadata.uid));
    const ends = jobs.flatMap((job) => (finish(job)?.type === "Complete" ? (job.status?.completionTime ?? []) : []));
    const lastSuccessfulTime = [...ends, cron.status?.lastSuccessfulTime ?? ""].toSorted().at(-1);
    const active = [...known, ...others.map(referenceTo)] as Active;
    const found = { active: active.length === 0 ? undefined : active, ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}) };
    return found as Partial<Status>; // what is undefined is not written
  }

  /** Returns the newest time without a Job that is not too old to start. */
  function dueTime({ metadata, spec, status }: CronJob, schedule: Schedule, nowMs: number): number | undefined {
    const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "");
    const { startingDeadlineSeconds } = spec ?? {};
    const oldest = startingDeadlineSeconds === undefined ? since : Math.max(since, nowMs - startingDeadlineSeconds * 1000 - 1);
    return schedule.last(oldest, nowMs);
  }

  async function start(key: string, dueMs: number): Promise<void> {
    const cron = objects.get(CronJob, key);
    if (cron === undefined) return;
    const { concurrencyPolicy } = cron.spec ?? {};
    const running = jobsOf(cron).filter((job) => finish(job) === undefined && job.metadata.deletionTimestamp === undefined);
    if (concurrencyPolicy === "Forbid" && running.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      record(CronJob, cron, { reason: "JobAlreadyActive", message });
      return;
    }
    if (concurrencyPolicy === "Replace") for (const job of running) await remove(cron, job);
    // The Job already exists: the status was not written when it was created.
    if (objects.get(Job, `${cron.metadata.namespace}/${nameOf(cron, dueMs)}`) === undefined) await create(cron, jobOf(cron, dueMs));
    const now = objects.get(CronJob, key) ?? cron;
    await tell(now, { ...now.status, ...seen(now), lastScheduleTime: formatTime(dueMs) });
  }

  async function tell(cron: CronJob, status: object): Promise<void> {
    const wanted = JSON.parse(JSON.stringify(status)) as Status; // without what is undefined
    if (!jsonEqual(wanted, cron.status ?? {})) await write.updateStatus(CronJob, { ...cron, status: wanted } as CronJob);
  }
}

function startOf({ metadata, status }: Job): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? "");
}

function referenceTo({ metadata: { name, namespace, uid, resourceVersion } }: Job): object {
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}

/** Names a Job after the minute, so that no minute has two Jobs. */
function nameOf({ metadata }: CronJob, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

function jobOf(cron: CronJob, dueMs: number): Draft {
  const { metadata = {}, spec } = cron.spec?.jobTemplate ?? {};
  const timeZone = cron.spec?.timeZone;
  return {
    metadata: {
      name: nameOf(cron, dueMs),
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": inZone(dueMs, timeZone) },
      ownerReferences: [controllerReference(CronJob, cron)],
    },
    spec,
  };
}

/** Formats a time in a time zone as Go does. */
function inZone(ms: number, timeZone: string | undefined): string {
  if (timeZone === undefined) return formatTime(ms);
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const offset =
    format
      .formatToParts(ms)
      .find(({ type }) => type === "timeZoneName")
      ?.value.slice("GMT".length) ?? "";
  if (offset === "") return formatTime(ms);
  const [hours, minutes] = offset.slice(1).split(":").map(Number);
  const shift = ((hours ?? 0) * 60 + (minutes ?? 0)) * (offset.startsWith("-") ? -60_000 : 60_000);
  return `${formatTime(ms + shift).replace("Z", "")}${offset}`;
}
