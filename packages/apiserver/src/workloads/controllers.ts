/** The simulated controllers of workloads, in the order in which they act on one change. */
import type { MakeController } from "./controller.ts";
import { autoscalers } from "./autoscalers.ts";
import { claims } from "./volume-claims.ts";
import { cronJobs } from "./cron-jobs.ts";
import { daemonSets } from "./daemon-sets.ts";
import { deployments } from "./deployments.ts";
import { finishedJobs } from "./finished-jobs.ts";
import { jobs } from "./jobs.ts";
import { kubelet } from "./kubelet.ts";
import { nodes } from "./nodes.ts";
import { persistentVolumes } from "./persistent-volumes.ts";
import { policyStatus } from "./policy-status.ts";
import { replicaSets, replicationControllers } from "./replica-sets.ts";
import { resourceQuotas } from "./resource-quotas.ts";
import { scheduler } from "./scheduler.ts";
import { disruptionBudgets } from "./disruption-budgets.ts";
import { endpoints, endpointSlices, loadBalancers } from "./services.ts";
import { statefulSets } from "./stateful-sets.ts";

export const controllers: readonly MakeController[] = [
  nodes,
  scheduler,
  kubelet,
  replicaSets,
  replicationControllers,
  deployments,
  jobs,
  finishedJobs,
  cronJobs,
  statefulSets,
  daemonSets,
  claims,
  persistentVolumes,
  endpoints,
  endpointSlices,
  loadBalancers,
  disruptionBudgets,
  resourceQuotas,
  autoscalers,
  policyStatus,
];
