/** The handler: its steps, in the order in which they run. */
import { conditions, handler } from "treadle";
import { CronJob } from "./cron-job.ts";
import { jobs } from "./jobs.ts";
import { start } from "./start.ts";

export const cronJob = handler(CronJob).step(conditions()).step(jobs).step(start).build();
