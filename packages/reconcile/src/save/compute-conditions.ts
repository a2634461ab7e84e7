/**
 * Computes `status.conditions` from the settings of the steps and their progress. The function is pure, so the result does not
 * depend on the order of events. docs/conditions.md has the rules.
 */
import { type Condition, conditionsWrittenBy, type KubernetesObject, mergeConditions, setCondition } from "@treadle/apimachinery";
import { leftovers } from "./paused.ts";
import type { Pipeline, PipelineConditions } from "../build/pipeline.ts";
import type { PassType, Progress, Setting } from "../record/progress.ts";
import { reasonOf, statusMessage, truncate } from "../internal/redact.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

export interface ConditionFacts {
  readonly type: PassType;
  readonly settings: ReadonlyMap<string, Setting | "keep">;
  /** The progress of each step in list order; a missing step was not reached. */
  readonly progress: ReadonlyMap<StepRuntime, Progress>;
  readonly leaves: readonly StepRuntime[];
  /** The settings that extensions give to the conditions of their steps. @defaultValue none */
  readonly given?: ReadonlyMap<StepRuntime, Setting>;
  /** A problem that no step reports and that makes the object not ready: it breaks its schema, or a write failed. */
  readonly trouble: Setting | undefined;
  /** What Ready reports instead of True, because a part of the status is not stored. @defaultValue none */
  readonly notStored?: Setting | undefined;
  readonly generation: number | undefined;
  readonly nowMs: number;
}

/** Kubernetes refuses longer messages (metav1.Condition). */
const MAX_MESSAGE_LENGTH = 32_768;

function limited(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? truncate(message, MAX_MESSAGE_LENGTH) : message;
}

/** Computes the conditions of this handler after the pass, from those before it. Conditions of other writers are not modified. */
export function computeConditions(
  rules: PipelineConditions,
  facts: ConditionFacts,
  live: { readonly conditions: readonly Condition[] | undefined; readonly writtenByUs: ReadonlySet<string> },
): readonly Condition[] {
  const before = new Map((live.conditions ?? []).map((condition) => [condition.type, condition]));
  const now = new Map<string, Setting | undefined>();
  const isKnown = facts.type === "gated" && (before.has("Ready") || [...rules.declared.keys()].some((type) => before.has(type)));
  for (const [type, { step }] of rules.declared) now.set(type, settingOf(type, step, facts, { exists: before.has(type), isKnown }));
  // Settings of undeclared types are the engine's own, such as `Paused`.
  for (const [type, set] of facts.settings) if (!rules.declared.has(type) && set !== "keep") now.set(type, set);
  if (rules.computesReady || overridesOwner(rules, facts)) now.set("Ready", readyOf(rules, facts, now, before));
  if (facts.notStored !== undefined && now.get("Ready")?.status === "True") now.set("Ready", facts.notStored);

  const ours: Condition[] = [];
  for (const [type, setting] of now) {
    if (setting === undefined) continue;
    const previous = before.get(type);
    const next = { type, ...setting, message: limited(setting.message), ...generationOf(facts) };
    ours.push(...setCondition(previous === undefined ? [] : [previous], next, facts.nowMs));
  }
  return mergeConditions(live.conditions, ours, droppedTypes(rules, now, live.writtenByUs));
}

/** Computes the conditions at the end of a pass. Conditions of an earlier version of the handler that no step declares are dropped. */
export function finalConditions(
  pipeline: Pipeline,
  rules: PipelineConditions,
  given: { readonly facts: ConditionFacts; readonly newest: KubernetesObject; readonly before: readonly Condition[] | undefined },
): readonly Condition[] {
  const { facts, newest, before } = given;
  const ours = [...pipeline.managers].flatMap((manager) => [...conditionsWrittenBy(newest, manager)]);
  const paused = before?.some(({ type }) => type === "Paused") === true ? leftovers(pipeline, before) : [];
  return computeConditions(rules, facts, { conditions: before, writtenByUs: new Set([...ours, ...paused]) });
}

/** Computes the conditions while the first cleanup runs: Ready reports the deletion. */
export function deletingSoFar(
  rules: PipelineConditions,
  facts: ConditionFacts,
  live: readonly Condition[] | undefined,
): readonly Condition[] | undefined {
  const ready = live?.find(({ type }) => type === "Ready");
  // A step that owns Ready reports the deletion in its own words.
  const isReported = ready?.reason === "Deleting" || (rules.declared.has("Ready") && ready?.status !== "True");
  if (ready === undefined || isReported || !(rules.computesReady || rules.declared.has("Ready"))) return live;
  return setCondition(live ?? [], { type: "Ready", ...deleting(facts), ...generationOf(facts) }, facts.nowMs);
}

/** Whether the engine sets a Ready that a step owns: the step could not run, or did not report the deletion. */
function overridesOwner(rules: PipelineConditions, facts: ConditionFacts): boolean {
  if (!rules.declared.has("Ready")) return false;
  return facts.trouble !== undefined || (facts.type === "deletion" && !facts.settings.has("Ready"));
}

/** Computes the conditions for a checkpoint: only those that were set so far. */
export function conditionsSoFar(
  facts: Pick<ConditionFacts, "settings" | "generation" | "nowMs">,
  live: readonly Condition[] | undefined,
): readonly Condition[] {
  let conditions: readonly Condition[] = live ?? [];
  for (const [type, setting] of facts.settings) {
    if (setting === "keep" || type === "Ready") continue;
    conditions = setCondition(conditions, { type, ...setting, message: limited(setting.message), ...generationOf(facts) }, facts.nowMs);
  }
  return conditions;
}

/** The new value of a declared condition; undefined keeps the stored one. */
function settingOf(
  type: string,
  step: StepRuntime,
  facts: ConditionFacts,
  { exists, isKnown }: { readonly exists: boolean; readonly isKnown: boolean },
): Setting | undefined {
  const set = facts.settings.get(type);
  if (set !== undefined && set !== "keep") return set;
  const given = set === undefined ? facts.given?.get(step) : undefined;
  if (given !== undefined) return given;
  const keeps = set === "keep" || facts.type !== "full";
  if (keeps && exists) return undefined;
  // A pass that cannot report adds no conditions to an object that has some, for example those of an older version.
  if (facts.type === "gated" && isKnown) return undefined;
  if (facts.type !== "full") return unknown("NotReached", notReached(facts));
  const progress = facts.progress.get(step) ?? { type: "unreached" };
  switch (progress.type) {
    case "unreached":
      return unknown("NotReached", notReached(facts));
    case "done":
      return unknown("NotReported", `step "${step.name}" did not report it`);
    case "wait":
      return plain(waiting(progress, progress.reason));
    case "stop":
      return unknown("Stopped", progress.reason);
    case "failed":
      return failure(progress.error);
  }
}

/** The reason why the pass did not reach a step. */
export function notReached(facts: Pick<ConditionFacts, "type" | "trouble" | "leaves" | "progress">): string {
  if (facts.trouble !== undefined) return facts.trouble.message;
  for (const step of facts.leaves) {
    const progress = facts.progress.get(step);
    if (progress !== undefined && progress.type !== "done" && progress.type !== "unreached") return `waiting for step "${step.name}"`;
  }
  return facts.type === "deletion" ? "the object is being deleted" : "no pass has reached it yet";
}

/**
 * Computes Ready. It is True only if all conditions that count are True and no step waited, stopped or failed. Else the worst of
 * them decides: False before Unknown, then the order of the list, a condition before the end of its step.
 */
function readyOf(
  rules: PipelineConditions,
  facts: ConditionFacts,
  now: ReadonlyMap<string, Setting | undefined>,
  before: ReadonlyMap<string, Condition>,
): Setting | undefined {
  if (facts.type === "deletion") return deleting(facts);
  if (facts.trouble !== undefined) return facts.trouble;
  const ready = before.get("Ready");
  if (facts.type === "gated") {
    if (ready === undefined) return unknown("NotReached", notReached(facts));
    // Kept, unless it would contradict what was set before the pass ended.
    const contradicting = facts.leaves.flatMap((step) => notTrue(rules, step, now, before)).filter(({ type }) => facts.settings.has(type));
    return ready.status === "True" ? worstOf(contradicting) : undefined;
  }
  const worst = worstOf(facts.leaves.flatMap((step) => [...notTrue(rules, step, now, before), ...endOf(step, facts.progress.get(step))]));
  return worst ?? { status: "True", reason: "Ready", message: "" };
}

/** The worst setting: False, then Unknown, then a wait with the severity `unknown`; of equals the first. */
function worstOf(settings: readonly Reported[]): Setting | undefined {
  const rank = ({ status, isVague }: Reported): number => (status === "False" ? 0 : isVague === true ? 2 : 1);
  const [worst] = settings.toSorted((a, b) => rank(a) - rank(b));
  return worst && plain(worst);
}

interface Reported extends Setting {
  readonly isVague?: boolean;
}

function plain({ status, reason, message }: Setting): Setting {
  return { status, reason, message };
}

interface ReportedCondition extends Reported {
  readonly type: string;
}

/** The conditions of a step that count and are not True, as Ready reports them. */
function notTrue(
  rules: PipelineConditions,
  step: StepRuntime,
  now: ReadonlyMap<string, Setting | undefined>,
  before: ReadonlyMap<string, Condition>,
): ReportedCondition[] {
  return step.conditions.flatMap(({ type }) => {
    const { status, reason, message } = now.get(type) ?? before.get(type) ?? unknown("NotReported", "");
    if (rules.declared.get(type)?.counts !== true || status === "True") return [];
    return [{ type, status, reason, message: message === "" ? type : `${type}: ${message}` }];
  });
}

function deleting(facts: ConditionFacts): Setting {
  const [ended] = facts.leaves.flatMap((step) => endOf(step, facts.progress.get(step)));
  return { status: "False", reason: "Deleting", message: ended?.message ?? facts.trouble?.message ?? "the object is being cleaned up" };
}

/** What Ready reports of a step that did not continue; nothing for a step that did. */
function endOf(step: StepRuntime, progress: Progress | undefined): Reported[] {
  if (progress === undefined || progress.type === "unreached" || progress.type === "done") return [];
  if (progress.type === "failed") return [failure(progress.error, `step "${step.name}": `)];
  const message = `step "${step.name}": ${progress.reason}`;
  return [progress.type === "wait" ? waiting(progress, message) : unknown("Stopped", message)];
}

/** A step may wait for something that is known to be wrong, such as an object that another operator controls. */
function waiting({ cause }: Progress & { readonly type: "wait" }, message: string): Reported {
  const { code = "Waiting", severity = "pending" } = cause ?? {};
  return { status: severity === "failed" ? "False" : "Unknown", reason: code, message, isVague: severity === "unknown" };
}

/** The setting of a condition for an error. */
export function failure(error: unknown, prefix: string = ""): Setting {
  const message = statusMessage(error);
  // Errors of the engine name their step themselves.
  return {
    status: "False",
    reason: reasonOf(error),
    message: message.startsWith(prefix.replace(/: $/, "")) ? message : `${prefix}${message}`,
  };
}

function unknown(reason: string, message: string): Setting {
  return { status: "Unknown", reason, message };
}

function generationOf({ generation }: { readonly generation: number | undefined }): { observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/** The conditions of an earlier version of this handler: ours by managedFields, but no longer declared. */
function droppedTypes(rules: PipelineConditions, now: ReadonlyMap<string, unknown>, writtenByUs: ReadonlySet<string>): ReadonlySet<string> {
  const dropped = new Set(writtenByUs);
  for (const type of now.keys()) dropped.delete(type);
  if (rules.computesReady) dropped.delete("Ready");
  return dropped;
}
