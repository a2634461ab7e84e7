/** `treadle diff`: what `apply` would change, by dry runs of the server. */
import { RunCluster } from "@treadle/dependents/unstable/run";
import { type ApplyFlags, desiredOf, requireSources, rulesOf } from "./desired.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { document } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { hasDifference } from "./preview/changes.ts";
import { preview } from "./preview/preview.ts";
import { onRelease, type ReleaseContext } from "./session.ts";
import { readHead } from "./store/head.ts";
import { timeOf } from "./store/locked-release.ts";
import { newRecord } from "./store/record.ts";
import { diffOf, diffText } from "./view/diff.ts";

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
  const { session, terminal, ref } = context;
  const { signal } = session;
  const head = await readHead(session.client, ref, signal);
  const record = head?.record ?? newRecord(ref, ref.namespace, timeOf(terminal.nowMs()));
  const { objects, targetNamespace } = await desiredOf(context, { sources, flags, record });
  const namespaces = [...new Set([targetNamespace, ...record.namespaces, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])])];
  await using cluster = new RunCluster(session.client, { namespaces: () => namespaces });
  const changes = await preview({
    record,
    targetNamespace,
    objects,
    rules: rulesOf(flags),
    forces: flags.forceConflicts === true,
    cluster,
    signal,
    sleep: (ms, ended) => terminal.sleep(ms, ended),
  });
  const diff = diffOf({ ref, targetNamespace, changes, isNew: record.object.spec.revision === 0 });
  terminal.out(flags.output === "json" ? document("ReleaseDiff", diff) : diffText(diff, terminal));
  if (changes.some(({ action }) => action === "refuse")) return EXIT.failed;
  return !isDryRun && hasDifference(changes) ? EXIT.no : EXIT.ok;
}
