/** `treadle diff`: what `apply` would change, by dry runs of the server. */
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ApplyFlags, desiredOf, requireSources, rulesOf } from "./desired.ts";
import { hasDifference } from "./preview/changes.ts";
import { onRelease, type ReleaseContext } from "./session.ts";
import { showChanges } from "./show-changes.ts";

/** @throws CliError and errors of the client */
export async function runDiff([name = "", ...sources]: readonly string[], flags: ApplyFlags, terminal: Terminal): Promise<ExitCode> {
  return await onRelease(name, flags, terminal, async (context) => {
    requireSources(name, sources);
    return await showDifference(context, sources, flags, { isDryRun: false });
  });
}

/** Shows what would change. A dry run of `apply` has no exit code for differences. @throws CliError and errors of the client */
export async function showDifference(
  context: ReleaseContext,
  sources: readonly string[],
  flags: ApplyFlags,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<ExitCode> {
  const changes = await showChanges(
    context,
    {
      make: (record) => desiredOf(context, { sources, flags, record }),
      rules: rulesOf(flags),
      forces: flags.forceConflicts === true,
    },
    flags,
  );
  if (changes.some(({ action }) => action === "refuse")) return EXIT.failed;
  return !isDryRun && hasDifference(changes) ? EXIT.no : EXIT.ok;
}
