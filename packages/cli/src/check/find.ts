/** Applies the rules, and leaves out what the user ignores. Pure. */
import type { LoadedProgram } from "@treadle/controller/unstable/program";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import { CliError } from "../cli-error.ts";
import { nearest } from "../cluster/near.ts";
import { crdsOf } from "../generate/crds.ts";
import { CHANGE_IDS } from "./change-ids.ts";
import { crdChanges } from "./compare/crds.ts";
import type { Change, CheckedProgram, Finding, Problem, Rule } from "./problem.ts";
import { CRD_RULES } from "./rules/crds.ts";
import { PIPELINE_RULES } from "./rules/pipelines.ts";
import { refusedSamples, sampleRefused } from "./rules/samples.ts";
import type { ReadSamples } from "./samples.ts";

/** Returns the program as rules see it. */
export function checkedProgram(program: LoadedProgram): CheckedProgram {
  return { ...program, pipelines: program.handlers.map(pipelineOf), crds: crdsOf(program) };
}

/** What {@link problemsOf} looks at besides the program. */
export interface ProblemOptions {
  readonly samples?: ReadSamples;
  readonly ignored?: readonly string[];
}

/** Returns what breaks a rule, errors first. */
export async function problemsOf(
  program: CheckedProgram,
  { samples = { samples: [], problems: [] }, ignored = [] }: ProblemOptions = {},
): Promise<readonly Problem[]> {
  const { crds } = program;
  const found = [
    ...PIPELINE_RULES.flatMap((rule) => rule.find(program).map((finding) => problem(rule, finding))),
    ...[...samples.problems, ...(await refusedSamples({ crds, samples: samples.samples }))].map((finding) =>
      problem(sampleRefused, finding),
    ),
    ...crds.flatMap((crd) => CRD_RULES.flatMap((rule) => rule.find(crd).map((finding) => problem(rule, finding)))),
  ];
  return sorted(found.filter((each) => !isIgnored(each, ignored)));
}

/** Returns the changes between two versions, errors first. */
export function changesOf(
  old: readonly CustomResourceDefinition[],
  next: readonly CustomResourceDefinition[],
  ignored: readonly string[] = [],
): readonly Change[] {
  return sorted(crdChanges({ old, next }).filter((each) => !isIgnored(each, ignored)));
}

/** @throws CliError for a rule that does not exist, with those that are near */
export function checkIgnored(ignored: readonly string[]): void {
  const known = [...PIPELINE_RULES.map(({ id }) => id), ...CRD_RULES.map(({ id }) => id), sampleRefused.id, ...CHANGE_IDS];
  for (const each of ignored) {
    const [id = ""] = each.split(":");
    if (known.includes(id)) continue;
    const near = nearest(id, known);
    const advice = near.length > 0 ? `did you mean ${near.join(" or ")}?` : "docs/cli/check.md lists the rules";
    throw new CliError(`--ignore ${each}: there is no rule ${JSON.stringify(id)}; ${advice}`);
  }
}

function problem({ id, severity, remedy }: Pick<Rule<never>, "id" | "severity" | "remedy">, { where, message }: Finding): Problem {
  return { id, severity, where, message, remedy };
}

/** `ID`, or `ID:WHERE` for one place. */
function isIgnored({ id, where }: Problem | Change, ignored: readonly string[]): boolean {
  return ignored.includes(id) || ignored.includes(`${id}:${where}`);
}

const RANKS = { error: 0, warning: 1, none: 2 } as const;

function sorted<T extends Problem | Change>(found: readonly T[]): readonly T[] {
  return found.toSorted((a, b) => RANKS[a.severity] - RANKS[b.severity]);
}
