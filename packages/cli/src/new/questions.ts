/** The questions of `treadle new`, in their order. A later one may have a default that follows from earlier answers. */
import { CliError } from "../cli-error.ts";
import { answersTo, type Asker } from "./ask.ts";
import { groupProblem, kindProblem, operatorNameProblem, partNameProblem, pascalOf, pluralVariableOf } from "./names.ts";
import type { OperatorAnswers, Project, ProjectResource } from "./project.ts";
import { identifiersIn } from "./source.ts";
import { type PartType, templateFiles } from "./templates.ts";
import { PACKAGE_MANAGERS, type PackageManager } from "./words.ts";

/** Values of a command line. */
export interface OperatorFlags {
  readonly group?: string;
  readonly kind?: string;
  readonly packageManager?: string;
}

/** Returns the answers for a new operator. `agent` is `npm_config_user_agent`, which names the package manager that runs this. */
export async function operatorAnswers(
  asker: Asker,
  name: string | undefined,
  flags: OperatorFlags,
  agent: string = "",
): Promise<OperatorAnswers> {
  const answers = await answersTo(asker, [
    ["name", () => ({ flag: "NAME", message: "Name of the operator", given: name, problem: operatorNameProblem })],
    [
      "kind",
      (given) => ({
        flag: "--kind",
        message: "Kind of its first resource",
        given: flags.kind,
        initial: kindOf(given.name),
        problem: resourceKindProblem,
      }),
    ],
    [
      "group",
      (given) => ({
        flag: "--group",
        message: "API group, a domain that is yours",
        given: flags.group,
        initial: `${(given.name ?? "apps").replace(/-operator$/, "")}.example.com`,
        problem: groupProblem,
      }),
    ],
    [
      "packageManager",
      () => ({
        flag: "--package-manager",
        message: "Package manager",
        given: flags.packageManager ?? PACKAGE_MANAGERS.find((each) => agent.startsWith(`${each}/`)),
        initial: "npm",
        values: PACKAGE_MANAGERS,
      }),
    ],
  ]);
  return { ...answers, packageManager: answers.packageManager as PackageManager }; // It is one of the values.
}

/** Returns the kind and the group of a new resource. */
export async function kindAnswers(
  asker: Asker,
  { record }: Pick<Project, "record">,
  type: "resource" | "managed",
  given: { readonly kind: string | undefined; readonly group: string | undefined },
): Promise<{ readonly kind: string; readonly group: string }> {
  return await answersTo(asker, [
    [
      "kind",
      () => ({
        flag: "KIND",
        message: type === "managed" ? "Kind of the external resource" : "Kind of the resource",
        given: given.kind,
        problem: type === "managed" ? kindProblem : resourceKindProblem,
      }),
    ],
    [
      "group",
      () => ({
        flag: "--group",
        message: "API group of the kind",
        given: given.group ?? record?.operator.group,
        problem: groupProblem,
      }),
    ],
  ]);
}

/** Returns the name of a part and the resource that gets it. @throws CliError if the project has no resource */
export async function partAnswers(
  asker: Asker,
  { folder, resources }: Pick<Project, "folder" | "resources">,
  type: PartType,
  given: { readonly name: string | undefined; readonly for: string | undefined },
): Promise<{ readonly name: string; readonly resource: ProjectResource }> {
  if (resources.length === 0)
    throw new CliError(
      `${folder} has no resource that a ${type} could belong to: no module in src exports a defineResource() that has a handler().\n` +
        "Add one first: treadle new resource KIND",
    );
  const kinds = resources.map(({ kind }) => kind);
  const { name, kind } = await answersTo(asker, [
    [
      "name",
      () => ({ flag: "NAME", message: `Name of the ${type}, such as ${EXAMPLES[type]}`, given: given.name, problem: partNameProblem }),
    ],
    [
      "kind",
      () => ({
        flag: "--for",
        message: "Resource that gets it",
        given: given.for ?? (kinds.length === 1 ? kinds[0] : undefined),
        values: kinds,
      }),
    ],
  ]);
  const resource = resources.find((each) => each.kind === kind);
  if (resource === undefined) throw new CliError(`--for: there is no resource ${kind}`);
  return { name, resource };
}

const EXAMPLES: Readonly<Record<PartType, string>> = {
  step: "read-input",
  component: "web-interface",
  dependents: "addresses",
  webhook: "website-rules",
};

/** `Website` of `website-operator`. */
function kindOf(name: string | undefined): string {
  const kind = pascalOf((name ?? "").replace(/-operator$/, "").replaceAll(/[^a-z0-9-]/g, ""));
  return kindProblem(kind) === undefined && resourceKindProblem(kind) === undefined ? kind : "Website";
}

/** A kind that the modules of a resource use themselves, such as Deployment, would not compile there. */
function resourceKindProblem(kind: string): string | undefined {
  const problem = kindProblem(kind);
  if (problem !== undefined) return problem;
  const variables = [kind, pluralVariableOf(kind)];
  const modules = Object.entries(templateFiles("resource")).filter(([path]) => path.endsWith(".ts"));
  const isUsed = modules.some(([, text]) => variables.some((each) => identifiersIn(text).has(each)));
  return isUsed ? `"${kind}" is a name that the template uses: choose another kind` : undefined;
}
