/** Decides whether a Job is finished, and why. Pure. */
import type { Job, Pod } from "@treadle/apimachinery/kinds";
import { isIndexed, parseIndexes } from "./job-pods.ts";
import { isActive } from "./pods.ts";

export interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** The counted pods of a Job. */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** Message of a rule of its `podFailurePolicy` that fails the Job. */
  readonly failJob: string | undefined;
}

type Condition = NonNullable<NonNullable<Job["status"]>["conditions"]>[number];

export function conditionOf({ status }: Job, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

export function isTrue(job: Job, type: string): boolean {
  return conditionOf(job, type)?.status === "True";
}

/** Returns the condition of a finished Job, Complete or Failed. */
export function finish(job: Job): Condition | undefined {
  return job.status?.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
}

/** Returns the verdict, or `undefined` while the Job continues. */
export function judge(job: Job, pods: readonly Pod[], tally: Tally, nowMs: number): Verdict | undefined {
  return decided(job) ?? failure(job, pods, tally, nowMs) ?? success(job, pods, tally);
}

/** Returns the verdict of an earlier sync, when the last pods had not ended yet. */
function decided(job: Job): Verdict | undefined {
  for (const [target, type] of [
    ["FailureTarget", "Failed"],
    ["SuccessCriteriaMet", "Complete"],
  ] as const) {
    const condition = conditionOf(job, target);
    if (condition?.status === "True") return { type, reason: condition.reason ?? "", message: condition.message ?? "" };
  }
  return undefined;
}

function failure(job: Job, pods: readonly Pod[], { failed, failedIndexes, completed, failJob }: Tally, nowMs: number): Verdict | undefined {
  const { spec } = job;
  const fail = (reason: string, message: string): Verdict => ({ type: "Failed", reason, message });
  if (failJob !== undefined) return fail("PodFailurePolicy", failJob);
  const limit = spec?.backoffLimit ?? 6;
  if (failed > limit || isPastLimitByRestarts(job, pods, limit))
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  if ((deadlineMs(job) ?? Number.POSITIVE_INFINITY) <= nowMs)
    return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  if (isIndexed(job) && spec?.backoffLimitPerIndex !== undefined && failedIndexes.size > 0) {
    if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes)
      return fail("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
    if (failedIndexes.size + completed.size >= (spec.completions ?? 0)) return fail("FailedIndexes", "Job has failed indexes");
  }
  return undefined;
}

/** Reports whether restarts in place exceed the limit. Such pods fail without ending. */
function isPastLimitByRestarts({ spec }: Job, pods: readonly Pod[], limit: number): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Returns the end of `activeDeadlineSeconds`. */
export function deadlineMs({ spec, status }: Job): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec ?? {};
  if (activeDeadlineSeconds === undefined || suspend === true || status?.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + activeDeadlineSeconds * 1000;
}

function success(job: Job, pods: readonly Pod[], { succeeded, completed }: Tally): Verdict | undefined {
  const { completions, successPolicy } = job.spec ?? {};
  const rule = isIndexed(job) ? fittingRule(successPolicy?.rules ?? [], completed, completions ?? 0) : undefined;
  if (rule !== undefined) return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  const active = pods.filter(isActive).length;
  // Without `completions` the pods decide themselves when the work is done.
  const isDone = completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
  return isDone ? { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" } : undefined;
}

interface SuccessRule {
  readonly succeededIndexes?: string | undefined;
  readonly succeededCount?: number | undefined;
}

function fittingRule(rules: readonly SuccessRule[], completed: ReadonlySet<number>, count: number): number | undefined {
  const found = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const wanted = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, count);
    const fitting = wanted === undefined ? completed.size : [...wanted].filter((index) => completed.has(index)).length;
    return fitting >= (succeededCount ?? wanted?.size ?? 0);
  });
  return found === -1 ? undefined : found;
}
