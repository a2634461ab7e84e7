/** `treadle apply`: renders the sources, looks at what would change, and makes it so. */
import type { ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ApplyFlags, desiredOf, historyMaxOf, requireSources, rulesOf } from "./desired.ts";
import { showDifference } from "./diff.ts";
import { change } from "./run/change.ts";
import { onRelease, timeoutOf } from "./session.ts";
import { showResult } from "./view/result.ts";

/** @throws CliError and errors of the client */
export async function runApply([name = "", ...sources]: readonly string[], flags: ApplyFlags, terminal: Terminal): Promise<ExitCode> {
  const timeoutMs = timeoutOf(flags.timeout);
  const historyMax = historyMaxOf(flags.historyMax);
  return await onRelease(name, flags, terminal, async (context) => {
    requireSources(name, sources);
    if (flags.dryRun === true) return await showDifference(context, sources, flags, { isDryRun: true });
    const result = await change(context, {
      command: "apply",
      creates: true,
      make: (record) => desiredOf(context, { sources, flags, record }),
      rules: rulesOf(flags),
      forces: flags.forceConflicts === true,
      waits: flags.wait !== false,
      timeoutMs,
      historyMax,
    });
    return showResult(context, result, flags);
  });
}
