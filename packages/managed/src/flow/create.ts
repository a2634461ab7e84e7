/** Creates the external resource: finalizer, then the stored record, then the call, then the name. */
import { isTerminalError } from "@treadle/reconcile";
import { createdNothing } from "../provider/cause.ts";
import { isCredentialsRefused, isThrottled } from "../provider/errors.ts";
import { DRIFT } from "../extension.ts";
import { nameProblem } from "../names.ts";
import type { CreatedDetails, CreateRecord } from "../state.ts";
import type { CallResult, External } from "../types.ts";
import { changed } from "./changed.ts";
import { decidedAtMs, type Identity, nameless } from "./identify.ts";
import { AuthorError, beginTransition, type Ended, type ManagedReq, nextLookMs, notSynced, pollMs, type Run } from "./run.ts";
import { CallFailed, type Session } from "./session.ts";

type Creatable = Exclude<Identity, { readonly type: "named" }>;

/** Creates the resource. @throws CallFailed, and what a checkpoint throws */
export async function create(
  run: Run<ManagedReq>,
  session: Session,
  given: { readonly identity: Creatable; readonly want: object; readonly references: object },
): Promise<Ended> {
  const { req, definition, allowed } = run;
  const { identity, want, references } = given;
  const name =
    identity.type === "unnamed" || definition.options.externalName === undefined ? definition.chosenName(run.object) : identity.name;
  if (req.isDryRun) {
    req.log.info({ name, want: Object.keys(want) }, "dry run: the external resource would be created");
    return { type: "ended", result: req.wait("dry run: nothing is created", pollMs(run, "Creating")) };
  }
  const turn = session.turn({ isUrgent: true });
  if (turn !== undefined) return { type: "waits", turn };
  if (definition.options.externalName !== undefined && !session.claim(name)) {
    const message = `another object is creating ${definition.kind.kind} "${name}" at the provider`;
    return { type: "ended", result: notSynced(run, "AlreadyExists", message, nextLookMs(run)) };
  }
  if (allowed.delete) await req.holdFinalizer();
  const record = begin(run, identity, name);
  await req.checkpoint();
  const { result, made } = await call(run, session, { record, name, want, references, isDrift: identity.type === "known" });
  setOperation(run, result);
  beginTransition(run);
  if (made === undefined) waitForName(run, record);
  else finish(run, record, made);
  run.memory.created = createdDetails(run, result);
  const external = {
    name: made ?? "",
    state: "Creating",
    seen: undefined,
    connection: {},
    createdKeys: [],
    creation: run.state.creates,
  } as const;
  return { type: "ended", result: req.next({ [definition.name]: withCreated(run, external) }) };
}

/** Records the create in the state, with everything that a process needs that finds it interrupted. */
function begin({ definition, state, req, uid, pass }: Run<ManagedReq>, identity: Creatable, name: string): CreateRecord {
  const startedMs = req.now().getTime();
  if (identity.type === "begun") {
    // The earlier attempt may still happen.
    state.absentUntilMs = Math.max(state.absentUntilMs ?? 0, decidedAtMs(definition, identity.record));
    const { record } = identity;
    // Never the same time again: a checkpoint without a change guards nothing.
    if (record.answeredMs === undefined)
      return (state.record = { ...record, startedMs: Math.max(startedMs, record.startedMs + 1), isRepeated: true });
  }
  if (identity.type === "known") pass.count(DRIFT.name, { kind: definition.kind.kind });
  state.creates += 1;
  const isAssigned = definition.options.externalName === undefined;
  const replaces = isAssigned && identity.type === "known" ? { replaces: identity.name } : {};
  return (state.record = { token: `${uid}-${state.creates}`, startedMs, ...(isAssigned ? replaces : { name }) });
}

/** Never throws, whatever was thrown. */
function isClassOfRefusal(error: unknown): boolean {
  try {
    return isTerminalError(error) || isThrottled(error) || isCredentialsRefused(error);
  } catch {
    return false;
  }
}

async function call(
  run: Run<ManagedReq>,
  session: Session,
  given: {
    readonly record: CreateRecord;
    readonly name: string;
    readonly want: object;
    readonly references: object;
    readonly isDrift: boolean;
  },
): Promise<{ readonly result: CallResult; readonly made: string | undefined }> {
  const { record, name, want, references, isDrift } = given;
  const { options } = run.definition;
  const subject = options.externalName === undefined ? undefined : name;
  const change = { verb: "create", name, before: undefined, changes: want as Record<string, unknown>, isDrift } as const;
  return await changed(run, change, async (named) => {
    try {
      const args = { ...session.args(), name, token: record.token, want, references };
      const result = resultOf(await session.call("create", subject, () => options.create?.(args as never)));
      const made = nameOf(run, result, name);
      named(made ?? "a resource that the provider has not named yet");
      return { result, made };
    } catch (error) {
      if (error instanceof CallFailed) noteFailure(run, record, error.cause);
      if (run.state.record === undefined) session.release();
      throw error;
    }
  });
}

/** What is known of a create that failed. Without the record, nothing was created. */
function noteFailure(run: Run<ManagedReq>, record: CreateRecord, error: unknown): void {
  const { state, req } = run;
  if (isRefusal(run, record, error)) return void delete state.record;
  if (record.isRepeated !== true && createdNothing(error)) state.record = { ...record, answeredMs: req.now().getTime() };
  req.revisit(nextLookMs(run), "the result of a create is not known");
}

/**
 * Whether the create certainly made nothing. An earlier attempt may have happened, whatever the answer to this one is. A status alone
 * may be the answer to the second of several requests of `create`. It counts only where nothing else can tell what happened. The engine's
 * own `RetryAfterError` says only when to ask again.
 */
function isRefusal({ definition }: Run, record: CreateRecord, error: unknown): boolean {
  if (record.isRepeated === true) return false;
  if (isClassOfRefusal(error)) return true;
  return record.name === undefined && definition.options.recoverCreate === undefined && createdNothing(error);
}

/** The parts of an author's result that have a meaning. A provider's own object may be returned as it is. */
export function resultOf(answer: unknown): CallResult {
  return typeof answer === "object" && answer !== null ? answer : {};
}

/** Keeps the running operation until the resource is Available. @throws AuthorError for an operation that is not plain JSON */
export function setOperation({ definition, state }: Run, { operation }: CallResult): void {
  if (operation === undefined || operation === null) return void delete state.operation;
  let text: string | undefined;
  try {
    text = JSON.stringify(operation);
  } catch {
    text = undefined;
  }
  if (text === undefined)
    throw new AuthorError(
      `managed "${definition.name}": the operation that was returned is not plain JSON: return an id, or an object of texts`,
    );
  if (text.length > MAX_OPERATION_LENGTH)
    throw new AuthorError(
      `managed "${definition.name}": the operation that was returned has ${text.length} characters, and at most ${MAX_OPERATION_LENGTH} are allowed: return its id`,
    );
  state.operation = text;
}

/** It is in the status of the object, which could not be stored at all with more than about a megabyte. */
const MAX_OPERATION_LENGTH = 65_536;

/** The name of the new resource; `undefined`: `recoverCreate` will find it. @throws AuthorError for a name that cannot be used */
function nameOf({ definition }: Run, { name }: CallResult, chosen: string): string | undefined {
  const { externalName, recoverCreate } = definition.options;
  if (externalName !== undefined) return chosen;
  if (name === undefined) return recoverCreate === undefined ? chosen : undefined;
  const problem = nameProblem(name);
  if (problem !== undefined) throw new AuthorError(`managed "${definition.name}": create returned a name that cannot be used: ${problem}`);
  return name;
}

/** The create was successful. The record stays, because nothing else leads to the resource. */
function waitForName(run: Run<ManagedReq>, record: CreateRecord): void {
  const { req, definition, state } = run;
  state.record = { ...record, answeredMs: req.now().getTime(), isNameless: true };
  req.conditions.unknown(definition.names.upToDate, "NotObserved", "the resource is not observed yet");
  req.revisit(nextLookMs(run), nameless(run).reason);
}

function finish(run: Run<ManagedReq>, record: CreateRecord, made: string): void {
  const { req, definition, state } = run;
  const { names, graceMs } = definition;
  delete state.record;
  delete state.failedGeneration;
  state.name = state.made = made;
  state.absentUntilMs = Math.max(record.isRepeated === true ? (state.absentUntilMs ?? 0) : 0, req.now().getTime() + graceMs);
  if (definition.options.externalName === undefined && made === definition.chosenName(run.object)) state.isUnseen = true;
  else delete state.isUnseen;
  req.annotations[names.annotation] = made;
  req.conditions.true(names.synced, "ReconcileSuccess");
  req.conditions.false(names.ready, "Creating", `${made} was created, and is not observed yet`);
  req.conditions.unknown(names.upToDate, "NotObserved", `${made} is not observed yet`);
  req.revisit(nextLookMs(run), "observe the created resource");
}

/** The connection details that only this call returned. They are secret from here on. */
function createdDetails({ pass, state }: Run, { connection = {} }: CallResult): CreatedDetails {
  const given = Object.entries(connection).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  pass.conceal(given.map(([, value]) => value));
  return { creation: state.creates, connection: Object.fromEntries(given) };
}

/** Adds the details that only the create returned, while no chain that got them is done. An observed value counts before them. */
export function withCreated({ memory }: Run, external: External<unknown>): External<unknown> {
  const { created } = memory;
  if (created?.creation !== external.creation) return external;
  const createdKeys = Object.keys(created.connection).filter((key) => !Object.hasOwn(external.connection, key));
  return { ...external, connection: { ...created.connection, ...external.connection }, createdKeys };
}
