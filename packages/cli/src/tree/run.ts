/** `treadle tree`: from the words of the command line to the output, once or after each change. */
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { findObject } from "../cluster/find-object.ts";
import { type ObjectArgument, objectArgument } from "../cluster/object-argument.ts";
import { onCluster, type Session } from "../cluster/session.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { collect } from "../inspect/collect.ts";
import type { Situation } from "../inspect/situation.ts";
import { document } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { treeOf } from "./rows.ts";
import { treeText } from "./text.ts";
import { changed } from "./watch.ts";

/** Flags of the command. */
export interface TreeFlags extends ConnectionFlags {
  readonly output?: "json";
  readonly watch?: boolean;
}

/** @throws CliError and errors of the client */
export async function runTree(words: readonly string[], flags: TreeFlags, terminal: Terminal): Promise<ExitCode> {
  const argument = objectArgument(words);
  return onCluster(flags, terminal, async (session) => {
    const look = isRelease(argument)
      ? async (): Promise<Situation> => await releaseTree(session, argument.name)
      : async (): Promise<Situation> => collect(session.reader(), await findObject(argument, session), { withCauses: false });
    const show = showing(flags, terminal);
    if (flags.watch === true) await follow(session, { look, show, terminal });
    else show(await look());
    return EXIT.ok;
  });
}

/** A kind of a cluster with this name needs its group: `releases.example.dev/a`. */
function isRelease({ kind }: ObjectArgument): boolean {
  return ["release", "releases"].includes(kind.toLowerCase());
}

async function releaseTree(session: Session, name: string): Promise<Situation> {
  const { releaseSituation } = await import("../release/situation.ts");
  return (await releaseSituation(session, { name, namespace: session.namespace })).situation;
}

interface Following {
  readonly look: () => Promise<Situation>;
  readonly show: (situation: Situation) => void;
  readonly terminal: Terminal;
}

/** Shows the tree after each change, until Ctrl-C, or until the object no longer exists, which is the error of the last look. */
async function follow({ client, kinds }: Session, { look, show, terminal }: Following): Promise<void> {
  try {
    for (;;) {
      const situation = await look();
      show(situation);
      await changed(client, situation, { kinds, terminal });
    }
  } catch (error) {
    // Ctrl-C is how a watch ends.
    if (!terminal.signal.aborted) throw error;
  }
}

/** Returns what shows a tree. On a terminal a new one replaces the last one; in a pipe it is appended, and an equal one is not repeated. */
function showing({ output, watch = false }: TreeFlags, terminal: Terminal): (situation: Situation) => void {
  let last = "";
  let isFirst = true;
  return (situation) => {
    const tree = treeOf(situation);
    const nowMs = terminal.nowMs();
    const content = JSON.stringify(tree);
    if (content === last) return;
    last = content;
    const text =
      output === "json"
        ? document("ObjectTree", tree)
        : treeText(tree, { columns: terminal.columns, hasColors: terminal.hasColors, nowMs });
    const isRedrawn = watch && terminal.columns !== undefined && output !== "json";
    const separator = isFirst || output === "json" ? "" : "\n";
    terminal.out(isRedrawn ? `${CLEAR}${text}` : `${separator}${text}`);
    isFirst = false;
  };
}

/** Cursor to the top left, and erase below: the lines above stay in the history of the terminal. */
const CLEAR = "\u001B[H\u001B[J";
