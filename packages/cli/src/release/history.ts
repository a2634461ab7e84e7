/** `treadle history`: the revisions of a release that can be applied again. */
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import { duration } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { onRelease, type ReleaseFlags } from "./session.ts";
import { unknownRelease } from "./store/acquire.ts";
import { listRevisions, readHead } from "./store/head.ts";
import type { SourceNote } from "./store/record.ts";
import { releaseName, type ReleaseName } from "./view/names.ts";
import { type ReleaseState, STATE_TONES, stateOfRevision } from "./view/state.ts";
import { tableText } from "./view/table.ts";

/** The revisions as `-o json` shows them, the oldest first. */
export interface ReleaseHistory {
  readonly release: ReleaseName;
  readonly revisions: readonly {
    readonly revision: number;
    readonly state: ReleaseState | "Superseded";
    readonly createdAt: string;
    readonly by: string;
    readonly cause: string;
    readonly targetNamespace: string;
    readonly digest: string;
    readonly objects: number;
    readonly sources: readonly SourceNote[];
  }[];
}

/** @throws CliError and errors of the client */
export async function runHistory([name = ""]: readonly string[], flags: ReleaseFlags, terminal: Terminal): Promise<ExitCode> {
  return await onRelease(name, flags, terminal, async ({ session, ref }) => {
    const head = await readHead(session.client, ref, session.signal);
    if (head === undefined) throw unknownRelease(ref);
    const all = await listRevisions(session.client, ref, session.signal);
    const history: ReleaseHistory = {
      release: releaseName(ref, head.record.object.spec.targetNamespace),
      revisions: all.map(({ revision, createdAt, by, cause, targetNamespace, digest, objects, sources }) => ({
        revision,
        state: stateOfRevision(revision, head.record, head.lock),
        createdAt,
        by,
        cause,
        targetNamespace,
        digest,
        objects: objects.length,
        sources,
      })),
    };
    terminal.out(flags.output === "json" ? document("ReleaseHistory", history) : historyText(history, terminal));
    return EXIT.ok;
  });
}

export function historyText({ revisions }: ReleaseHistory, terminal: Pick<Terminal, "columns" | "hasColors" | "nowMs">): string {
  const rows = revisions.map(({ revision, state, createdAt, by, cause, objects }) => ({
    cells: [
      { text: String(revision) },
      { text: state, tone: state === "Superseded" ? ("quiet" as const) : STATE_TONES[state] },
      { text: duration(terminal.nowMs() - Date.parse(createdAt)) },
      { text: String(objects) },
      { text: cause },
      { text: by },
    ],
  }));
  return tableText(["REVISION", "STATE", "AGE", "OBJECTS", "CAUSE", "BY"], rows, terminal);
}
