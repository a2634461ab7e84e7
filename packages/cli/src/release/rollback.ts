/** `treadle rollback`: applies a former revision again, as a new one. */
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { historyMaxOf, rulesOf, type WriteFlags } from "./desired.ts";
import { change, type Desired } from "./run/change.ts";
import { onRelease, type ReleaseContext, timeoutOf } from "./session.ts";
import { listRevisionNumbers, readRevision } from "./store/head.ts";
import type { ReleaseRecord } from "./store/record.ts";
import { showResult } from "./view/result.ts";

/** @throws CliError and errors of the client */
export async function runRollback([name = "", wanted]: readonly string[], flags: WriteFlags, terminal: Terminal): Promise<ExitCode> {
  const timeoutMs = timeoutOf(flags.timeout);
  const historyMax = historyMaxOf(flags.historyMax);
  const revision = wanted === undefined ? undefined : numberOf(wanted);
  return await onRelease(name, flags, terminal, async (context) => {
    const result = await change(context, {
      command: "rollback",
      creates: false,
      make: (record) => formerState(context, record, revision),
      rules: rulesOf(flags),
      forces: flags.forceConflicts === true,
      waits: flags.wait !== false,
      timeoutMs,
      historyMax,
    });
    return showResult(context, result, flags);
  });
}

function numberOf(text: string): number {
  const revision = Number(text);
  if (Number.isInteger(revision) && revision > 0) return revision;
  throw new CliError(`${JSON.stringify(text)} is no revision; \`treadle history NAME\` shows the numbers`);
}

/** Returns the desired state of a former revision. @throws CliError if there is none */
async function formerState({ session, ref }: ReleaseContext, record: ReleaseRecord, wanted: number | undefined): Promise<Desired> {
  const revision = wanted ?? (await lastGood({ session, ref }, record));
  const found = await readRevision(session.client, ref, revision, session.signal);
  if (found === undefined) {
    const kept = await listRevisionNumbers(session.client, ref, session.signal);
    const which = kept.length === 0 ? "none is kept" : `kept are ${kept.join(", ")}`;
    throw new CliError(
      `release ${ref.namespace}/${ref.name} has no revision ${revision}: ${which}; \`treadle history ${ref.name}\` shows them`,
    );
  }
  const { objects, sources, values, targetNamespace } = found;
  return { objects, sources, values, targetNamespace, cause: `rollback to ${revision}` };
}

/** The last revision before the present one that was ready, else the one before it. */
async function lastGood({ session, ref }: Pick<ReleaseContext, "session" | "ref">, record: ReleaseRecord): Promise<number> {
  const { revision: present } = record.object.spec;
  const all = await listRevisionNumbers(session.client, ref, session.signal);
  const before = all.filter((revision) => revision < present);
  const isGood = (revision: number): boolean => record.outcomes.some((each) => each.revision === revision && each.type !== "failed");
  const found = before.findLast(isGood) ?? before.at(-1);
  if (found === undefined)
    throw new CliError(
      `release ${ref.namespace}/${ref.name} has no revision before ${present}; \`treadle history ${ref.name}\` shows them`,
    );
  return found;
}
