/** Decides which external resource is the object's. */
import type { Wait } from "@treadle/reconcile";
import type { Definition } from "../definition.ts";
import { nameProblem } from "../names.ts";
import { type CreateRecord, operationOf } from "../state.ts";
import { ask, AuthorError, type ManagedReq, nextLookMs, notSynced, pollMs, type Run, sayOnce } from "./run.ts";
import type { Waiting } from "../provider/credential.ts";
import type { Session } from "./session.ts";

/** The identity of the external resource of an object. */
export type Identity =
  /** We saw it or created it. */
  | { readonly type: "known"; readonly name: string }
  /** The annotation names it, and we never saw it. */
  | { readonly type: "named"; readonly name: string }
  /** A create with this name has begun, and its result is not known. */
  | { readonly type: "begun"; readonly name: string; readonly record: CreateRecord }
  /**
   * The annotation names it, and a create without a name was interrupted. We may have written the annotation, whose status was lost, or
   * a person has, who may have made a typing error.
   */
  | { readonly type: "claimed"; readonly name: string; readonly record: CreateRecord }
  /** Nothing is known of it. A create would use this name. */
  | { readonly type: "free"; readonly name: string }
  /** It does not exist, and the provider will assign its name. */
  | { readonly type: "unnamed" };

/** An identity, or the reason why it is not known now. */
export type Identified = Identity | { readonly type: "halted"; readonly halt: Wait } | { readonly type: "waits"; readonly turn: Waiting };

/** Identifies the resource of an object that is not being deleted. */
export async function identify(run: Run<ManagedReq>, session: Session): Promise<Identified> {
  const { definition, state, req } = run;
  const annotated = req.annotations[definition.names.annotation];
  const invalid = invalidAnnotation(run, annotated);
  if (invalid !== undefined) return invalid;
  const { record } = state;
  if (annotated !== undefined && annotated !== record?.replaces) return byAnnotation(run, annotated);
  if (record !== undefined) return await byRecord(run, session, record);
  if (state.name !== undefined) return { type: "known", name: state.name };
  if (definition.options.externalName === undefined) return { type: "unnamed" };
  return { type: "free", name: ask(run, "externalName", () => definition.chosenName(run.object)) };
}

/** The wait for a name in the annotation that can be used; `undefined`: it can. */
export function invalidAnnotation(run: Run, annotated: string | undefined): { readonly type: "halted"; readonly halt: Wait } | undefined {
  const problem = annotated === undefined ? undefined : nameProblem(annotated);
  if (problem === undefined) return undefined;
  const message = `the annotation ${run.definition.names.annotation} cannot be used: ${problem}`;
  return { type: "halted", halt: notSynced(run, "InvalidExternalName", message) };
}

/** The annotation counts. A record says that we may have written it ourselves, or that a person answers for an interrupted create. */
function byAnnotation(run: Run<ManagedReq>, name: string): Identity {
  const { state } = run;
  const { record } = state;
  if (record !== undefined) {
    if (record.name === undefined) return { type: "claimed", name, record };
    if (record.name === name) return { type: "begun", name, record };
  }
  if (state.name === name) return { type: "known", name };
  const before = record?.name ?? state.name;
  if (before !== undefined) {
    sayRenamed(run, before, name);
    forgetResource(run);
  }
  return { type: "named", name };
}

/** Says that another resource takes the place of the one that we knew, which stays. */
export function sayRenamed({ definition, req, memory }: Run, before: string, name: string): void {
  const note = `the annotation ${definition.names.annotation} now names ${name}; ${before} stays as it is`;
  // In a deletion nothing is stored of it, and each pass finds it again.
  if (sayOnce(memory, "renamed", `${before} ${name}`)) req.event("Normal", "ExternalNameChanged", note);
}

/** Forgets what belongs to one resource, because another one takes its place. */
function forgetResource({ state, memory }: Run): void {
  for (const member of ["record", "name", "isUnseen", "absentUntilMs", "operation", "failedGeneration"] as const) delete state[member];
  for (const member of ["state", "last", "created", "matchedGeneration"] as const) memory[member] = undefined;
}

/** A create was interrupted. */
async function byRecord(run: Run<ManagedReq>, session: Session, record: CreateRecord): Promise<Identified> {
  if (record.name !== undefined) return { type: "begun", name: record.name, record };
  const { req, definition } = run;
  const result = await resultOfCreate(run, session, record);
  if (result.type === "made") {
    adopt(run, result.name);
    return { type: "known", name: result.name };
  }
  if (result.type === "nameless") return { type: "halted", halt: nameless(run) };
  if (result.type !== "nothing") return result;
  if (req.annotations[definition.names.createFailed] === record.token) delete req.annotations[definition.names.createFailed];
  return endRecord(run, record);
}

/** The result of an interrupted create whose name is not in its record. */
type CreateResult =
  | { readonly type: "made"; readonly name: string }
  /** The provider creates it, and has not named it yet. */
  | { readonly type: "nameless" }
  | { readonly type: "nothing" }
  | Extract<Identified, { readonly type: "halted" | "waits" }>;

/** Finds out what an interrupted create has made: by a person, by `recoverCreate`, or by time. @throws CallFailed */
export async function resultOfCreate(run: Run, session: Session, record: CreateRecord): Promise<CreateResult> {
  const { req, definition, object } = run;
  if (object.metadata.annotations?.[definition.names.createFailed] === record.token) return { type: "nothing" };
  if (definition.options.recoverCreate === undefined) return { type: "halted", halt: interrupted(run, record) };
  const turn = session.turn({ isUrgent: true });
  if (turn !== undefined) return { type: "waits", turn };
  const name = await recovered(run, session, record);
  if (name !== undefined) return { type: "made", name };
  if (record.isNameless === true) return { type: "nameless" };
  const restMs = decidedAtMs(definition, record) - req.now().getTime();
  if (restMs <= 0) return { type: "nothing" };
  // Synced has the error that the provider answered.
  if (record.answeredMs !== undefined)
    return { type: "halted", halt: req.wait("the provider refused the create", Math.min(nextLookMs(run), restMs)) };
  const message = `the create ${record.token} was interrupted, and may still happen`;
  const exit = req.conditions.unknown(definition.names.synced, "CreateInterrupted", message);
  return { type: "halted", halt: exit.wait(Math.min(nextLookMs(run), restMs)) };
}

/** The provider is creating the resource, and has not named it yet. */
export function nameless(run: Run): Wait {
  const { ready, synced } = run.definition.names;
  run.req.conditions.true(synced, "ReconcileSuccess");
  return run.req.conditions
    .false(ready, "Creating", "the resource was created, and the provider has not named it yet")
    .wait(nextLookMs(run));
}

/** Takes the resource that an interrupted create has made. It may be seen by `recoverCreate` before `observe` shows it. */
export function adopt({ state, definition, req }: Run<ManagedReq>, name: string): void {
  state.absentUntilMs = Math.max(state.absentUntilMs ?? 0, req.now().getTime() + definition.graceMs);
  delete state.record;
  state.name = state.made = name;
  req.annotations[definition.names.annotation] = name;
}

/** The create made nothing. */
function endRecord({ definition, state }: Run, record: CreateRecord): Identity {
  delete state.record;
  if (record.replaces !== undefined) return { type: "known", name: record.replaces };
  return definition.options.externalName === undefined ? { type: "unnamed" } : { type: "free", name: record.name ?? "" };
}

/** Asks the author's `recoverCreate`. @throws CallFailed */
export async function recovered(run: Run, session: Session, { token }: CreateRecord): Promise<string | undefined> {
  const { recoverCreate } = run.definition.options;
  const operation = operationOf(run.state);
  const answer = await session.call("recoverCreate", undefined, () => recoverCreate?.({ ...session.args(), token, operation } as never));
  if (answer === undefined || answer === null) return undefined;
  const name: unknown = typeof answer === "object" ? (answer as { readonly name?: unknown }).name : answer;
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new AuthorError(`managed "${run.definition.name}": recoverCreate returned a name that cannot be used: ${problem}`);
  return name as string;
}

/** From this time on, a resource that the provider does not show does not exist. */
export function trustedFromMs({ definition, state }: Run): number {
  const { record, absentUntilMs = 0 } = state;
  return record === undefined ? absentUntilMs : Math.max(absentUntilMs, decidedAtMs(definition, record));
}

/**
 * The time at which a create has happened, or never will: two deadlines after its begin. After an answer of the provider the call is
 * over, and only its effect may not be visible yet.
 */
export function decidedAtMs({ timeoutMs, graceMs }: Definition, { startedMs, answeredMs }: CreateRecord): number {
  return answeredMs === undefined ? startedMs + 2 * timeoutMs : answeredMs + graceMs;
}

/** Only a person can say what became of the create. */
export function interrupted(run: Run, record: CreateRecord): Wait {
  const { definition, req, memory } = run;
  const { annotation, createFailed, synced } = definition.names;
  const message =
    `the create ${record.token} was interrupted, and its result is not known: set the annotation ${annotation} to the name of the ` +
    `external resource if it exists, or ${createFailed}=${record.token} if it does not`;
  if (sayOnce(memory, "interrupted", record.token)) req.event("Warning", "CannotCreate", message);
  return req.conditions.unknown(synced, "CreateInterrupted", message).wait(pollMs(run, "Creating"));
}
