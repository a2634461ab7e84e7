/**
 * Guards of status writes: rings around the sending of a patch that hold it back where sending would change nothing.
 * Leadership and dry run are rings, too, but around the whole client: they hold for what steps write as well.
 */
import { hash } from "node:crypto";
import type { Condition, KubernetesObject } from "@treadle/apimachinery";
import { describeMissing, fieldsOf, NOT_STORED_HINT } from "./not-stored.ts";
import type { Pass } from "../record/pass-state.ts";
import type { Setting } from "../record/progress.ts";
import { Throttle } from "../internal/throttle.ts";
import type { Send, Sent } from "../record/writer.ts";

/** A ring around {@link Send}: calls it, or holds the patch back. */
export type Guard = (pass: Pass, patch: object, send: Send) => Promise<Sent>;

/** The guards of a status write, the outermost first. */
const GUARDS: readonly Guard[] = [unlessFutile, unlessTooFast];

/** `send` behind all guards. */
export async function guarded(pass: Pass, patch: object, send: Send): Promise<Sent> {
  const rings = GUARDS.reduceRight<Send>((inner, guard) => () => guard(pass, patch, inner), send);
  return await rings();
}

/** A status write that the server would prune as it did last time is not sent. */
async function unlessFutile({ memory, clock }: Pass, patch: object, send: Send): Promise<Sent> {
  const known = memory.guards?.notStored;
  if (known !== undefined && clock.now() < known.untilMs && fingerprint(patch) === known.change) return "futile";
  return await send();
}

/** How long a CRD that prunes is taken to stay as it is: it may have been upgraded. */
const FUTILE_FOR_MS = 10 * 60_000;

/**
 * After a save: remembers what the server did not store, logs it once, and asks for the pass that tries it again. Returns
 * what Ready reports of it.
 */
export function noteNotStored(pass: Pass, missing: object | undefined, wasWritten: boolean): Setting | undefined {
  const { memory, writer, clock, pipeline } = pass;
  const known = memory.guards?.notStored;
  if (known === undefined && !wasWritten) return undefined;
  const change = fingerprint(missing);
  if (missing === undefined || change === undefined) {
    if (memory.guards !== undefined) memory.guards.notStored = undefined;
    return undefined;
  }
  const fields = describeMissing(missing, writer.newest);
  const isAsBefore = !wasWritten && known?.change === change;
  const notStored = isAsBefore && known !== undefined ? known : { change, untilMs: clock.now() + FUTILE_FOR_MS, fields };
  (memory.guards ??= {}).notStored = notStored;
  if (fields.length === 0) return undefined;
  if (known?.fields.join() !== fields.join())
    pass.log.warn(
      { fields },
      `the server accepts but does not store what the status of ${pipeline.kind.kind} should report: ${NOT_STORED_HINT}`,
    );
  pass.asked.push({ reason: "to store what the server did not store", afterMs: notStored.untilMs - clock.now() });
  return readyIn(writer.newest) === undefined ? undefined : readyOf(fields);
}

/**
 * What Ready reports before the save of a pass: what was missing last time. A new process believes the stored Ready until
 * the server has answered, so that Ready does not become True in between.
 */
export function notStoredBefore({ memory, object }: Pass): Setting | undefined {
  const ready = readyIn(object);
  if (ready === undefined) return undefined;
  const fields = memory.guards?.notStored?.fields;
  if (fields !== undefined) return fields.length === 0 ? undefined : readyOf(fields);
  return ready.reason === readyOf([]).reason ? { status: "False", reason: ready.reason, message: ready.message } : undefined;
}

/** The stored Ready. A server that drops the conditions has none, and a Ready that reports this would be dropped as well. */
function readyIn(object: KubernetesObject): Condition | undefined {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.find(({ type }) => type === "Ready");
}

function readyOf(fields: readonly string[]): Setting {
  return { status: "False", reason: "StatusNotStored", message: `the server does not store ${fields.join(", ")}: ${NOT_STORED_HINT}` };
}

/** A status that was stored already is stored so often again without a delay. Then another writer reverts it. */
const FREE_REPEATS = 10;
/** Longer than the longest delay. */
const QUIET_MS = 60_000;

/**
 * Slows down a status that another writer keeps reverting. Without it, two controllers that disagree would overwrite each
 * other as fast as the server answers. Only what was stored counts.
 */
async function unlessTooFast(pass: Pass, patch: object, send: Send): Promise<Sent> {
  const { memory, clock, log } = pass;
  // What a dry run does not write is missing in each pass.
  if (pass.env.isDryRun === true) return await send();
  const change = hash("sha1", fingerprint(patch) ?? "", "base64");
  const known = memory.guards?.repeated;
  const isRepeated = known?.change === change;
  const restMs = isRepeated ? (known.throttle?.restMs(clock.now()) ?? 0) : 0;
  if (restMs > 0) {
    pass.asked.push({ afterMs: restMs, reason: "another writer reverts the status" });
    return "too fast";
  }
  const sent = await send();
  // Most statuses are never repeated: they need no throttle.
  const throttle = isRepeated ? (known.throttle ?? new Throttle({ free: FREE_REPEATS, quietMs: QUIET_MS })) : undefined;
  (memory.guards ??= {}).repeated = { change, throttle };
  if (throttle?.add(1, clock.now()) === true)
    log.warn(
      { fields: fieldsOf(patch) },
      "the same status is written again and again, since another writer reverts it: from now on with delays",
    );
  return sent;
}

/** The text of a patch without the times in it: a condition that is never stored is new each time. */
function fingerprint(change: object | undefined): string | undefined {
  return change === undefined
    ? undefined
    : JSON.stringify(change, (key: string, value: unknown) => (key === "lastTransitionTime" ? undefined : value));
}
