/**
 * Brings a release to a desired state: the shared part of `apply`, `rollback` and `adopt`.
 *
 * The order makes each step safe to repeat after a kill:
 * 1. take the lock, 2. look at what would change, and refuse what cannot work, 3. store the revision, 4. let the state name it,
 * 5. run the engine, which stores what it needs before each write, 6. store how it ended, 7. remove old revisions, 8. unlock.
 */
import { type KubernetesObject, sleep as pause, systemClock } from "@treadle/apimachinery";
import { RunCluster } from "@treadle/dependents/unstable/run";
import { CliError } from "../../cli-error.ts";
import { failureText } from "../../failure.ts";
import { idOf, type ObjectName } from "../../cluster/object-name.ts";
import type { Change } from "../preview/changes.ts";
import { preview } from "../preview/preview.ts";
import { refusalText } from "../preview/refusal.ts";
import type { ReleaseContext } from "../session.ts";
import { acquire } from "../store/acquire.ts";
import { deleteRevision, listRevisionNumbers, readRevision, writeRevision } from "../store/head.ts";
import { type LockedRelease, timeOf } from "../store/locked-release.ts";
import { digestOfData, encoded, newRecord, type Outcome, type ReleaseRecord, type RevisionRecord } from "../store/record.ts";
import { converge, type Converged, notingDeletes } from "./converge.ts";
import { endText } from "./progress.ts";
import type { WriteRules } from "./engine.ts";

/** The desired state of a release. */
export type Desired = Pick<RevisionRecord, "objects" | "sources" | "values" | "targetNamespace" | "cause">;

/** A change of a release. */
export interface ChangeRequest {
  readonly command: string;
  /** Whether the release may be new. */
  readonly creates: boolean;
  /** Makes the desired state. `record` is the present state. */
  make(record: ReleaseRecord): Promise<Desired>;
  readonly rules: WriteRules;
  /** Whether fields of other managers are taken. */
  readonly forces: boolean;
  readonly waits: boolean;
  readonly timeoutMs: number;
  /** Number of revisions that are kept. */
  readonly historyMax: number;
}

/** What a change did. */
export interface ChangeResult extends Converged {
  readonly revision: number;
  readonly isNewRevision: boolean;
  readonly targetNamespace: string;
  readonly changes: readonly Change[];
  readonly deleted: readonly ObjectName[];
}

/** @throws CliError for what cannot work: then nothing was changed. Errors of the client, and the reason of Ctrl-C */
export async function change(context: ReleaseContext, request: ChangeRequest): Promise<ChangeResult> {
  const release = await locked(context, request);
  try {
    return await changed(context, request, release);
  } finally {
    await released(release);
  }
}

/** Takes the lock. @throws as {@link acquire} */
export async function locked(
  { session, terminal, ref, holder }: ReleaseContext,
  { command, creates, rules }: Pick<ChangeRequest, "command" | "creates"> & { readonly rules?: WriteRules },
): Promise<LockedRelease> {
  return await acquire({
    client: session.lasting,
    // The lock is given back after Ctrl-C, so its requests have a signal of their own.
    signal: new AbortController().signal,
    ref,
    holder: `${holder} (pid ${process.pid})`,
    command,
    create: creates ? () => newRecord(ref, ref.namespace, timeOf(terminal.nowMs())) : undefined,
    createsNamespace: rules?.createsNamespaces === true,
    nowMs: () => terminal.nowMs(),
    sleep: (ms, signal) => terminal.sleep(ms, AbortSignal.any([signal, session.signal])),
    tell: (text) => terminal.err(`${text}\n`),
  });
}

/** Gives the lock back. A lock that cannot be given back expires. */
export async function released(release: LockedRelease): Promise<void> {
  // A release for which nothing was ever stored leaves no trace.
  const { object } = release.record;
  const isEmpty = object.spec.revision === 0 && object.metadata.finalizers === undefined;
  const given = (isEmpty ? release.end() : release.unlock()).catch(() => undefined);
  // After Ctrl-C the user does not wait for a server that does not answer.
  await Promise.race([given, pause(systemClock, UNLOCK_MS)]);
}

/** Time for the lock to be given back, in milliseconds. */
const UNLOCK_MS = 5_000;

async function changed(context: ReleaseContext, request: ChangeRequest, release: LockedRelease): Promise<ChangeResult> {
  const { session, terminal, ref } = context;
  const { rules, forces } = request;
  const { signal } = session;
  requireAlive(context, release.record);
  const desired = await request.make(release.record);
  const { objects, targetNamespace } = desired;
  const namespaces = [...new Set([...release.record.namespaces, ...namespacesOf(objects, targetNamespace)])].toSorted();
  const deleted = new Map<string, ObjectName>();
  const client = notingDeletes(release.fenced(session.client), deleted);
  await using cluster = new RunCluster(client, { namespaces: () => namespaces });
  const sleep = (ms: number, ended: AbortSignal): Promise<void> => terminal.sleep(ms, ended);
  const changes = await preview({ record: release.record, targetNamespace, objects, rules, forces, cluster, signal, sleep });
  const refused = changes.filter(({ action }) => action === "refuse");
  if (refused.length > 0) throw new CliError(refusalText(refused, ref));
  const { revision, isNew } = await storeDesired(context, release, desired, namespaces);
  const run = await converge(context, { release, cluster, objects, rules, waits: request.waits, timeoutMs: request.timeoutMs });
  await noteEnd(context, release, revision, run);
  await dropOld(context, revision, request.historyMax);
  return {
    ...run,
    revision,
    isNewRevision: isNew,
    targetNamespace,
    changes,
    deleted: [...deleted.values()].filter((each) => !isRemade(each, run)),
  };
}

/** An object that was deleted and created again is no deletion. */
function isRemade(object: ObjectName, { progress }: Converged): boolean {
  return progress?.objects.some((each) => idOf(each) === idOf(object) && each.phase !== "Completed") === true;
}

/** @throws CliError for a release whose deletion has begun */
function requireAlive({ ref: { name, namespace } }: ReleaseContext, { object }: ReleaseRecord): void {
  if (object.metadata.deletionTimestamp === undefined) return;
  throw new CliError(
    `release ${namespace}/${name} is being deleted since ${object.metadata.deletionTimestamp}; finish that first: treadle delete ${name} -n ${namespace}`,
  );
}

/** Returns the namespaces that objects name, and that of those that name none. */
export function namespacesOf(objects: readonly KubernetesObject[], target: string): readonly string[] {
  return [target, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])];
}

/** Stores the revision, then the state that names it. The revision stays if it is the present one. @throws CliError if it is too large */
async function storeDesired(
  context: ReleaseContext,
  release: LockedRelease,
  desired: Desired,
  namespaces: readonly string[],
): Promise<{ readonly revision: number; readonly isNew: boolean }> {
  const { session, terminal, ref, holder } = context;
  const { signal, lasting } = session;
  const { revision: present } = release.record.object.spec;
  const { objects, targetNamespace } = desired;
  const digest = digestOfData({ targetNamespace, objects });
  const former = present === 0 ? undefined : await readRevision(lasting, ref, present, signal);
  const isNew = former?.digest !== digest;
  const revision = isNew ? (present === 0 ? await firstRevision(context) : present + 1) : present;
  const at = timeOf(terminal.nowMs());
  if (isNew) {
    const record: RevisionRecord = { ...desired, revision, createdAt: at, by: holder, digest };
    encoded(record, `revision ${revision} of release ${ref.namespace}/${ref.name}`);
    await release.renew();
    await writeRevision(lasting, ref, record, signal);
  }
  await release.update((record) => ({
    ...record,
    object: {
      ...record.object,
      metadata: { ...record.object.metadata, generation: revision },
      spec: { revision, targetNamespace },
    },
    namespaces,
    changedAt: at,
  }));
  return { revision, isNew };
}

async function noteEnd({ terminal }: ReleaseContext, release: LockedRelease, revision: number, run: Converged): Promise<void> {
  const at = timeOf(terminal.nowMs());
  const isGood = run.end.type === "ready" || run.end.type === "applied";
  const outcome: Outcome = {
    revision,
    type: run.end.type === "ready" || run.end.type === "applied" ? run.end.type : "failed",
    at,
    ...(isGood ? {} : { message: endText(run) }),
  };
  await release.update((record) => ({
    ...record,
    changedAt: at,
    outcomes: [...record.outcomes.filter((each) => each.revision !== revision), outcome],
  }));
}

/** The number after those of a release whose state was lost. A first run that was killed leaves only revision 1, which is replaced. */
async function firstRevision({ session, ref }: ReleaseContext): Promise<number> {
  const last = (await listRevisionNumbers(session.lasting, ref, session.signal)).at(-1) ?? 0;
  return last > 1 ? last + 1 : 1;
}

/** Removes the oldest revisions, but not the present one. The objects are as desired, so a failure is no failure of the run. */
async function dropOld({ session, terminal, ref }: ReleaseContext, present: number, historyMax: number): Promise<void> {
  const { lasting, signal } = session;
  try {
    const all = await listRevisionNumbers(lasting, ref, signal);
    const old = all.filter((revision) => revision !== present).slice(0, Math.max(0, all.length - historyMax));
    for (const revision of old) await deleteRevision(lasting, ref, revision, signal);
  } catch (error) {
    signal.throwIfAborted();
    terminal.err(`old revisions of release ${ref.namespace}/${ref.name} are not removed: ${failureText(error, { isVerbose: false })}\n`);
  }
}
