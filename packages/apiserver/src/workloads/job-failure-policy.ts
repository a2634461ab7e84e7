/** Applies a Job's `podFailurePolicy` to a failed pod. Pure. */
import type { Job, Pod } from "@treadle/apimachinery/kinds";

type Rule = NonNullable<NonNullable<NonNullable<Job["spec"]>["podFailurePolicy"]>["rules"]>[number];

/** A matching rule. `action` is `FailJob`, `FailIndex`, `Ignore` or `Count`. */
export interface Finding {
  readonly action: string;
  readonly message: string;
}

/** Returns the first matching rule, or `undefined`: then the failure counts. */
export function findRule({ spec }: Job, pod: Pod): Finding | undefined {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const what = fitByExitCode(rule, pod) ?? fitByCondition(rule, pod);
    if (what !== undefined) return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${index}` };
  }
  return undefined;
}

function fitByExitCode({ onExitCodes }: Rule, { metadata, status }: Pod): string | undefined {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const code = state?.terminated?.exitCode ?? 0;
    // A container that succeeded does not explain the failure.
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (values.includes(code) === (operator === "In"))
      return `Container ${name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${code}`;
  }
  return undefined;
}

function fitByCondition({ onPodConditions = [] }: Rule, { metadata, status }: Pod): string | undefined {
  const found = onPodConditions.find((wanted) =>
    status?.conditions?.some(({ type, status: value }) => type === wanted.type && value === (wanted.status ?? "True")),
  );
  return found === undefined ? undefined : `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}
