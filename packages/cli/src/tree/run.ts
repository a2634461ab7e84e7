/** `treadle tree`: from the words of the command line to the output, once or after each change. */
import { type Client, discovery } from "@treadle/client";
import { type ConnectionFlags, openConnection } from "../cluster/connection-flags.ts";
import { findObject } from "../cluster/find-object.ts";
import { checkNamespace, type ObjectArgument, objectArgument } from "../cluster/object-argument.ts";
import { clusterReader } from "../cluster/reader.ts";
import { ServedKinds } from "../cluster/served-kinds.ts";
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

/** What one look at the cluster needs. */
interface Look {
  readonly argument: ObjectArgument;
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly namespace: string;
  readonly terminal: Terminal;
}

/** @throws CliError and errors of the client */
export async function runTree(words: readonly string[], flags: TreeFlags, terminal: Terminal): Promise<ExitCode> {
  const argument = objectArgument(words);
  checkNamespace(flags.namespace);
  const { client, namespace } = await openConnection(flags, terminal);
  try {
    const kinds = new ServedKinds(await discovery(client).kinds({ signal: terminal.signal }));
    const look: Look = { argument, client, kinds, namespace, terminal };
    const show = showing(flags, terminal);
    if (flags.watch !== true) {
      show(await situationOf(look));
      return EXIT.ok;
    }
    await follow(look, show);
    return EXIT.ok;
  } finally {
    await client.close();
  }
}

async function situationOf({ argument, client, kinds, namespace, terminal }: Look): Promise<Situation> {
  const { signal } = terminal;
  const found = await findObject(argument, { client, kinds, namespace, signal });
  return collect(clusterReader({ client, kinds, signal, nowMs: () => terminal.nowMs() }), found, { withCauses: false });
}

/** Shows the tree after each change, until Ctrl-C, or until the object no longer exists, which is the error of the last look. */
async function follow(look: Look, show: (situation: Situation) => void): Promise<void> {
  const { client, terminal } = look;
  while (!terminal.signal.aborted) {
    const situation = await situationOf(look);
    show(situation);
    try {
      await changed(client, situation, { kinds: look.kinds, terminal });
    } catch (error) {
      // Ctrl-C is how a watch ends.
      if (!terminal.signal.aborted) throw error;
    }
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
