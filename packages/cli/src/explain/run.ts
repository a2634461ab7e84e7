/** `treadle explain`: from the words of the command line to the output. */
import type { ConnectionFlags } from "../cluster/connection-flags.ts";
import { findObject } from "../cluster/find-object.ts";
import { objectArgument } from "../cluster/object-argument.ts";
import { onCluster } from "../cluster/session.ts";
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
  return onCluster(flags, terminal, async (session) => {
    const situation = await collect(session.reader(), await findObject(argument, session));
    const explanation = explanationOf(situation);
    const { columns, hasColors } = terminal;
    if (flags.output === "json") terminal.out(document("Explanation", explanation));
    else terminal.out(explanationText(explanation, { columns, hasColors, nowMs: situation.nowMs }));
    return flags.exitCode === true && !explanation.isReady ? EXIT.no : EXIT.ok;
  });
}
