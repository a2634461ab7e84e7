/** One run of a managed step: what its parts share. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { called, nameOfAnswer } from "@treadle/dependents/unstable/core";
import type { CleanupReq, DoReq, PostReq, StepResult, Wait } from "@treadle/reconcile";
import { type ExtensionPass, statusMessage } from "@treadle/reconcile/unstable/engine";
import { type Definition, pollMsOf } from "../definition.ts";
import { managedSteps } from "../extension.ts";
import { POLL_INTERVAL_ANNOTATION } from "../names.ts";
import type { Reason } from "../reasons.ts";
import { type Allowed, allowedFor } from "../policies.ts";
import type { Waiting } from "../provider/credential.ts";
import { parseInterval, STALE_AFTER_POLLS, transitionMs } from "../schedule.ts";
import type { Memory, State } from "../state.ts";
import type { OwnerArgs } from "../types.ts";

type Values = Readonly<Record<string, unknown>>;

/** The req of `do`, with its drafts. `spec` is a draft only of a step with `lateInitialize`. */
export type ManagedReq = DoReq<KubernetesObject, {}, {}, string, State, Memory> & {
  readonly annotations: Record<string, string>;
  readonly spec?: Record<string, unknown>;
};

/** The req of `cleanup`. */
export type ManagedCleanupReq = CleanupReq<KubernetesObject, {}, string, State, Memory>;

/** The req of `post`. */
export type ManagedPostReq = PostReq<KubernetesObject, {}, {}, string, State, Memory>;

/** One run of a managed step in a pass. */
export interface Run<Req extends ManagedReq | ManagedCleanupReq = ManagedReq | ManagedCleanupReq> {
  readonly definition: Definition;
  readonly req: Req;
  readonly state: State;
  readonly memory: Memory;
  readonly pass: ExtensionPass<Definition, {}, { readonly began: Set<string> }>;
  readonly object: KubernetesObject;
  readonly uid: string;
  readonly allowed: Allowed;
  /** The arguments that all functions of the author get. */
  readonly args: OwnerArgs<KubernetesObject, {}>;
}

/** The end of a part of the step: with a result, or because the limits of the provider do not allow a call now. */
export type Ended = { readonly type: "ended"; readonly result: StepResult<object> } | { readonly type: "waits"; readonly turn: Waiting };

/** Begins the run of a step. */
export function beginRun<Req extends ManagedReq | ManagedCleanupReq>(definition: Definition, req: Req): Run<Req> {
  const { object, memory } = req;
  const pass = managedSteps.of(req);
  pass.found.began.add(definition.name);
  memory.startedMs ??= req.now().getTime();
  if (memory.created !== undefined) pass.conceal(Object.values(memory.created.connection));
  const reads = pickReads(req.reads, definition.options.reads as Values | undefined);
  return {
    definition,
    req,
    state: req.state,
    memory,
    pass,
    object,
    uid: object.metadata.uid ?? "",
    allowed: allowedFor(object, definition.options),
    args: { object, metadata: object.metadata, spec: (object as { readonly spec?: unknown }).spec as never, reads: reads as never },
  };
}

/** The reads that the author declared, without those of the step. */
function pickReads(reads: Values, declared: Values | undefined): Values {
  return Object.fromEntries(Object.keys(declared ?? {}).map((name) => [name, reads[name]]));
}

/** An error of the author: of a function that must be pure. The engine's own errors pass through the step unchanged. */
export class AuthorError extends Error {
  override readonly name = "AuthorError";
}

/** Calls a pure function of the author. @throws AuthorError with the place, and the cause */
export function ask<Result>({ definition }: Run, member: string, call: () => Result): Result {
  try {
    return called(`managed "${definition.name}": ${member}`, call);
  } catch (cause) {
    throw new AuthorError(statusMessage(cause), { cause });
  }
}

/** Calls a pure function of the author that returns an object. @throws AuthorError with the place, also for another answer */
export function askFields(run: Run, member: string, call: () => unknown): Values {
  const answer = ask(run, member, call);
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer) && !("then" in answer)) return answer as Values;
  throw new AuthorError(`managed "${run.definition.name}": ${member} returned ${nameOfAnswer(answer)}, but must return an object`);
}

/** Sets Synced to False, and returns a wait with the message. Without `afterMs`, the next observation is a poll away. */
export function notSynced(run: Run, reason: Reason, message: string, afterMs: number = pollMs(run, "Unavailable")): Wait {
  return run.req.conditions.false(run.definition.names.synced, reason, run.pass.hide(message)).wait(afterMs);
}

/** Returns the time until the next observation in a transition, and counts it. */
export function nextLookMs({ memory, req }: Run): number {
  const nowMs = req.now().getTime();
  // A pass that an event started before it was due takes no step of the backoff.
  if (memory.dueMs === undefined || memory.dueMs <= nowMs) memory.dueMs = nowMs + transitionMs(memory.looks++);
  return memory.dueMs - nowMs;
}

/** Begins a new transition: the next observation is soon. */
export function beginTransition({ memory }: Run): void {
  memory.looks = 0;
  memory.dueMs = undefined;
}

/** Returns the interval of a settled object: the annotation, else what the author says. */
export function pollMs(run: Run, state: string): number {
  const { definition, object, memory, req } = run;
  const text = object.metadata.annotations?.[POLL_INTERVAL_ANNOTATION];
  if (text !== undefined) {
    const ms = parseInterval(text);
    if (ms !== undefined) return ms;
    if (sayOnce(memory, "poll-interval", text))
      req.log.warn(
        { annotation: text },
        `ignored the annotation ${POLL_INTERVAL_ANNOTATION}: it is not an interval such as 30s, 5m or 1h30m`,
      );
  }
  return ask(run, "pollMs", () => pollMsOf(definition, state));
}

/** Whether the last observation is too old to say anything about the resource. */
export function isStale(run: Run): boolean {
  const { memory, req } = run;
  const intervalMs = memory.intervalMs > 0 ? memory.intervalMs : pollMs(run, "Available");
  const lastMs = memory.observedMs ?? memory.startedMs ?? 0;
  return req.now().getTime() - lastMs > STALE_AFTER_POLLS * intervalMs;
}

/** Providers put ids into their errors. A failure that lasts would be said at each attempt. */
const MAX_TEXTS = 5;

/** Returns whether `text` is not what was last said of the subject. Of one subject a few texts are said, until {@link sayAgain}. */
export function sayOnce({ said }: Memory, subject: string, text: string): boolean {
  const last = said.get(subject);
  if (last?.text === text || (last !== undefined && last.count >= MAX_TEXTS)) return false;
  said.set(subject, { text, count: (last?.count ?? 0) + 1 });
  return true;
}

/** Lets the texts of a subject be said again. */
export function sayAgain({ said }: Memory, subject: string): void {
  said.delete(subject);
}
