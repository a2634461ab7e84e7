/** `treadle status`: how a release and its objects are now. */
import type { ObjectName } from "../cluster/object-name.ts";
import { shown } from "../cluster/object-name.ts";
import type { Unread } from "../cluster/reader.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Node } from "../inspect/situation.ts";
import { document } from "../output.ts";
import { duration, painter, type Tone, wrapped } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { listed, type ListedRelease, lockText } from "./list.ts";
import { onRelease, type ReleaseFlags } from "./session.ts";
import { releaseSituation, type ReleaseSituation } from "./situation.ts";
import type { SourceNote } from "./store/record.ts";
import { releaseTitle } from "./view/names.ts";
import { STATE_TONES } from "./view/state.ts";
import { tableText } from "./view/table.ts";

/** Flags of the command. */
export interface StatusFlags extends ReleaseFlags {
  readonly exitCode?: boolean;
}

/** A release as `-o json` shows it. */
export interface ReleaseStatus extends ListedRelease {
  /** What the last run reported. */
  readonly message: string;
  readonly sources: readonly SourceNote[];
  readonly objects: readonly {
    readonly object: ObjectName;
    /** `Ready`, `Pending`, `Failed` or `Unknown`, now. */
    readonly health: string;
    readonly reason: string;
    readonly message: string;
    readonly since?: string;
  }[];
  readonly unread: readonly Unread[];
}

/** @throws CliError and errors of the client */
export async function runStatus([name = ""]: readonly string[], flags: StatusFlags, terminal: Terminal): Promise<ExitCode> {
  return await onRelease(name, flags, terminal, async ({ session, ref }) => {
    const status = statusOf(await releaseSituation(session, ref));
    terminal.out(flags.output === "json" ? document("ReleaseStatus", status) : statusText(status, terminal));
    const isGood = status.state === "Ready" && status.objects.every(({ health }) => health === "Ready");
    return flags.exitCode === true && !isGood ? EXIT.no : EXIT.ok;
  });
}

export function statusOf({ head, revision, situation }: ReleaseSituation): ReleaseStatus {
  const { object, outcomes } = head.record;
  const condition = object.status?.conditions?.find(({ type }) => type === "ObjectsReady");
  const outcome = outcomes.find((each) => each.revision === object.spec.revision);
  const known = new Map<string, Node>();
  for (const node of situation.root.children) if (node.relation.type === "dependent") known.set(shown(node.name), node);
  return {
    ...listed(head),
    message: (object.metadata.deletionTimestamp === undefined ? outcome?.message : undefined) ?? condition?.message ?? "",
    sources: revision?.sources ?? [],
    objects: [...known.values()].map(({ name, health, since }) => ({
      object: name,
      health: health.type,
      reason: health.reason,
      message: health.message,
      ...(since === undefined ? {} : { since }),
    })),
    unread: situation.unread,
  };
}

const TONES: Readonly<Record<string, Tone>> = { Ready: "good", Pending: "waiting", Failed: "bad", Unknown: "waiting" };

export function statusText(status: ReleaseStatus, terminal: Pick<Terminal, "columns" | "hasColors" | "nowMs">): string {
  const { release, revision, state, changedAt, lock, objects, sources, unread, message } = status;
  const paint = painter(terminal.hasColors);
  const age = duration(terminal.nowMs() - Date.parse(changedAt));
  const ready = objects.filter(({ health }) => health === "Ready").length;
  const isElsewhere = release.targetNamespace !== release.namespace;
  const head = [
    wrapped(`${releaseTitle(release)}: ${paint(STATE_TONES[state], state)}, revision ${revision}, changed ${age} ago`, terminal.columns),
    ...(isElsewhere ? [wrapped(`target namespace: ${release.targetNamespace}`, terminal.columns)] : []),
    ...(lock === undefined ? [] : [wrapped(lockText(lock), terminal.columns)]),
    ...(state === "Failed" || state === "Deleting" ? [wrapped(message, terminal.columns, { first: "  ", rest: "  " })] : []),
    wrapped(`sources: ${sources.map(({ source, type }) => `${source} (${type})`).join(", ")}`, terminal.columns, { first: "", rest: "  " }),
    wrapped(`${ready} of ${objects.length} objects are ready`, terminal.columns),
  ];
  const rows = objects.map(({ object, health, reason, message: why, since }) => ({
    cells: [
      { text: shown(object) },
      { text: reason === health ? health : `${health} (${reason})`, tone: TONES[health] },
      { text: since === undefined ? "" : duration(terminal.nowMs() - Date.parse(since)) },
    ],
    note: health === "Ready" ? undefined : why,
  }));
  const table = tableText(["OBJECT", "HEALTH", "SINCE"], rows, terminal);
  const missing = unread.slice(0, 8).map(({ what, why }) => wrapped(`${what}: ${why}.`, terminal.columns, { first: "  - ", rest: "    " }));
  return [
    ...head,
    ...(rows.length === 0 ? [] : ["", table.trimEnd()]),
    ...(missing.length === 0 ? [] : ["", "Not read:", ...missing]),
    "",
  ].join("\n");
}
