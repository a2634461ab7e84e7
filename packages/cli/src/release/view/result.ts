/** How a change of a release ended, as text and as data. */
import { idOf, type ObjectName, shown } from "../../cluster/object-name.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { document } from "../../output.ts";
import { wrapped } from "../../terminal/layout.ts";
import type { ChangeResult } from "../run/change.ts";
import { endText, worstOf } from "../run/progress.ts";
import type { ReleaseContext, ReleaseFlags } from "../session.ts";
import { releaseName, type ReleaseName, releaseTitle } from "./names.ts";

/** A change as `-o json` shows it. */
export interface ReleaseResult {
  readonly release: ReleaseName;
  readonly revision: number;
  readonly isNewRevision: boolean;
  /** `ready`: all objects are ready. `applied`: without --wait, all are written. `failed` and `timeout`: some are not ready. */
  readonly outcome: "ready" | "applied" | "failed" | "timeout";
  readonly message: string;
  readonly objects: readonly {
    readonly object: ObjectName;
    readonly operation: "created" | "updated" | "unchanged";
    readonly wave: number;
    readonly health: string;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly deleted: readonly ObjectName[];
}

function resultOf({ ref }: Pick<ReleaseContext, "ref">, result: ChangeResult): ReleaseResult {
  const { revision, isNewRevision, targetNamespace, end, progress, operations, deleted } = result;
  const objects = (progress?.objects ?? []).map((each) => {
    const { apiVersion, kind, namespace, name, wave, state } = each;
    const object = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    const { type: health, reason, message } = state;
    return { object, operation: operations.get(idOf(each)) ?? "unchanged", wave, health, reason, message };
  });
  const message = endText({ end, progress });
  return { release: releaseName(ref, targetNamespace), revision, isNewRevision, outcome: end.type, message, objects, deleted };
}

/** Writes the result, and returns the exit code. */
export function showResult(context: ReleaseContext, change: ChangeResult, flags: ReleaseFlags): ExitCode {
  const { terminal } = context;
  const result = resultOf(context, change);
  terminal.out(flags.output === "json" ? document("ReleaseResult", result) : `${wrapped(resultText(result), terminal.columns)}\n`);
  const isGood = result.outcome === "ready" || result.outcome === "applied";
  if (!isGood && flags.output !== "json")
    for (const line of adviceOf(context, change)) terminal.err(`${wrapped(line, terminal.columns)}\n`);
  return isGood ? EXIT.ok : EXIT.no;
}

/** Returns one sentence. */
function resultText({ release, revision, isNewRevision, outcome, message, objects, deleted }: ReleaseResult): string {
  const title = `${releaseTitle(release)}: revision ${revision}`;
  if (outcome === "failed") return `${title} failed: ${message}`;
  if (outcome === "timeout") return `${title} is not ready in time: ${message}`;
  const count = (operation: string): number => objects.filter((each) => each.operation === operation).length;
  const parts = [
    [count("created"), "created"],
    [count("updated"), "changed"],
    [deleted.length, "deleted"],
    [count("unchanged"), "unchanged"],
  ] as const;
  const totals = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  const state = outcome === "ready" ? "is ready" : "is applied";
  const again = isNewRevision ? "" : ", as before";
  return `${title} ${state}${again}: ${totals.join(", ")}`;
}

function adviceOf({ ref }: ReleaseContext, { progress, end }: ChangeResult): readonly string[] {
  const worst = progress === undefined ? undefined : worstOf(progress.objects.filter(({ isAwaited }) => isAwaited));
  const { name, namespace } = ref;
  const why =
    worst === undefined
      ? []
      : [
          `Why: treadle explain ${worst.kind.toLowerCase()}/${worst.name}${worst.namespace === undefined ? "" : ` -n ${worst.namespace}`} (${shown(worst)})`,
        ];
  const onward = end.type === "timeout" ? "Go on waiting: run the same command again." : "Correct the sources and apply again.";
  return [...why, onward, `The revision before: treadle rollback ${name} -n ${namespace}`];
}
