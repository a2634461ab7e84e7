/** Takes the lock of a release, or tells who has it. */
import { isAlreadyExists, isConflict, isNotFound, type Ref } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";
import { CliError } from "../../cli-error.ts";
import { type Head, readHead, writeHead } from "./head.ts";
import { type Lock, LOCK_MS, type SeenLock, viewOf } from "./lock.ts";
import { type LockedOptions, LockedRelease, newLock } from "./locked-release.ts";
import type { ReleaseRecord } from "./record.ts";

/** Who takes which release, and what for. */
export interface Acquiring extends LockedOptions {
  readonly ref: Required<Ref>;
  readonly holder: string;
  readonly command: string;
  /** Makes the state of a release that does not exist; `undefined`: it must exist. */
  readonly create: (() => ReleaseRecord) | undefined;
  /** Whether a missing namespace of the release is created. */
  readonly createsNamespace: boolean;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Tells the user why the command waits. */
  tell(text: string): void;
}

/** Time between two looks at the lock of another run, in milliseconds. */
const LOOK_MS = 1_000;

/** @throws CliError if another run changes the release, or it does not exist; errors of the client */
export async function acquire(given: Acquiring): Promise<LockedRelease> {
  const { client, ref, signal, nowMs } = given;
  const own = newLock({ ...given, nowMs: nowMs() });
  let seen: SeenLock | undefined;
  for (;;) {
    signal.throwIfAborted();
    const head = await readHead(client, ref, signal);
    // The answer to the write that took the lock was lost.
    if (head !== undefined && head.lock?.id === own.id) return new LockedRelease(head, given);
    const view = viewOf(head?.lock, seen, nowMs());
    if (view.type === "held") throw busy(ref, view.lock);
    if (view.type === "free") {
      if (view.former !== undefined) given.tell(`${view.former.holder} no longer renews its lock; this run takes the release over`);
      const taken = await take(given, head, own);
      if (taken !== undefined) return taken;
      seen = undefined;
      continue;
    }
    if (seen === undefined) given.tell(`${whoHas(ref, view.seen.lock)}; looks for up to ${LOCK_MS / 1000}s whether that run is alive`);
    seen = view.seen;
    await given.sleep(Math.min(LOOK_MS, view.leftMs), signal);
  }
}

/** Takes a free lock. `undefined`: another run was faster. */
async function take(given: Acquiring, head: Head | undefined, lock: Lock): Promise<LockedRelease | undefined> {
  const { client, signal, ref, create } = given;
  const record = head?.record ?? create?.();
  if (record === undefined) throw unknownRelease(ref);
  try {
    const stored = await writeHead(client, { record, lock, resourceVersion: head?.resourceVersion }, { signal });
    return new LockedRelease(stored, given);
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return undefined;
    if (head !== undefined || !isNotFound(error)) throw error;
    await makeNamespace(given);
    return undefined;
  }
}

async function makeNamespace({ client, ref, signal, createsNamespace }: Acquiring): Promise<void> {
  if (!createsNamespace)
    throw new CliError(
      `the namespace ${ref.namespace} of the release does not exist; add --create-namespace, or choose another one with -n`,
    );
  try {
    await client.create(Namespace, { metadata: { name: ref.namespace } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** The error for a release that does not exist. */
export function unknownRelease({ name, namespace = "" }: Ref): CliError {
  return new CliError(
    `release ${namespace}/${name} does not exist; \`treadle list -A\` shows all releases, and -n chooses the namespace of the release`,
  );
}

function whoHas({ name, namespace }: Required<Ref>, { holder, command, since }: Lock): string {
  return `release ${namespace}/${name} is being changed by ${holder} since ${since} (${command})`;
}

function busy(ref: Required<Ref>, lock: Lock): CliError {
  return new CliError(
    `${whoHas(ref, lock)}, and that run is alive; nothing was changed. Wait until it has ended, then run the command again`,
  );
}
