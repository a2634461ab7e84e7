/** Shows what a change of a release would do, and changes nothing: `diff`, `apply --dry-run`, and `adopt` without `--yes`. */
import { RunCluster } from "@treadle/dependents/unstable/run";
import { document } from "../output.ts";
import type { Change } from "./preview/changes.ts";
import { preview } from "./preview/preview.ts";
import { type ChangeRequest, namespacesOf } from "./run/change.ts";
import type { ReleaseContext, ReleaseFlags } from "./session.ts";
import { readHead } from "./store/head.ts";
import { timeOf } from "./store/locked-release.ts";
import { newRecord } from "./store/record.ts";
import { diffOf, diffText } from "./view/diff.ts";

/** Returns the changes that were shown. @throws CliError and errors of the client */
export async function showChanges(
  { session, terminal, ref }: ReleaseContext,
  { make, rules, forces }: Pick<ChangeRequest, "make" | "rules" | "forces">,
  { output }: Pick<ReleaseFlags, "output">,
): Promise<readonly Change[]> {
  const { client, signal } = session;
  const head = await readHead(client, ref, signal);
  const record = head?.record ?? newRecord(ref, ref.namespace, timeOf(terminal.nowMs()));
  const { objects, targetNamespace } = await make(record);
  const namespaces = [...new Set([...record.namespaces, ...namespacesOf(objects, targetNamespace)])];
  await using cluster = new RunCluster(client, { namespaces: () => namespaces });
  const sleep = (ms: number, ended: AbortSignal): Promise<void> => terminal.sleep(ms, ended);
  const changes = await preview({ record, targetNamespace, objects, rules, forces, cluster, signal, sleep });
  const diff = diffOf({ ref, targetNamespace, changes, isNew: record.object.spec.revision === 0 });
  terminal.out(output === "json" ? document("ReleaseDiff", diff) : diffText(diff, terminal));
  return changes;
}
