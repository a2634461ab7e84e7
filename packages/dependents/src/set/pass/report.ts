/** The condition and the entries of a set. They are written at the end of a wave, and otherwise at most every ten seconds. */
import { jsonEqual, keyOf } from "@treadle/apimachinery";
import { isTransient } from "@treadle/client";
import type { StepResult } from "@treadle/reconcile";
import { misuse, truncate, waitBecause } from "@treadle/reconcile/unstable/engine";
import type { NewEntry } from "../../core/entries.ts";
import { called, nameOfAnswer } from "../../core/ask.ts";
import { spentMs, tick } from "../../grace.ts";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import { entriesOf } from "./entries.ts";
import { DEFAULT_TIMEOUT_MS } from "../definition.ts";
import { GUARD_AGAIN_MS } from "./guard.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan } from "../plan/plan.ts";
import type { Run, SetDoReq } from "./run.ts";

/** The reasons of the condition of a set. */
export type SetReason =
  | "Ready"
  | "Error"
  | "Timeout"
  | "Processing"
  | "Pending"
  | "Suspended"
  | "DeletionBlocked"
  | "Deleting"
  | "TargetUnreachable"
  | "TargetRefused"
  | "TargetChanged";

/** The status of the condition for each reason. */
export const STATUS: { readonly [R in SetReason]: "True" | "False" | "Unknown" } = {
  Ready: "True",
  Error: "False",
  Timeout: "False",
  Processing: "Unknown",
  Pending: "Unknown",
  Suspended: "Unknown",
  DeletionBlocked: "Unknown",
  Deleting: "Unknown",
  TargetUnreachable: "Unknown",
  TargetRefused: "False",
  TargetChanged: "False",
};

/** Reasons whose message has totals. */
const CHANGING: readonly SetReason[] = ["Processing", "Pending", "Timeout"];

/** Totals change with each object, so they are written at most so often, in milliseconds. */
const REPORT_EVERY_MS = 10_000;

/** Reason and message of the condition. */
export interface Summary {
  readonly reason: SetReason;
  readonly message: string;
}

/** What a pass found of the objects that the set waits for. */
export interface Findings {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** The last wave that began. */
  readonly wave: number;
  /** Entries of objects that are being removed. */
  readonly leaving: readonly NewEntry[];
  /** Why a removal must not begin. */
  readonly blocker: string | undefined;
  /** Errors of removals. */
  readonly errors: readonly unknown[];
}

/** Returns reason and message after a pass that applied objects. */
export function summaryOf(run: Run<SetDoReq>, findings: Findings): Summary {
  const { outcomes, wave, leaving, blocker } = findings;
  const notReady = outcomes.filter(({ isReady }) => !isReady);
  const total = `${outcomes.length - notReady.length} of ${outcomes.length} objects are ready`;
  const failures = [
    ...notReady.filter(({ state }) => state.type === "Failed").map(sentenceOf),
    ...leaving.filter(({ type }) => type === "Failed").map(({ message }) => message),
  ];
  if (failures.length > 0) return converging(run, findings, { reason: "Error", message: listed(failures) });
  if (blocker !== undefined) return converging(run, findings, { reason: "DeletionBlocked", message: blocker });
  if (notReady.length > 0) {
    const isMissing = notReady.every(({ member }) => member.policies.apply !== wave || isOfMissingKind(member));
    const first = notReady.find(({ state }) => !state.reason.startsWith("WaitingFor")) ?? notReady[0];
    const reason = isMissing && notReady.some(({ member }) => isOfMissingKind(member) && !member.isInstance) ? "Pending" : "Processing";
    return converging(run, findings, { reason, message: `${total}, wave ${wave}${first === undefined ? "" : `: ${sentenceOf(first)}`}` });
  }
  if (leaving.length > 0)
    return converging(run, findings, {
      reason: "Processing",
      message: `${total}; ${leaving.length} are being removed: ${leaving[0]?.message ?? ""}`,
    });
  return converging(run, findings, { reason: "Ready", message: readyText(outcomes.length) });
}

/** The message of a set whose objects are all ready. */
export function readyText(count: number): string {
  return count === 1 ? "1 object is ready" : `${count} objects are ready`;
}

function isOfMissingKind({ kindState }: Outcome["member"]): boolean {
  return kindState.type === "missing";
}

function sentenceOf({ member, state }: Outcome): string {
  const title = `${member.kind.kind} ${keyOf(member.ref)}`;
  const text = state.message === "" ? state.reason : state.message;
  return text.startsWith(member.kind.kind) || text.includes(title) ? text : `${title}: ${text}`;
}

/** A condition names so many objects. */
const MAX_NAMED = 3;

function listed(texts: readonly string[]): string {
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : "";
  return `${texts.slice(0, MAX_NAMED).join("; ")}${more}`;
}

/** Keeps the clock of the time limit, and replaces the reason `Processing` when the time is over. */
function converging(run: Run<SetDoReq>, { plan }: Pick<Findings, "plan">, summary: Summary): Summary {
  const { req, pass, state } = run;
  const nowMs = pass.clock.now();
  const phase = summary.reason === "Ready" ? "over" : summary.reason === "Processing" ? "running" : "standing";
  // What a renderer makes of the live objects is progress, and no new desired state.
  const desired = run.definition.options.live === true ? plan.inputs : `${plan.inputs} ${plan.digest.slice(0, 8)}`;
  const clock = tick(state.clock, { nowMs, generation: 0, digests: { set: desired }, phase });
  if (clock !== state.clock) state.clock = clock;
  if (summary.reason !== "Processing" || clock === undefined) return summary;
  const limitMs = timeoutOf(run);
  const leftMs = limitMs - spentMs(clock, nowMs);
  if (leftMs > 0) {
    req.revisit(leftMs, "the time limit of the set");
    return summary;
  }
  return { reason: "Timeout", message: `not ready after ${Math.round(limitMs / 1000)} s: ${summary.message}` };
}

/** Stops the clock of the time limit while nothing is applied. */
export function stopClock({ state, pass }: Run<SetDoReq>): void {
  const clock = tick(state.clock, { nowMs: pass.clock.now(), generation: 0, digests: {}, phase: "standing" });
  if (clock !== state.clock) state.clock = clock;
}

function timeoutOf({ definition, context }: Run): number {
  const { options, name } = definition;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const answer: unknown = typeof timeoutMs === "function" ? called(`step "${name}": timeoutMs`, () => timeoutMs(context.owner)) : timeoutMs;
  if (typeof answer === "number" && answer > 0) return answer;
  throw misuse(
    "ERR_INVALID_STEP",
    `step "${name}": timeoutMs returned ${nameOfAnswer(answer)}, but must return a number of milliseconds above 0`,
  );
}

/** Sets condition and entries, unless they were set a moment ago and have nothing new. */
export function report(run: Run<SetDoReq>, summary: Summary, findings?: Findings): void {
  const { definition, req, pass, memory } = run;
  const type = definition.condition as never; // The step declares it.
  const previous = req.conditions.previous(type);
  const isSame = previous?.reason === summary.reason && previous.observedGeneration === req.object.metadata.generation;
  const states = findings?.outcomes.flatMap(({ member, state }) => (member.config.state === undefined ? [] : [[member.key, state]])) ?? [];
  const said = states.length === 0 ? "" : JSON.stringify(states);
  const id = `${summary.reason} ${findings?.wave ?? ""} ${findings?.plan.digest ?? ""} ${said}`;
  const nowMs = pass.clock.elapsed();
  const dueAtMs = memory.reported?.id === id ? memory.reported.atMs + REPORT_EVERY_MS : nowMs;
  if (isSame && CHANGING.includes(summary.reason) && nowMs < dueAtMs) {
    req.conditions.keep(type);
    if (summary.message !== previous?.message) req.revisit(dueAtMs - nowMs, "to report how many objects are ready");
    return;
  }
  memory.reported = { atMs: nowMs, id };
  setCondition(run, summary);
  if (findings !== undefined) pass.found.entries.set(definition.name, entriesOf(findings.outcomes, findings.leaving));
}

/** Whether the stored status reports that everything is ready, with the same entries. */
export function isReported(run: Run<SetDoReq>, { outcomes }: Findings): boolean {
  const { definition, req } = run;
  const previous = req.conditions.previous(definition.condition as never); // The step declares it.
  if (previous?.status !== "True" || previous.observedGeneration !== req.object.metadata.generation) return false;
  const stored = run.stored.list;
  const entries = entriesOf(outcomes, []);
  const isSame = (entry: NewEntry, i: number): boolean =>
    Object.entries(entry).every(([field, value]) => jsonEqual((stored[i] as unknown as Readonly<Record<string, unknown>>)[field], value));
  return stored.length === entries.length && entries.every(isSame);
}

function setCondition({ definition, req }: Run<SetDoReq>, { reason, message }: Summary): void {
  const type = definition.condition as never; // The step declares it.
  const text = truncate(message, 1_000);
  if (STATUS[reason] === "True") req.conditions.true(type, reason, text);
  else if (STATUS[reason] === "False") void req.conditions.false(type, reason, text);
  else void req.conditions.unknown(type, reason, text);
}

/** Returns how the step ends. @throws the errors of the server, so that the engine retries with its backoff */
export function resultOf(run: Run<SetDoReq>, summary: Summary, { outcomes, errors, blocker }: Findings): StepResult<{}> {
  const { req, definition } = run;
  const all = [...outcomes.flatMap(({ error }) => (error === undefined ? [] : [error])), ...errors];
  if (all.length > 0) throw joined(definition.name, all);
  if (summary.reason === "Ready") return req.next();
  const again = outcomes.flatMap(({ again: each }) => (each === undefined ? [] : [each]));
  if (blocker !== undefined) again.push(GUARD_AGAIN_MS);
  const afterMs = again.includes("backoff") ? undefined : Math.min(LOOK_AGAIN_MS, ...again.filter((each) => each !== "backoff"));
  const severity = STATUS[summary.reason] === "False" ? "failed" : "pending";
  const needsAction = outcomes.some(({ state }) => ["Contested", "Immutable", "NotOurs"].includes(state.reason));
  return waitBecause(run.pass.hide(summary.message), { code: summary.reason, severity, needsAction, afterMs });
}

/** So many errors are in the log line of a pass. */
const MAX_ERRORS = 10;

/** Returns the errors of several objects as one, those that no retry resolves first. */
export function joined(set: string, errors: readonly unknown[]): Error {
  const [first] = errors;
  if (errors.length === 1 && first instanceof Error) return first;
  const lasting = errors.filter((error) => !isTransient(error));
  return new AggregateError(
    [...lasting, ...errors.filter((error) => isTransient(error))].slice(0, MAX_ERRORS),
    `${errors.length} objects of step "${set}" failed`,
  );
}
