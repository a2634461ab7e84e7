/**
 * The order of `do`: connection, references, identity, observe, finalizer, then create or update. Each part may end the pass with a
 * condition and a wait. The step keeps its conditions first, so that a failed observation changes Synced alone.
 */
import type { StepResult } from "@treadle/reconcile";
import type { Definition } from "../definition.ts";
import type { Waiting } from "../provider/credential.ts";
import { create, withCreated } from "./create.ts";
import { failed } from "./failed.ts";
import { adopt, identify, type Identity, recovered, trustedFromMs } from "./identify.ts";
import { observe } from "./observe.ts";
import { resolved } from "./resolved.ts";
import { askFields, beginRun, type Ended, isStale, type ManagedReq, nextLookMs, notSynced, pollMs, type Run } from "./run.ts";
import { openSession, type Session } from "./session.ts";
import { settle } from "./settle.ts";

type Result = StepResult<object>;

/** Runs the step for an object that is not being deleted. @throws what the engine retries */
export async function reconcile(definition: Definition, req: ManagedReq): Promise<Result> {
  const run = beginRun(definition, req);
  const { ready, synced, upToDate } = definition.names;
  req.conditions.keep(synced);
  for (const type of [ready, upToDate])
    if (req.conditions.previous(type) === undefined)
      req.conditions.unknown(type, "NotObserved", "the external resource is not observed yet");
    else req.conditions.keep(type);
  let session: Session | undefined;
  try {
    const opened = await openSession(run);
    if (opened.type === "halted") return opened.halt;
    ({ session } = opened);
    return await converge(run, session);
  } catch (error) {
    throw failed(run, error);
  } finally {
    session?.close();
    if (isStale(run)) req.conditions.unknown(ready, "NotObserved", "the external resource was not observed for 5 poll intervals");
  }
}

async function converge(run: Run<ManagedReq>, session: Session): Promise<Result> {
  const references = resolved(run);
  if (references.type === "halted") return references.halt;
  const identity = await identify(run, session);
  if (identity.type === "halted") return identity.halt;
  if (identity.type === "waits") return outOfTurn(run, identity.turn);
  const turn = identity.type === "unnamed" ? undefined : session.turn({ isUrgent: identity.type !== "known" });
  if (turn !== undefined) return outOfTurn(run, turn);
  const seen = identity.type === "unnamed" ? undefined : await observe(run, session, identity.name);
  const want = askFields(run, "desired", () => run.definition.options.desired({ ...run.args, references: references.names } as never));
  const ended =
    seen === undefined || identity.type === "unnamed"
      ? await absent(run, session, { identity, want, references: references.names })
      : await present(run, session, { identity, seen, want, references: references.names });
  return ended.type === "waits" ? outOfTurn(run, ended.turn) : ended.result;
}

/** The resource exists. It is the object's only if we saw it, created it, or the annotation names it. */
async function present(
  run: Run<ManagedReq>,
  session: Session,
  given: {
    readonly identity: Exclude<Identity, { readonly type: "unnamed" }>;
    readonly seen: object;
    readonly want: object;
    readonly references: object;
  },
): Promise<Ended> {
  const { req, definition, state, allowed } = run;
  const { identity, seen, want, references } = given;
  const { name } = identity;
  const { annotation } = definition.names;
  if (identity.type === "free") {
    const message = `${definition.kind.kind} "${name}" exists at the provider, and this object did not create it: to import it, set the annotation ${annotation}: ${name}`;
    req.conditions.false(definition.names.ready, "WaitingForExternal", message);
    return { type: "ended", result: notSynced(run, "AlreadyExists", message) };
  }
  // In a dry run it would end the step before it says what it would do.
  if (allowed.delete && !req.isDryRun) await req.holdFinalizer();
  if (identity.type === "named") req.event("Normal", "Imported", name);
  if (state.record !== undefined) state.made = name;
  delete state.record;
  delete state.isUnseen;
  state.name = name;
  if (req.annotations[annotation] !== name) req.annotations[annotation] = name;
  const { statusField } = definition;
  if (statusField !== undefined) (req.status as unknown as Record<string, unknown>)[statusField] = name;
  return await settle(run, session, { name, seen, want, references });
}

/** The resource does not exist, as far as the provider shows. */
async function absent(
  run: Run<ManagedReq>,
  session: Session,
  given: { readonly identity: Identity; readonly want: object; readonly references: object },
): Promise<Ended> {
  const { req, definition, state, allowed } = run;
  const { identity } = given;
  const { ready, synced, upToDate } = definition.names;
  if (identity.type === "named") return notFound(run, identity.name);
  run.memory.last = undefined;
  if ((identity.type === "known" || identity.type === "claimed") && req.now().getTime() < trustedFromMs(run))
    return notShown(run, identity.name);
  if (identity.type === "claimed") return await claimed(run, session, { ...given, identity });
  if (state.isUnseen === true) return neverSeen(run);
  req.conditions.unknown(upToDate, "NotObserved", "the external resource does not exist");
  if (allowed.create) {
    // Also if the create fails, or has to wait: a resource that was Available does not exist any more.
    req.conditions.false(ready, "Creating", "the external resource does not exist yet");
    return await create(run, session, { ...given, identity });
  }
  req.conditions.true(synced, "ReconcileSuccess");
  const why =
    definition.options.create === undefined ? "the provider cannot create it" : "spec.managementPolicies does not allow to create it";
  const exit = req.conditions.false(ready, "WaitingForExternal", `the external resource does not exist, and ${why}`);
  return { type: "ended", result: exit.wait(pollMs(run, "Unavailable")) };
}

/** The annotation names nothing. A typing error is not a request to create something. */
function notFound(run: Run<ManagedReq>, name: string): Ended {
  const { annotation, ready } = run.definition.names;
  const message = `the annotation ${annotation} names "${name}", which does not exist at the provider; nothing is created for it`;
  run.req.conditions.false(ready, "WaitingForExternal", message);
  return { type: "ended", result: notSynced(run, "ExternalNotFound", message) };
}

/** The create was successful and returned no name, and nothing has the default name. Another create would make another resource. */
function neverSeen(run: Run<ManagedReq>): Ended {
  const { definition, req, state } = run;
  const message = `create returned no name, and "${state.name}" does not exist at the provider: return { name } from create, or give recoverCreate`;
  req.conditions.false(definition.names.ready, "WaitingForExternal", message);
  return { type: "ended", result: notSynced(run, "ExternalNotFound", message) };
}

/** It is too early to trust the absence. */
function notShown(run: Run<ManagedReq>, name: string): Ended {
  const { ready, synced } = run.definition.names;
  run.req.conditions.true(synced, "ReconcileSuccess");
  run.req.conditions.false(ready, "Creating", `${name} was created, and the provider does not show it yet`);
  return { type: "ended", result: run.req.wait("the provider does not show the created resource yet", nextLookMs(run)) };
}

/** The annotation names nothing, and a create was interrupted. Only the provider can tell whether it made something. */
async function claimed(
  run: Run<ManagedReq>,
  session: Session,
  given: {
    readonly identity: Extract<Identity, { readonly type: "claimed" }>;
    readonly want: object;
    readonly references: object;
  },
): Promise<Ended> {
  const { definition, state } = run;
  const { name, record } = given.identity;
  if (definition.options.recoverCreate === undefined) return notFound(run, name);
  const turn = session.turn({ isUrgent: true });
  if (turn !== undefined) return { type: "waits", turn };
  const found = await recovered(run, session, record);
  if (found !== undefined) {
    adopt(run, found);
    return notShown(run, found);
  }
  delete state.record;
  return await absent(run, session, { ...given, identity: { type: "known", name } });
}

/**
 * The limits of the provider do not allow a call now. A settled object keeps its conditions and its vars: its poll is only late. Any
 * other object says what it waits for.
 */
function outOfTurn(run: Run<ManagedReq>, { reason, message, afterMs }: Waiting): Result {
  const { req, definition, memory, object } = run;
  const { synced } = definition.names;
  if (reason === "RateLimited") {
    if (memory.last !== undefined) {
      req.revisit(afterMs, message);
      return req.next({ [definition.name]: withCreated(run, memory.last) });
    }
    const before = req.conditions.previous(synced);
    if (before?.status === "True" && before.observedGeneration === object.metadata.generation) return req.wait(message, afterMs);
  }
  return req.conditions.false(synced, reason, message).wait(afterMs);
}
