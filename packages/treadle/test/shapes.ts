/** Resources with built-in shapes in their specs: the CronJob of kubebuilder's tutorial, and one with a field for each shape. */
import { defineResource, type Kind } from "treadle";
import * as schemas from "treadle/schemas";
import { jobTemplateSpec, objectReference } from "treadle/schemas";
import { z } from "zod";

/** The types of `tools/controller-gen/api/v1/cronjob_types.go`, with their descriptions. */
export const CronJob = defineResource({
  group: "batch.tutorial.kubebuilder.io",
  version: "v1",
  kind: "CronJob",
  scope: "Namespaced",
  description: "CronJob is the Schema for the cronjobs API",
  spec: z.object({
    schedule: z.string().describe("schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."),
    startingDeadlineSeconds: z
      .int()
      .min(0)
      .optional()
      .describe(
        "startingDeadlineSeconds defines in seconds for starting the job if it misses scheduled time for any reason. Missed jobs executions will be counted as failed ones.",
      ),
    concurrencyPolicy: z
      .enum(["Allow", "Forbid", "Replace"])
      .default("Allow")
      .describe(
        "concurrencyPolicy specifies how to treat concurrent executions of a Job. Valid values are: Allow (default): allows CronJobs to run concurrently; Forbid: forbids concurrent runs, skipping next run if previous run hasn't finished yet; Replace: cancels currently running job and replaces it with a new one",
      ),
    suspend: z
      .boolean()
      .optional()
      .describe(
        "suspend tells the controller to suspend subsequent executions, it does not apply to already started executions. Defaults to false.",
      ),
    jobTemplate: jobTemplateSpec().describe("jobTemplate defines the job that will be created when executing a CronJob."),
    successfulJobsHistoryLimit: z
      .int32()
      .min(0)
      .optional()
      .describe(
        "successfulJobsHistoryLimit defines the number of successful finished jobs to retain. This is a pointer to distinguish between explicit zero and not specified.",
      ),
    failedJobsHistoryLimit: z
      .int32()
      .min(0)
      .optional()
      .describe(
        "failedJobsHistoryLimit defines the number of failed finished jobs to retain. This is a pointer to distinguish between explicit zero and not specified.",
      ),
  }),
  status: z.object({
    active: z.array(objectReference()).max(10).describe("active defines a list of pointers to currently running jobs."),
    lastScheduleTime: z.iso
      .datetime({ offset: true })
      .describe("lastScheduleTime defines when was the last time the job was successfully scheduled."),
  }),
});

/** The functions of `treadle/schemas` by their names. */
export const shapeNames: readonly string[] = Object.keys(schemas).toSorted();

/** A resource whose spec has a field for each function of `treadle/schemas`, with the name of the function. */
export function shapesResource(): Kind {
  const fields = Object.entries(schemas).map(([name, shape]) => [name, shape({ descriptions: false }).optional()] as const);
  return defineResource({
    group: "shapes.treadle.dev",
    version: "v1",
    kind: "Shapes",
    plural: "shapes",
    scope: "Namespaced",
    spec: z.object(Object.fromEntries<z.ZodType>(fields)),
  });
}
