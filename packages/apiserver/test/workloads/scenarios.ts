/** All scenarios of workloads. */
import type { Scenario } from "./scenario.ts";
import { autoscalers } from "./scenarios/autoscalers.ts";
import { cronJobs } from "./scenarios/cron-jobs.ts";
import { daemonSets } from "./scenarios/daemon-sets.ts";
import { definitions } from "./scenarios/definitions.ts";
import { deployments } from "./scenarios/deployments.ts";
import { events } from "./scenarios/events.ts";
import { jobs } from "./scenarios/jobs.ts";
import { policies } from "./scenarios/policies.ts";
import { replicaSets } from "./scenarios/replica-sets.ts";
import { replicationControllers } from "./scenarios/replication-controllers.ts";
import { resourceQuotas } from "./scenarios/resource-quotas.ts";
import { services } from "./scenarios/services.ts";
import { statefulSets } from "./scenarios/stateful-sets.ts";
import { volumes } from "./scenarios/volumes.ts";

export const scenarios: readonly Scenario[] = [
  // The slowest first, because they are recorded in parallel.
  ...cronJobs,
  ...autoscalers,
  ...events,
  ...deployments,
  ...replicaSets,
  ...replicationControllers,
  ...resourceQuotas,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...services,
  ...volumes,
  ...definitions,
  ...policies,
];
