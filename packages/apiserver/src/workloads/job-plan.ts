/** Plans the pods of a Job: how many to create and delete, now and later. Pure. */
import { Job, type Pod } from "@treadle/apimachinery/kinds";
import { controllerReference } from "./adoption.ts";
import { endOf, failuresBefore, INDEX, INDEX_FAILURES, indexOf, isIndexed, isTerminating, outcomeOf, TRACKING } from "./job-pods.ts";
import type { Tally } from "./job-verdict.ts";
import { isActive } from "./pods.ts";
import type { Draft } from "./writer.ts";

export interface Plan {
  readonly drafts: readonly Draft[];
  /** Number of active pods to delete. */
  readonly surplus: number;
  /** Time at which pods that wait for their back-off may be created, in milliseconds of the clock. */
  readonly laterMs: number | undefined;
}

/** kube-controller-manager's `DefaultJobPodFailureBackOff` and its maximum, in milliseconds. */
const FIRST_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 600_000;
/** Maximum number of pods that one sync creates, as in the real controller. */
const BURST = 500;

export function missingPods(job: Job, pods: readonly Pod[], tally: Tally, nowMs: number): Plan {
  const active = pods.filter((pod) => isActive(pod) || (isTerminating(pod) && job.spec?.podReplacementPolicy === "Failed"));
  const wanted = wantedActive(job, active.length, tally.succeeded);
  const missing = Math.min(wanted - active.length, BURST);
  if (missing <= 0) return { drafts: [], surplus: Math.max(0, active.length - wanted), laterMs: undefined };
  if (!isIndexed(job)) {
    const untilMs = backOffEnd(job, pods);
    if (untilMs > nowMs) return { drafts: [], surplus: 0, laterMs: untilMs };
    return { drafts: Array.from({ length: missing }, () => draftOf(job, undefined, 0)), surplus: 0, laterMs: undefined };
  }
  return indexedPlan(job, pods, { active, missing, tally, nowMs });
}

function wantedActive({ spec }: Job, active: number, succeeded: number): number {
  const { completions, parallelism = 1 } = spec ?? {};
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded));
  // After the first success no new pods are created; the others finish.
  return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
}

interface Indexed {
  readonly active: readonly Pod[];
  readonly missing: number;
  readonly tally: Tally;
  readonly nowMs: number;
}

function indexedPlan(job: Job, pods: readonly Pod[], { active, missing, tally, nowMs }: Indexed): Plan {
  const taken = new Set([...active.map(indexOf), ...tally.completed, ...tally.failedIndexes]);
  const isPerIndex = job.spec?.backoffLimitPerIndex !== undefined;
  const drafts: Draft[] = [];
  const later: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && drafts.length + later.length < missing; index++) {
    if (taken.has(index)) continue;
    const own = isPerIndex ? pods.filter((pod) => indexOf(pod) === index) : pods;
    const failures = Math.max(0, ...own.filter((pod) => outcomeOf(pod, job) === "failed").map((pod) => failuresBefore(pod) + 1));
    const untilMs = isPerIndex ? backOffEnd(job, own, failures) : backOffEnd(job, own);
    if (untilMs > nowMs) later.push(untilMs);
    else drafts.push(draftOf(job, index, failures));
  }
  return { drafts, surplus: 0, laterMs: later.length === 0 ? undefined : Math.min(...later) };
}

/** Returns when the next pod may be created after the failures since the last success. Failed pods that no longer exist are unknown. */
function backOffEnd(job: Job, pods: readonly Pod[], known?: number): number {
  const ended = (outcome: string): readonly number[] => pods.filter((pod) => outcomeOf(pod, job) === outcome).map(endOf);
  const success = Math.max(0, ...ended("succeeded"));
  const failures = ended("failed").filter((ms) => ms > success);
  const times = known ?? failures.length;
  if (failures.length === 0 || times === 0) return 0;
  return Math.max(...failures) + Math.min(FIRST_BACK_OFF_MS * 2 ** (times - 1), MAX_BACK_OFF_MS);
}

type PodSpec = NonNullable<Pod["spec"]>;

function draftOf(job: Job, index: number | undefined, failures: number): Draft {
  const { metadata = {}, spec = { containers: [] } } = job.spec?.template ?? {};
  const isOnIndex = index !== undefined;
  const annotations = {
    ...metadata.annotations,
    ...(isOnIndex ? { [INDEX]: String(index) } : {}),
    ...(isOnIndex && job.spec?.backoffLimitPerIndex !== undefined ? { [INDEX_FAILURES]: String(failures) } : {}),
  };
  return {
    metadata: {
      generateName: isOnIndex ? `${job.metadata.name}-${index}-` : `${job.metadata.name}-`,
      labels: { ...metadata.labels, ...(isOnIndex ? { [INDEX]: String(index) } : {}) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      finalizers: [...(metadata.finalizers ?? []), TRACKING],
      ownerReferences: [controllerReference(Job, job)],
    },
    spec: isOnIndex ? withIndex(spec as PodSpec, job.metadata.name, index) : spec,
  };
}

/** Adds the index to the environment of the containers, and to the host name. */
function withIndex(spec: PodSpec, name: string, index: number): PodSpec {
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${INDEX}']` } },
  };
  const add = (containers: PodSpec["containers"]): PodSpec["containers"] =>
    containers.map((one) => (one.env?.some((each) => each.name === variable.name) ? one : { ...one, env: [...(one.env ?? []), variable] }));
  const init = spec.initContainers === undefined ? {} : { initContainers: add(spec.initContainers) };
  return { ...spec, hostname: spec.hostname ?? `${name}-${index}`, containers: add(spec.containers), ...init };
}
