/** `treadle list`: the releases of a namespace, or of all. */
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { onCluster } from "../cluster/session.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import { duration } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Head, listHeads } from "./store/head.ts";
import type { Lock } from "./store/lock.ts";
import { releaseName, type ReleaseName } from "./view/names.ts";
import { type ReleaseState, STATE_TONES, stateOfRelease } from "./view/state.ts";
import { tableText } from "./view/table.ts";

/** Flags of the command. */
export interface ListFlags extends ConnectionFlags {
  readonly output?: "json";
  readonly allNamespaces?: boolean;
}

/** The releases as `-o json` shows them. */
export interface ReleaseList {
  readonly items: readonly ListedRelease[];
}

export interface ListedRelease {
  readonly release: ReleaseName;
  readonly revision: number;
  readonly state: ReleaseState;
  /** When the release was last changed. */
  readonly changedAt: string;
  /** The run that changes it. */
  readonly lock?: Pick<Lock, "holder" | "command" | "since">;
}

/** @throws CliError and errors of the client */
export async function runList(flags: ListFlags, terminal: Terminal): Promise<ExitCode> {
  return await onCluster(flags, terminal, async ({ client, namespace, signal }) => {
    const isAll = flags.allNamespaces === true;
    const heads = await listHeads(client, isAll ? undefined : namespace, signal);
    const items = heads.map(listed).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    if (flags.output === "json") terminal.out(document("ReleaseList", { items } satisfies ReleaseList));
    else if (items.length === 0)
      terminal.err(isAll ? "there are no releases\n" : `the namespace ${namespace} has no releases; -A shows those of all namespaces\n`);
    else terminal.out(listText(items, terminal));
    return EXIT.ok;
  });
}

function keyOf({ release: { namespace, name } }: ListedRelease): string {
  return `${namespace}/${name}`;
}

export function listed({ record, lock }: Head): ListedRelease {
  const { metadata, spec } = record.object;
  const { name, namespace = "" } = metadata;
  return {
    release: releaseName({ name, namespace }, spec.targetNamespace),
    revision: spec.revision,
    state: stateOfRelease(record, lock),
    changedAt: record.changedAt,
    ...(lock === undefined ? {} : { lock: { holder: lock.holder, command: lock.command, since: lock.since } }),
  };
}

export function listText(items: readonly ListedRelease[], terminal: Pick<Terminal, "columns" | "hasColors" | "nowMs">): string {
  const rows = items.map(({ release, revision, state, changedAt, lock }) => ({
    cells: [
      { text: release.name },
      { text: release.namespace },
      { text: release.targetNamespace },
      { text: String(revision) },
      { text: state, tone: STATE_TONES[state] },
      { text: duration(terminal.nowMs() - Date.parse(changedAt)) },
    ],
    note: lock === undefined ? undefined : lockText(lock),
  }));
  return tableText(["NAME", "NAMESPACE", "TARGET", "REVISION", "STATE", "CHANGED"], rows, terminal);
}

/** Returns who changes a release. */
export function lockText({ holder, command, since }: Pick<Lock, "holder" | "command" | "since">): string {
  return `${command} by ${holder} since ${since}`;
}
