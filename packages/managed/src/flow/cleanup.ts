/**
 * The deletion: policy, connection, identity, observe, then `delete`. The step is done only when the provider no longer shows a
 * resource that may exist. References are not resolved: they would block deletions.
 */
import type { Wait } from "@treadle/reconcile";
import type { Definition } from "../definition.ts";
import type { Waiting } from "../provider/credential.ts";
import { changed } from "./changed.ts";
import { failed } from "./failed.ts";
import { interrupted, invalidAnnotation, recovered, resultOfCreate, sayRenamed, trustedFromMs } from "./identify.ts";
import { observe } from "./observe.ts";
import { beginRun, type ManagedCleanupReq, nextLookMs, type Run } from "./run.ts";
import { openSession, type Session } from "./session.ts";
import { stateOf } from "./state-of.ts";

/** Runs the cleanup. Without a result the external resource no longer exists, or is left on purpose. @throws what the engine retries */
export async function cleanup(definition: Definition, req: ManagedCleanupReq): Promise<Wait | void> {
  const run = beginRun(definition, req);
  if (!run.allowed.delete) return;
  const { ready, synced, upToDate } = definition.names;
  for (const type of [synced, upToDate]) req.conditions.keep(type);
  req.conditions.false(ready, "Deleting", "the object is being deleted");
  let session: Session | undefined;
  try {
    if (!mayExist(run)) return;
    const opened = await openSession(run);
    if (opened.type === "halted") return opened.halt;
    ({ session } = opened);
    const halt = await remove(run, session);
    if (halt === undefined) session.forget();
    return halt;
  } catch (error) {
    throw failed(run, error);
  } finally {
    session?.close();
  }
}

/** Whether a create has begun, or a resource was seen or is named. */
function mayExist({ state, object, definition }: Run<ManagedCleanupReq>): boolean {
  return state.record !== undefined || state.name !== undefined || object.metadata.annotations?.[definition.names.annotation] !== undefined;
}

async function remove(run: Run<ManagedCleanupReq>, session: Session): Promise<Wait | undefined> {
  const { req, definition } = run;
  const identity = await identified(run, session);
  if (identity.type === "halted") return identity.halt;
  if (identity.type === "absent") return undefined;
  if (identity.type === "waits") return outOfTurn(run, identity.turn);
  let { name } = identity;
  const turn = session.turn({ isUrgent: true });
  if (turn !== undefined) return outOfTurn(run, turn);
  const seen = await observe(run, session, name);
  if (seen === undefined && req.now().getTime() >= trustedFromMs(run)) {
    const other = await recoveredElsewhere(run, session, name);
    if (other.type !== "named") return other.type === "waits" ? outOfTurn(run, other.turn) : undefined;
    ({ name } = other);
  }
  const isRunning = seen !== undefined && definition.options.state !== undefined && stateOf(run, seen).type === "Deleting";
  if (!isRunning) {
    const deleteTurn = session.turn({ isUrgent: true });
    if (deleteTurn !== undefined) return outOfTurn(run, deleteTurn);
    await requestDelete(run, session, { name, seen });
  }
  req.conditions.true(definition.names.synced, "ReconcileSuccess");
  const message = seen === undefined ? `${name} may have been created, and may still appear` : `${name} is being deleted`;
  return req.conditions.false(definition.names.ready, "Deleting", message).wait(nextLookMs(run));
}

type Identified =
  | { readonly type: "named"; readonly name: string }
  | { readonly type: "absent" }
  | { readonly type: "waits"; readonly turn: Waiting }
  | { readonly type: "halted"; readonly halt: Wait };

/** The resource to delete. The annotation counts, then the record of a create, then what we saw. */
async function identified(run: Run<ManagedCleanupReq>, session: Session): Promise<Identified> {
  const { definition, state, object } = run;
  const { record } = state;
  const annotated = object.metadata.annotations?.[definition.names.annotation];
  if (annotated !== undefined && annotated !== record?.replaces) {
    const invalid = invalidAnnotation(run, annotated);
    if (invalid !== undefined) return invalid;
    const before = record?.name ?? state.name;
    if (before !== undefined && before !== annotated) sayRenamed(run, before, annotated);
    return { type: "named", name: annotated };
  }
  if (record === undefined) return state.name === undefined ? { type: "absent" } : { type: "named", name: state.name };
  if (record.name !== undefined) return { type: "named", name: record.name };
  const result = await resultOfCreate(run, session, record);
  if (result.type === "made") return { type: "named", name: result.name };
  // The provider said that it creates the resource, so it will exist.
  if (result.type === "nameless") return { type: "halted", halt: interrupted(run, record) };
  return result.type === "nothing" ? { type: "absent" } : result;
}

/**
 * The annotation names nothing. If a create was interrupted, a person may have written a wrong name, and the provider knows what the
 * create has made.
 */
async function recoveredElsewhere(
  run: Run<ManagedCleanupReq>,
  session: Session,
  name: string,
): Promise<Exclude<Identified, { readonly type: "halted" }>> {
  const { record } = run.state;
  if (record === undefined || record.name !== undefined || run.definition.options.recoverCreate === undefined) return { type: "absent" };
  const turn = session.turn({ isUrgent: true });
  if (turn !== undefined) return { type: "waits", turn };
  const found = await recovered(run, session, record);
  return found === undefined || found === name ? { type: "absent" } : { type: "named", name: found };
}

/** The limits of the provider do not allow a call now. */
function outOfTurn({ req, definition }: Run<ManagedCleanupReq>, { reason, message, afterMs }: Waiting): Wait {
  return req.conditions.false(definition.names.synced, reason, message).wait(afterMs);
}

async function requestDelete(
  run: Run<ManagedCleanupReq>,
  session: Session,
  { name, seen }: { readonly name: string; readonly seen: object | undefined },
): Promise<void> {
  const { req, definition } = run;
  if (req.isDryRun) return req.log.info({ name }, "dry run: the external resource would be deleted");
  const { options } = definition;
  await changed(run, { verb: "delete", name, before: seen, changes: undefined }, async () => {
    await session.call("delete", name, () => options.delete?.({ ...session.args(), name, seen } as never));
  });
}
