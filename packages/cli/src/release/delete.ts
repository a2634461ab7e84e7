/** `treadle delete`: removes the objects of a release in reverse order, waits until they no longer exist, and removes the release. */
import { RunCluster } from "@treadle/dependents/unstable/run";
import { CliError } from "../cli-error.ts";
import { idOf, type ObjectName } from "../cluster/object-name.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import { wrapped } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { locked, released } from "./run/change.ts";
import { converge, notingDeletes } from "./run/converge.ts";
import { NO_WRITES } from "./run/engine.ts";
import { onRelease, type ReleaseContext, type ReleaseFlags, timeoutOf } from "./session.ts";
import { unknownRelease } from "./store/acquire.ts";
import { deleteRevision, listRevisionNumbers, readHead } from "./store/head.ts";
import { type LockedRelease, ORPHAN, timeOf } from "./store/locked-release.ts";
import { releaseName, type ReleaseName, releaseTitle } from "./view/names.ts";

/** Flags of the command. */
export interface DeleteFlags extends ReleaseFlags {
  readonly cascade?: "delete" | "orphan";
  readonly timeout?: string;
  readonly ignoreNotFound?: boolean;
}

/** A deletion as `-o json` shows it. */
export interface ReleaseDeletion {
  readonly release: ReleaseName;
  /** `deleted`: the release no longer exists. `failed` and `timeout`: objects are left, and the release as well. */
  readonly outcome: "deleted" | "failed" | "timeout";
  readonly message: string;
  /** Whether the objects stay. */
  readonly isOrphaning: boolean;
  /** The objects whose deletion was sent. */
  readonly deleted: readonly ObjectName[];
  /** The objects that still exist. */
  readonly left: readonly ObjectName[];
}

/** @throws CliError and errors of the client */
export async function runDelete([name = "", ...more]: readonly string[], flags: DeleteFlags, terminal: Terminal): Promise<ExitCode> {
  if (more.length > 0) throw new CliError(`one release at a time: ${more.join(" ")} names more`);
  const timeoutMs = timeoutOf(flags.timeout);
  return await onRelease(name, flags, terminal, async (context) => {
    const { ref, session } = context;
    // A missing release must not be created to take its lock.
    if ((await readHead(session.client, ref, session.signal)) === undefined) {
      if (flags.ignoreNotFound === true) return EXIT.ok;
      throw unknownRelease(ref);
    }
    const release = await locked(context, { command: "delete", creates: false });
    let isEnded = false;
    try {
      const deletion = await removed(context, release, { isOrphaning: flags.cascade === "orphan", timeoutMs });
      isEnded = deletion.outcome === "deleted";
      terminal.out(
        flags.output === "json" ? document("ReleaseDeletion", deletion) : `${wrapped(deletionText(deletion), terminal.columns)}\n`,
      );
      return isEnded ? EXIT.ok : EXIT.no;
    } finally {
      if (!isEnded) await released(release);
    }
  });
}

async function removed(
  context: ReleaseContext,
  release: LockedRelease,
  { isOrphaning, timeoutMs }: { readonly isOrphaning: boolean; readonly timeoutMs: number },
): Promise<ReleaseDeletion> {
  const { session, terminal, ref } = context;
  const deleted = new Map<string, ObjectName>();
  await requireRights(context, release);
  await begin(release, { isOrphaning, at: timeOf(terminal.nowMs()) });
  const { targetNamespace } = release.record.object.spec;
  const about = { release: releaseName(ref, targetNamespace), isOrphaning };
  // Without a finalizer no object was ever written.
  if ((release.record.object.metadata.finalizers ?? []).some((each) => each !== ORPHAN)) {
    const client = notingDeletes(release.fenced(session.client), deleted);
    await using cluster = new RunCluster(client, { namespaces: () => release.record.namespaces });
    const { end, progress } = await converge(context, { release, cluster, objects: [], rules: NO_WRITES, waits: true, timeoutMs });
    if (end.type === "failed" || end.type === "timeout") {
      const left = (progress?.leaving ?? []).map(({ apiVersion, kind, name, namespace }) => ({
        apiVersion,
        kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
      }));
      const message = end.type === "failed" ? end.message : (progress?.message ?? "");
      return { ...about, outcome: end.type, message, deleted: [...deleted.values()], left };
    }
  }
  for (const revision of await listRevisionNumbers(session.lasting, ref, session.signal)) {
    await release.renew();
    await deleteRevision(session.lasting, ref, revision, session.signal);
  }
  await release.end();
  return { ...about, outcome: "deleted", message: "", deleted: [...deleted.values()], left: [] };
}

/** Asks the server whether the user may remove the release itself, before any object is deleted. @throws errors of the client */
async function requireRights({ session, ref }: ReleaseContext, release: LockedRelease): Promise<void> {
  await listRevisionNumbers(session.client, ref, session.signal);
  await release.requireEnd();
}

/** Stores that the deletion has begun. Nothing but its end follows. */
async function begin(release: LockedRelease, { isOrphaning, at }: { readonly isOrphaning: boolean; readonly at: string }): Promise<void> {
  await release.update((record) => {
    const { metadata } = record.object;
    const others = (metadata.finalizers ?? []).filter((each) => each !== ORPHAN);
    const finalizers = isOrphaning ? [...others, ORPHAN] : others;
    const { finalizers: _former, ...rest } = metadata;
    return {
      ...record,
      changedAt: at,
      object: {
        ...record.object,
        metadata: { ...rest, deletionTimestamp: metadata.deletionTimestamp ?? at, ...(finalizers.length === 0 ? {} : { finalizers }) },
      },
    };
  });
}

export function deletionText({ release, outcome, message, isOrphaning, deleted, left }: ReleaseDeletion): string {
  const title = releaseTitle(release);
  if (outcome !== "deleted") {
    const why = outcome === "timeout" ? "is not deleted in time" : "cannot be deleted";
    const rest = left.length === 0 ? "" : `; ${left.length} object${left.length === 1 ? " is" : "s are"} left`;
    return `${title} ${why}: ${message}${rest}. Run the same command again to go on`;
  }
  if (isOrphaning) return `${title} is deleted; its objects stay, and belong to nobody`;
  const count = new Set(deleted.map(idOf)).size;
  return `${title} is deleted: ${count} object${count === 1 ? "" : "s"} deleted`;
}
