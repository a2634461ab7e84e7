/**
 * Pure functions over lists of conditions. They never change their arguments. A call that changes nothing returns the same
 * list, so that callers can compare by identity.
 */
import type { Condition } from "./objects.ts";

/** A condition without its transition time, which follows from the previous condition. */
export type ConditionInput = Omit<Condition, "lastTransitionTime">;

/** The limits and patterns of metav1.Condition (k8s.io/apimachinery/pkg/apis/meta/v1/types.go). */
export const CONDITION_LIMITS: {
  readonly type: { readonly maxLength: 316; readonly pattern: string };
  readonly reason: { readonly maxLength: 1024; readonly pattern: string };
  readonly message: { readonly maxLength: 32768 };
} = {
  type: {
    maxLength: 316,
    pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
  },
  reason: { maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
  message: { maxLength: 32768 },
};

/** Returns the condition of this type, if there is one. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Tells whether there is a condition of this type with status `True`. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/**
 * Returns the list with `next` in the place of the condition of its type, or at the end.
 * The transition time is `nowMs` if the condition is new or its `status` changes. Otherwise it stays.
 */
export function setCondition(conditions: readonly Condition[] | undefined, next: ConditionInput, nowMs: number): readonly Condition[] {
  const previous = findCondition(conditions, next.type);
  const isTransition = previous?.status !== next.status;
  const lastTransitionTime = previous === undefined || isTransition ? formatTime(nowMs) : previous.lastTransitionTime;
  return mergeConditions(conditions, [{ ...next, lastTransitionTime }]);
}

/**
 * Returns the list `live` with each of `ours` in the place of the condition of its type, and without the types in `removed`.
 * New conditions are at the end, in their order. Conditions of other types do not change, also not in fields that this
 * package does not know.
 */
export function mergeConditions(
  live: readonly Condition[] | undefined,
  ours: readonly Condition[],
  removed: ReadonlySet<string> = new Set(),
): readonly Condition[] {
  const before = live ?? [];
  const byType = new Map(ours.map((condition) => [condition.type, condition]));
  const merged: Condition[] = [];
  for (const condition of before) {
    const own = byType.get(condition.type);
    byType.delete(condition.type);
    if (own !== undefined) merged.push(equalConditions(own, condition) ? condition : own);
    else if (!removed.has(condition.type)) merged.push(condition);
  }
  merged.push(...byType.values());
  const isSame = live !== undefined && merged.length === before.length && merged.every((condition, i) => condition === before[i]);
  return isSame ? before : merged;
}

/** Tells whether two conditions are equal in every field. */
export function equalConditions(a: Condition, b: Condition): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.lastTransitionTime === b.lastTransitionTime &&
    a.observedGeneration === b.observedGeneration
  );
}

/** Returns the reasons why an API server with the standard schema would refuse the condition; empty when it is valid. */
export function conditionProblems(condition: ConditionInput): readonly string[] {
  const { type, status, reason, message } = condition;
  const problems: string[] = [];
  if (!TYPE.test(type)) problems.push(`type ${JSON.stringify(type)} must match ${CONDITION_LIMITS.type.pattern}`);
  if (lengthOf(type) > CONDITION_LIMITS.type.maxLength)
    problems.push(`type is ${lengthOf(type)} characters long; at most ${CONDITION_LIMITS.type.maxLength} are allowed`);
  if (status !== "True" && status !== "False" && status !== "Unknown")
    problems.push(`status ${JSON.stringify(status)} must be "True", "False" or "Unknown"`);
  if (!isConditionReason(reason))
    problems.push(
      `reason ${JSON.stringify(cut(reason))} must be a CamelCase word: ${CONDITION_LIMITS.reason.pattern}, at most ${CONDITION_LIMITS.reason.maxLength} characters`,
    );
  if (lengthOf(message) > CONDITION_LIMITS.message.maxLength)
    problems.push(`message is ${lengthOf(message)} characters long; at most ${CONDITION_LIMITS.message.maxLength} are allowed`);
  return problems;
}

/** Tells whether Kubernetes accepts `reason` as the reason of a condition. */
export function isConditionReason(reason: string): boolean {
  return REASON.test(reason) && reason.length <= CONDITION_LIMITS.reason.maxLength;
}

/** Formats milliseconds since the epoch as RFC 3339 with whole seconds, as the API server stores times. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const TYPE = new RegExp(CONDITION_LIMITS.type.pattern);
const REASON = new RegExp(CONDITION_LIMITS.reason.pattern);

/** The server counts characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function cut(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}...` : text;
}
