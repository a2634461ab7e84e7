/**
 * Computes `status.conditions` from the settings of the steps and their progress. The function is pure, so the result does not
 * depend on the order of events. docs/conditions.md has the rules.
 */
import { type Condition, conditionsWrittenBy, type KubernetesObject, mergeConditions, setCondition } from "@treadle/apimachinery";
import { KSTATUS_TYPES, kstatusOf } from "./kstatus.ts";
import { leftovers } from "./paused.ts";
import { type Candidate, governing } from "./ready-rank.ts";
import type { Pipeline, PipelineConditions } from "../build/pipeline.ts";
import type { Progress, Setting } from "../record/progress.ts";
import { endOf, notReached, type PassFacts, settingOfEnd, unknown } from "./step-settings.ts";
import { truncate } from "../internal/redact.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

export interface ConditionFacts extends PassFacts {
  readonly settings: ReadonlyMap<string, Setting | "keep">;
  /** The settings that extensions give to the conditions of their steps. @defaultValue none */
  readonly given?: ReadonlyMap<StepRuntime, Setting>;
  /** The steps whose transient failure Ready does not report yet. @defaultValue none */
  readonly hidden?: ReadonlySet<StepRuntime> | undefined;
  /** The steps for which a composite reports: their ends do not count. @defaultValue none */
  readonly reported?: { has(step: StepRuntime): boolean } | undefined;
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

  const dropped = droppedTypes(rules, now, live.writtenByUs);
  if (rules.kstatus === true) setKstatus(facts, { now, before, dropped });
  const ours: Condition[] = [];
  for (const [type, setting] of now) {
    if (setting === undefined) continue;
    const previous = before.get(type);
    const next = { type, ...setting, message: limited(setting.message), ...generationOf(facts) };
    ours.push(...setCondition(previous === undefined ? [] : [previous], next, facts.nowMs));
  }
  return mergeConditions(live.conditions, ours, dropped);
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
  const isUnreached = (facts.progress.get(step)?.type ?? "unreached") === "unreached";
  const keeps = set === "keep" || facts.type !== "full" || (isHiding(facts) && isUnreached);
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
    case "stop":
    case "failed":
      return settingOfEnd(progress);
  }
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
    const contradicting = facts.leaves.flatMap((step) => notTrue(counting(rules, step, now, before)));
    return ready.status === "True"
      ? governing(
          rules.rank,
          contradicting.filter(({ condition }) => facts.settings.has(condition.type)),
        )
      : undefined;
  }
  const isSilent = (step: StepRuntime): boolean => facts.hidden?.has(step) === true || facts.reported?.has(step) === true;
  const ends = facts.leaves.flatMap((step) => (isSilent(step) ? [] : endsOf(step, facts.progress.get(step))));
  const conditions = facts.leaves.map((step) => ({ step, of: counting(rules, step, now, before) }));
  const candidates = conditions.flatMap(({ step, of }) => [...notTrue(of), ...ends.filter((end) => end.step === step)]);
  const worst = candidates.length === 0 ? undefined : governing(rules.rank, candidates);
  const isContradicted = (): boolean =>
    conditions.some(({ of }) => notTrue(of).some(({ condition }) => now.get(condition.type) !== undefined));
  if (ready !== undefined && isHiding(facts) && ends.length === 0 && !isContradicted()) return undefined;
  if (worst !== undefined) return worst;
  const best =
    rules.rank === undefined
      ? undefined
      : governing(
          rules.rank,
          conditions.flatMap(({ of }) => of),
        );
  return best ?? { status: "True", reason: "Ready", message: "" };
}

function isHiding({ hidden }: Pick<ConditionFacts, "hidden">): boolean {
  return hidden !== undefined && hidden.size > 0;
}

/** Sets the condition that kstatus reads, and drops the other. A pass that cannot report, or keeps Ready, modifies neither. */
function setKstatus(
  facts: ConditionFacts,
  given: {
    readonly now: Map<string, Setting | undefined>;
    readonly before: ReadonlyMap<string, Condition>;
    readonly dropped: Set<string>;
  },
): void {
  const { now, before, dropped } = given;
  for (const type of KSTATUS_TYPES) dropped.delete(type);
  const ready = now.get("Ready") ?? before.get("Ready");
  const isReadyKept = isHiding(facts) && now.get("Ready") === undefined;
  if (isReadyKept || (facts.type === "gated" && facts.trouble === undefined) || ready === undefined) return;
  const found = kstatusOf({ ...facts, ready, endOf: (step) => endsOf(step, facts.progress.get(step))[0]?.setting });
  for (const type of KSTATUS_TYPES) if (type !== found?.type) dropped.add(type);
  if (found !== undefined) now.set(found.type, found.setting);
}

/** The conditions of a step that count, as Ready reports them. */
function counting(
  rules: PipelineConditions,
  step: StepRuntime,
  now: ReadonlyMap<string, Setting | undefined>,
  before: ReadonlyMap<string, Condition>,
): Candidate[] {
  return step.conditions.flatMap(({ type }) => {
    if (rules.declared.get(type)?.counts !== true) return [];
    const { status, reason, message } = now.get(type) ?? before.get(type) ?? unknown("NotReported", "");
    const said = message === "" ? (status === "True" ? "" : type) : `${type}: ${message}`;
    return [{ condition: { type, status, reason, message }, setting: { status, reason, message: said } }];
  });
}

function notTrue(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ setting }) => setting.status !== "True");
}

function deleting(facts: ConditionFacts): Setting {
  const [ended] = facts.leaves.flatMap((step) => endsOf(step, facts.progress.get(step)));
  return {
    status: "False",
    reason: "Deleting",
    message: ended?.setting.message ?? facts.trouble?.message ?? "the object is being cleaned up",
  };
}

/** What Ready reports of a step that did not continue; nothing for a step that did. */
function endsOf(step: StepRuntime, progress: Progress | undefined): readonly (Candidate & { readonly step: StepRuntime })[] {
  if (progress === undefined || progress.type === "unreached" || progress.type === "done") return [];
  const isVague = progress.type === "wait" && progress.cause?.severity === "unknown";
  const setting = endOf(step, progress);
  return [{ step, setting, condition: { type: "Ready", ...setting }, isVague }];
}

function generationOf({ generation }: { readonly generation: number | undefined }): { observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/** The conditions of an earlier version of this handler: ours by managedFields, but no longer declared. */
function droppedTypes(rules: PipelineConditions, now: ReadonlyMap<string, unknown>, writtenByUs: ReadonlySet<string>): Set<string> {
  const dropped = new Set(writtenByUs);
  for (const type of now.keys()) dropped.delete(type);
  if (rules.computesReady) dropped.delete("Ready");
  return dropped;
}
