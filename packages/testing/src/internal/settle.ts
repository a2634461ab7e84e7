/**
 * The loop that waits until an operator is settled: no pass is queued, running or due before the horizon, the server's own
 * controllers have nothing to do, and the operator's caches show everything that the server has.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isFakeClock } from "@treadle/apimachinery";
import type { Manager } from "@treadle/controller";
import type { Informer } from "@treadle/informer";
import type { Backend } from "./backend.ts";
import { hasCaughtUp } from "./caught-up.ts";
import { turn } from "./turns.ts";
import { PATIENCE_TURNS } from "./virtual-time.ts";

/** A process of an operator. */
export interface SettlingProcess {
  readonly manager: Manager;
  /** Aborted when the process is killed. */
  readonly death?: AbortSignal;
}

/** An operator to be settled. */
export interface Settling<Process extends SettlingProcess = SettlingProcess> {
  readonly backend: Backend;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Returns the process that runs; starts one if there is none. */
  process(): Process | Promise<Process>;
  /** The time up to which passes and timers are waited for. */
  horizon(): number;
  /** An earlier time to stop at before the horizon, to let others act. @defaultValue the horizon */
  end?(horizon: number): number;
  /** Whether the informer of the process is behind because a fault holds its watch. */
  isHeld(informer: Informer): boolean;
  /** Whether a fault holds a request on its way, so that time may move. */
  isBusy(): boolean;
  /** Lets something happen that waited for an idle operator. Returns whether there was something. */
  unblock?(process: Process): Promise<boolean>;
  /** Number of passes so far. */
  passes(): number;
  /** Whether the operator must be looked at again, although it is idle. @defaultValue no */
  isUnfinished?(process: Process): boolean;
}

/** Waits until the operator is settled. @throws the reason of the signal */
export async function settle<Process extends SettlingProcess>(settling: Settling<Process>): Promise<void> {
  const { backend } = settling;
  for (;;) {
    const process = await settling.process();
    const horizon = settling.horizon();
    const end = settling.end?.(horizon) ?? horizon;
    if (!(await isQuiet(settling, process, end))) continue;
    if ((await settling.unblock?.(process)) === true) continue;
    const passes = settling.passes();
    if (!(await catchesUp(settling, process, end))) continue;
    const due = backend.workloadsDue(settling.horizon());
    if (due !== undefined) {
      await backend.waitUntil(due);
      continue;
    }
    if (end < horizon || settling.isUnfinished?.(process) === true) continue;
    // A pass that ended during the comparison may have written something that is on its way to others.
    if (settling.passes() > passes) continue;
    if (process.manager.status().controllers.every(({ queued, running }) => queued + running === 0)) return;
  }
}

/** Waits until no pass is queued, running or due before `end`. Returns false if the process was killed. */
async function isQuiet(
  { backend, signal }: Pick<Settling, "backend" | "signal">,
  { manager, death }: SettlingProcess,
  end: number,
): Promise<boolean> {
  const signals = death === undefined ? signal : AbortSignal.any([signal, death]);
  try {
    await manager.settled({ horizonMs: Math.max(0, end - backend.clock.now()), signal: signals });
    return death?.aborted !== true;
  } catch (error) {
    if (death?.aborted === true && !signal.aborted) return false;
    throw error;
  }
}

type Watching = Pick<Settling, "backend" | "signal" | "isHeld" | "isBusy">;

/** Waits until the operator's caches show everything that the server has; a lost watch may need time. Returns false if the process was killed. */
async function catchesUp(settling: Watching, process: SettlingProcess, end: number): Promise<boolean> {
  const { backend, signal } = settling;
  const { clock } = backend;
  for (let turns = 0; !(await isCaughtUp(settling, process)); turns = settling.isBusy() ? 0 : turns + 1) {
    signal.throwIfAborted();
    if (process.death?.aborted === true) return false;
    const due = isFakeClock(clock) ? clock.nextDue() : undefined;
    if (due !== undefined && due <= end && turns >= PATIENCE_TURNS) await backend.waitUntil(due);
    else if (backend.isReal) await delay(POLL_MS);
    else await turn();
  }
  return process.death?.aborted !== true;
}

async function isCaughtUp({ backend, isHeld }: Watching, { manager }: SettlingProcess): Promise<boolean> {
  await backend.observe((manager.informers?.all() ?? []).map(({ kind }) => kind));
  if (!(await backend.isSettled())) return false;
  return (manager.informers?.all() ?? []).every((informer) => isHeld(informer) || hasCaughtUp(informer, backend));
}

/** Pause between two looks at a real server; each one lists every kind in use. */
const POLL_MS = 20;
