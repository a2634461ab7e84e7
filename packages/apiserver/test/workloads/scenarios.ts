/** All scenarios of workloads. */
import type { Scenario } from "./scenario.ts";
import { cronJobs } from "./scenarios/cron-jobs.ts";
import { daemonSets } from "./scenarios/daemon-sets.ts";
import { definitions } from "./scenarios/definitions.ts";
import { deployments } from "./scenarios/deployments.ts";
import { events } from "./scenarios/events.ts";
import { jobs } from "./scenarios/jobs.ts";
import { policies } from "./scenarios/policies.ts";
import { replicaSets } from "./scenarios/replica-sets.ts";
import { services } from "./scenarios/services.ts";
import { statefulSets } from "./scenarios/stateful-sets.ts";
import { volumes } from "./scenarios/volumes.ts";

export const scenarios: readonly Scenario[] = [
  // The slowest first, because they are recorded in parallel.
  ...cronJobs,
  ...events,
  ...deployments,
  ...replicaSets,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...services,
  ...volumes,
  ...definitions,
  ...policies,
];
