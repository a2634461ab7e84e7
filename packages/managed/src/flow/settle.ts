/** The resource exists: its state, its fields, and the update that it needs. */
import { changesOf, type Difference, differences, differenceText } from "../compare.ts";
import { DRIFT } from "../extension.ts";
import { settledMs } from "../schedule.ts";
import type { External, ExternalStateType } from "../types.ts";
import { changed } from "./changed.ts";
import { resultOf, setOperation, withCreated } from "./create.ts";
import { lateInitialize } from "./late-initialize.ts";
import { askFields, beginTransition, type Ended, type ManagedReq, nextLookMs, pollMs, type Run } from "./run.ts";
import type { Waiting } from "../provider/credential.ts";
import type { Session } from "./session.ts";
import { type Condition, stateOf } from "./state-of.ts";

/** A resource that was observed. */
export interface Observed {
  readonly name: string;
  readonly seen: object;
  readonly want: object;
  readonly references: object;
}

/** Reports the resource, and updates it if it is not as desired. @throws CallFailed */
export async function settle(run: Run<ManagedReq>, session: Session, observed: Observed): Promise<Ended> {
  const { req, definition, state, memory, allowed, object } = run;
  const { names } = definition;
  const now = stateOf(run, observed.seen);
  memory.state = now.type;
  const external = report(run, observed, now.type);
  setReady(run, now);
  if (now.type === "Available") delete state.operation;
  if (allowed.lateInitialize && lateInitialize(run, observed.seen))
    return { type: "ended", result: req.next({ [definition.name]: withCreated(run, external) }) };

  const found = differences(observed.want, observed.seen);
  const { generation } = object.metadata;
  const isStuck = now.isTerminal && (state.failedGeneration ?? generation) === generation;
  const next = await act(run, session, { observed, found, now, isStuck });
  if (next.type === "waits") return next;
  if (now.isTerminal && generation !== undefined) state.failedGeneration = generation;
  else if (!now.isTerminal) delete state.failedGeneration;
  // Synced and UpToDate have the error of an update that is not repeated.
  if (next.isRefused !== true) req.conditions.true(names.synced, "ReconcileSuccess");
  const afterMs = next.isSettled ? restMs(run, now.type) : nextLookMs(run);
  if (next.isSettled) beginTransition(run);
  memory.last = external;
  req.revisit(afterMs, next.isSettled ? "observe again" : "observe the transition");
  if (isStuck) return { type: "ended", result: req.stop(now.message) };
  return { type: "ended", result: req.next({ [definition.name]: withCreated(run, external) }) };
}

type Acted =
  | { readonly type: "done"; readonly isSettled: boolean; readonly isRefused?: boolean }
  | { readonly type: "waits"; readonly turn: Waiting };

/** Sets UpToDate, and sends the update. No update is sent while the provider is at work, and none after a terminal failure. */
async function act(
  run: Run<ManagedReq>,
  session: Session,
  given: { readonly observed: Observed; readonly found: readonly Difference[]; readonly now: Condition; readonly isStuck: boolean },
): Promise<Acted> {
  const { req, definition, state, memory, allowed, pass, object } = run;
  const { upToDate } = definition.names;
  const { observed, found, now, isStuck } = given;
  // A failure ends the operation. The update that corrects the spec must not wait for it.
  const isBusy = TRANSITIONS.has(now.type) || (state.operation !== undefined && now.type !== "Failed");
  const isAtRest = !isBusy || isStuck;
  if (found.length === 0) {
    memory.refusedGeneration = undefined;
    req.conditions.true(upToDate, "ObserveMatched");
    memory.matchedGeneration = object.metadata.generation;
    return { type: "done", isSettled: isAtRest };
  }
  const text = differenceText(found, definition.redacted, (shown) => pass.hide(shown));
  if (isBusy || isStuck) {
    req.conditions.false(upToDate, "UpdatePending", `${text}; the update waits until the provider is ready for it`);
    return { type: "done", isSettled: isStuck };
  }
  if (!allowed.update) {
    const why = definition.options.update === undefined ? "the provider cannot update it" : "spec.managementPolicies does not allow it";
    req.conditions.false(upToDate, "UpdateRestricted", `${text}; ${why}`);
    return { type: "done", isSettled: isAtRest };
  }
  if (req.isDryRun) {
    req.log.info({ name: observed.name, differences: text }, "dry run: the external resource would be updated");
    req.conditions.false(upToDate, "UpdateRequested", text);
    return { type: "done", isSettled: true };
  }
  if (memory.refusedGeneration !== undefined && memory.refusedGeneration === object.metadata.generation)
    return { type: "done", isSettled: true, isRefused: true };
  const turn = session.turn({ isUrgent: false });
  if (turn !== undefined) {
    req.conditions.false(upToDate, "UpdatePending", text);
    return { type: "waits", turn };
  }
  await update(run, session, { observed, found, text });
  return { type: "done", isSettled: false };
}

/** The provider is at work. Unavailable and Failed may last: they are observed at the poll interval. */
const TRANSITIONS: ReadonlySet<ExternalStateType> = new Set(["Creating", "Updating", "Deleting"]);

async function update(
  run: Run<ManagedReq>,
  session: Session,
  { observed, found, text }: { readonly observed: Observed; readonly found: readonly Difference[]; readonly text: string },
): Promise<void> {
  const { req, definition, memory, pass, object } = run;
  const { options, names } = definition;
  const { name, seen, want, references } = observed;
  const changes = changesOf(want, found);
  const isDrift = memory.matchedGeneration === object.metadata.generation;
  if (isDrift) pass.count(DRIFT.name, { kind: definition.kind.kind });
  const change = { verb: "update", name, before: seen, changes, isDrift, note: `${name}: ${text}` } as const;
  await changed(run, change, async () => {
    const args = { ...session.args(), name, want, changes, seen, references };
    setOperation(run, resultOf(await session.call("update", name, () => options.update?.(args as never))));
  });
  // The count of observations goes on: a provider that never takes a value is asked more and more rarely.
  req.conditions.false(names.upToDate, "UpdateRequested", text);
}

/** Stores what the author shows of the resource, and returns the vars of the step. */
function report(run: Run<ManagedReq>, { name, seen }: Observed, type: ExternalStateType): External<unknown> {
  const { req, definition, args, pass, state } = run;
  const { options } = definition;
  const fields = options.status === undefined ? {} : askFields(run, "status", () => options.status?.(seen, args as never) ?? {});
  Object.assign(req.status as object, fields);
  const given = options.connection === undefined ? {} : askFields(run, "connection", () => options.connection?.(seen, args as never) ?? {});
  const connection = Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  pass.conceal(Object.entries(connection).flatMap(([key, value]) => (SECRET_KEY.test(key) ? [value] : [])));
  return { name, state: type, seen, connection, createdKeys: [], creation: state.made === name ? state.creates : 0 };
}

/** Connection details also hold endpoints and ports, which errors may name. */
const SECRET_KEY = /pass|secret|token|key|credential|dsn|ur[il]|connectionstring/i;

function setReady({ req, definition }: Run<ManagedReq>, { type, message }: Condition): void {
  const { ready } = definition.names;
  if (type === "Available") req.conditions.true(ready, "Available", message);
  else req.conditions.false(ready, type, message);
}

/** The time until the next poll: that of the author, but no more polls than the credential allows for all its objects. */
function restMs(run: Run<ManagedReq>, type: ExternalStateType): number {
  const intervalMs = Math.max(pollMs(run, type), run.memory.floorMs);
  return settledMs(intervalMs, run.uid, run.req.now().getTime());
}
