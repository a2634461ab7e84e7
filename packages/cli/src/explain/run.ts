/** `treadle explain`: from the words of the command line to the output. */
import { discovery } from "@treadle/client";
import { type ConnectionFlags, openConnection } from "../cluster/connection-flags.ts";
import { findObject } from "../cluster/find-object.ts";
import { checkNamespace, objectArgument } from "../cluster/object-argument.ts";
import { clusterReader } from "../cluster/reader.ts";
import { ServedKinds } from "../cluster/served-kinds.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { collect } from "../inspect/collect.ts";
import { document } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { explanationOf } from "./explanation.ts";
import { explanationText } from "./text.ts";

/** Flags of the command. */
export interface ExplainFlags extends ConnectionFlags {
  readonly output?: "json";
  readonly exitCode?: boolean;
}

/** @throws CliError and errors of the client */
export async function runExplain(words: readonly string[], flags: ExplainFlags, terminal: Terminal): Promise<ExitCode> {
  const argument = objectArgument(words);
  checkNamespace(flags.namespace);
  const { client, namespace } = await openConnection(flags, terminal);
  try {
    const { signal } = terminal;
    const kinds = new ServedKinds(await discovery(client).kinds({ signal }));
    const found = await findObject(argument, { client, kinds, namespace, signal });
    const explanation = explanationOf(await collect(clusterReader({ client, kinds, signal, nowMs: () => terminal.nowMs() }), found));
    if (flags.output === "json") terminal.out(document("Explanation", explanation));
    else terminal.out(explanationText(explanation, { columns: terminal.columns, hasColors: terminal.hasColors, nowMs: terminal.nowMs() }));
    return flags.exitCode === true && !explanation.isReady ? EXIT.no : EXIT.ok;
  } finally {
    await client.close();
  }
}
