/** The resource: a schedule, and the template of the Jobs that it starts. */
import { defineResource, type ObjectOf } from "treadle";
import { jobTemplateSpec, objectReference } from "treadle/schemas";
import { z } from "zod";

export const CronJob = defineResource({
  group: "batch.tutorial.treadle.dev",
  version: "v1",
  kind: "CronJob",
  scope: "Namespaced",
  description: "Starts Jobs on a schedule.",
  spec: z.object({
    schedule: z.string().min(1).describe("Schedule in cron format, in UTC."),
    startingDeadlineSeconds: z.int32().min(0).optional().describe("Time in which a missed Job may still start. Default: no limit."),
    concurrencyPolicy: z
      .enum(["Allow", "Forbid", "Replace"])
      .default("Allow")
      .describe("What happens when a Job is due while another one runs: both run, the new one is skipped, or it replaces the old one."),
    suspend: z.boolean().optional().describe("Whether no more Jobs are started."),
    jobTemplate: jobTemplateSpec().describe("The Job to start."),
    successfulJobsHistoryLimit: z.int32().min(0).optional().describe("Number of complete Jobs to keep. Default: all."),
    failedJobsHistoryLimit: z.int32().min(0).optional().describe("Number of failed Jobs to keep. Default: all."),
  }),
  status: z.object({
    active: z.array(objectReference()).optional().describe("The Jobs that run."),
    lastScheduleTime: z.iso.datetime().optional().describe("The last time for which a Job was started."),
  }),
  printerColumns: [
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
    { name: "Last", type: "date", jsonPath: ".status.lastScheduleTime" },
  ],
});
export interface CronJob extends ObjectOf<typeof CronJob> {}
