/** Deletes finished Jobs after `ttlSecondsAfterFinished`. */
import { Job } from "@treadle/apimachinery/kinds";
import type { Context, Controller } from "./controller.ts";
import { finish } from "./job-verdict.ts";

export function finishedJobs({ clock, objects, as }: Context): Controller {
  const write = as("ttl-after-finished-controller");
  return {
    name: "ttl-after-finished-controller",
    kind: Job,
    async sync(key) {
      const job = objects.get(Job, key);
      const seconds = job?.spec?.ttlSecondsAfterFinished;
      const end = job === undefined ? undefined : finish(job);
      if (job === undefined || seconds === undefined || end === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
      const waitMs = Date.parse(end.lastTransitionTime ?? "") + seconds * 1000 - clock.now();
      if (waitMs > 0) return waitMs;
      await write.delete(Job, job, { propagationPolicy: "Foreground" });
      return undefined;
    },
  };
}
