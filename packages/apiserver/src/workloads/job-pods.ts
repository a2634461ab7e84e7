/** Properties of a Job's pods for its controller. Pure. */
import type { Job, Pod } from "@treadle/apimachinery/kinds";

/** Finalizer of a finished pod until its Job has counted it. */
export const TRACKING = "batch.kubernetes.io/job-tracking";
export const INDEX = "batch.kubernetes.io/job-completion-index";
export const INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count";

export type PodOutcome = "succeeded" | "failed";

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) === true;
}

/**
 * Returns the outcome of a pod, or `undefined` while it runs. A pod that is being deleted has failed, unless
 * `podReplacementPolicy` waits for its end.
 */
export function outcomeOf(pod: Pod, job: Job): PodOutcome | undefined {
  if (pod.status?.phase === "Succeeded") return "succeeded";
  if (pod.status?.phase === "Failed") return "failed";
  return pod.metadata.deletionTimestamp !== undefined && job.spec?.podReplacementPolicy !== "Failed" ? "failed" : undefined;
}

export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns how often its index had failed before the pod was created. */
export function failuresBefore({ metadata }: Pod): number {
  const count = Number(metadata.annotations?.[INDEX_FAILURES] ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** Returns the time at which the containers of the pod ended. */
export function endOf({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const texts = ends.length > 0 ? ends : [metadata.deletionTimestamp ?? metadata.creationTimestamp ?? ""];
  return Math.max(...texts.map((text) => Date.parse(text) || 0));
}

/** Formats indexes as in `completedIndexes`: `1,3-5,7`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b);
  const texts: string[] = [];
  for (let first = 0; first < sorted.length; ) {
    let last = first;
    while (sorted[last + 1] === (sorted[last] ?? 0) + 1) last++;
    const [from, to] = [sorted[first] ?? 0, sorted[last] ?? 0];
    texts.push(from === to ? `${from}` : to === from + 1 ? `${from},${to}` : `${from}-${to}`);
    first = last + 1;
  }
  return texts.join();
}

/** Parses the text of {@link formatIndexes}, up to `count`. Other text is ignored. */
export function parseIndexes(text: string | undefined, count: number): Set<number> {
  const found = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const [, from, to] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    for (let index = Number(from); index <= Number(to ?? from) && index < count; index++) found.add(index);
  }
  return found;
}
