/** Counts the finished pods of a Job, each once: a pod is noted in the status, loses its finalizer, and is then counted. Pure. */
import type { Job, Pod } from "@treadle/apimachinery/kinds";
import { findRule } from "./job-failure-policy.ts";
import { failuresBefore, formatIndexes, indexOf, isIndexed, isTracked, outcomeOf, parseIndexes } from "./job-pods.ts";
import type { Tally } from "./job-verdict.ts";

export interface Counted extends Tally {
  /** Whether pods finished that were not noted before. */
  readonly hasNews: boolean;
  /** The status while the pods have their finalizers, and the status after that. */
  readonly noted: object;
  readonly final: object;
  /** Pods whose finalizers must be removed. */
  readonly done: readonly Pod[];
}

export function count(job: Job, pods: readonly Pod[]): Counted {
  const { status = {} } = job;
  const completions = job.spec?.completions ?? 0;
  const succeeded = new Set(status.uncountedTerminatedPods?.succeeded);
  const failed = new Set(status.uncountedTerminatedPods?.failed);
  const completed = parseIndexes(status.completedIndexes, completions);
  const failedIndexes = parseIndexes(status.failedIndexes, completions);
  const tracked = pods.filter((pod) => isTracked(pod) && outcomeOf(pod, job) !== undefined);
  const news = tracked.filter(({ metadata }) => !succeeded.has(metadata.uid ?? "") && !failed.has(metadata.uid ?? ""));
  let failJob: string | undefined;
  for (const pod of news) {
    const uid = pod.metadata.uid ?? "";
    const index = indexOf(pod);
    if (outcomeOf(pod, job) === "succeeded") {
      if (!isIndexed(job)) succeeded.add(uid);
      else if (index !== undefined && index < completions) completed.add(index);
      continue;
    }
    const rule = findRule(job, pod);
    if (rule?.action === "Ignore") continue;
    failed.add(uid);
    if (rule?.action === "FailJob") failJob ??= rule.message;
    const limit = job.spec?.backoffLimitPerIndex;
    if (limit !== undefined && index !== undefined && (rule?.action === "FailIndex" || failuresBefore(pod) >= limit))
      failedIndexes.add(index);
  }
  const indexes = {
    ...(isIndexed(job) && completed.size > 0 ? { completedIndexes: formatIndexes(completed) } : {}),
    ...(failedIndexes.size > 0 ? { failedIndexes: formatIndexes(failedIndexes) } : {}),
  };
  const totals = {
    succeeded: isIndexed(job) ? completed.size : (status.succeeded ?? 0) + succeeded.size,
    failed: (status.failed ?? 0) + failed.size,
  };
  return {
    ...totals,
    completed,
    failedIndexes,
    failJob,
    hasNews: news.length > 0,
    noted: { ...indexes, uncountedTerminatedPods: { ...listed("succeeded", succeeded), ...listed("failed", failed) } },
    final: {
      ...indexes,
      uncountedTerminatedPods: {},
      ...(totals.succeeded === 0 ? {} : { succeeded: totals.succeeded }),
      ...(totals.failed === 0 ? {} : { failed: totals.failed }),
    },
    done: tracked,
  };
}

function listed(field: string, uids: ReadonlySet<string>): object {
  return uids.size === 0 ? {} : { [field]: [...uids] };
}
