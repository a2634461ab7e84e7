/** `treadle generate`: from a module to files. */
import { join, posix, relative, resolve, sep } from "node:path";
import { type LoadedProgram, loadProgram, noHandler, withConfigFile } from "@treadle/controller/unstable/program";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { packageOf, type ProgramPackage } from "./files/package.ts";
import { settle } from "./files/settle.ts";
import { helmLayout } from "./layouts/helm.ts";
import { kustomizeLayout } from "./layouts/kustomize.ts";
import type { Layout, LayoutInput } from "./layouts/layout.ts";
import { plainLayout } from "./layouts/plain.ts";
import { notesOf } from "./notes.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { inOrder, partsOf } from "./parts.ts";
import { documentsOf } from "./yaml.ts";

/** Flags of the command. */
export interface GenerateFlags {
  readonly format?: "yaml" | "kustomize" | "helm";
  readonly out?: string;
  readonly check?: boolean;
  readonly name?: string;
  readonly namespace?: string;
  readonly namespaces?: string;
  readonly namespaced?: boolean;
  readonly image?: string;
  readonly replicas?: string;
  readonly monitoring?: boolean;
  readonly output?: "json";
}

const LAYOUTS: Readonly<Record<NonNullable<GenerateFlags["format"]>, (input: LayoutInput) => Layout>> = {
  yaml: plainLayout,
  kustomize: kustomizeLayout,
  helm: helmLayout,
};

/** @throws CliError for flags that do not go together, and for files of the user in the way; ProgramError for a module that cannot be loaded */
export async function runGenerate(module: string, flags: GenerateFlags, terminal: Terminal): Promise<ExitCode> {
  checkFlags(flags);
  const { operator, notes } = await operatorIn(module, flags, terminal);
  const parts = partsOf(operator);
  if (flags.out === "-") {
    terminal.out(documentsOf(inOrder(parts, { withMonitoring: flags.monitoring === true })));
    for (const note of notes) terminal.err(`Note: ${note}\n`);
    return EXIT.ok;
  }
  const { format = "kustomize" } = flags;
  const { out = format === "helm" ? join("deploy", "chart") : "deploy" } = flags;
  const source = relative(resolve(out), resolve(module)).split(sep).join(posix.sep);
  const { version } = await packageOf(module);
  const layout = LAYOUTS[format]({ operator, parts, source, version });
  return await settle({ folder: out, layout, isCheck: flags.check, output: flags.output, notes }, terminal);
}

function checkFlags({ out, format, output, check, namespaces, namespaced, monitoring }: GenerateFlags): void {
  if (namespaces !== undefined && namespaces.split(",").every((each) => each === ""))
    throw new CliError("--namespaces is empty: name one, or leave it out for all");
  if (namespaces !== undefined && namespaced === true)
    throw new CliError("--namespaces and --namespaced do not go together: --namespaced means the namespace of the operator");
  if (out === "-" && (check === true || output !== undefined))
    throw new CliError(`--out - prints manifests, so it does not go together with ${check === true ? "--check" : "-o json"}`);
  if (out === "-" && format !== undefined && format !== "yaml")
    throw new CliError(`--out - prints plain YAML: leave out --format ${format}, or name a folder`);
  if (out !== "-" && monitoring === true)
    throw new CliError("--monitoring is for --out -: a folder always has the files of monitoring, in a folder of their own");
}

async function operatorIn(
  module: string,
  flags: GenerateFlags,
  terminal: Terminal,
): Promise<{ readonly operator: Operator; readonly notes: readonly string[] }> {
  const program = await withFiles(await terminal.apart(() => loadProgram(module)));
  if (program.handlers.length === 0 && program.runnables.length === 0) throw noHandler(module);
  const { replicas, namespaces } = flags;
  if (replicas !== undefined && !/^\d{1,3}$/.test(replicas)) throw new CliError(`--replicas ${JSON.stringify(replicas)} is not a number`);
  const given = await packageOf(module);
  const name = flags.name ?? nameOf(program, given);
  const operator = operatorOf(program, {
    name,
    module,
    // A tag has no + of a version.
    image: flags.image ?? `${name}:${given.version.replaceAll("+", "-")}`,
    namespace: flags.namespace,
    namespaces: namespaces?.split(",").filter((each) => each !== ""),
    isNamespaced: flags.namespaced === true,
    replicas: replicas === undefined ? undefined : Number(replicas),
  });
  return { operator, notes: notesOf(program, operator) };
}

/** A file of settings that is only in the image cannot be read here, and says so. */
async function withFiles(program: LoadedProgram): Promise<LoadedProgram> {
  const managers = await Promise.all(
    program.managers.map((manager) =>
      withConfigFile(manager).catch((error: unknown) => {
        throw new CliError(`${(error as Error).message}\nRun the command where the file is found, as the program does.`, { cause: error });
      }),
    ),
  );
  return { ...program, managers };
}

function nameOf({ handlers }: LoadedProgram, { name }: ProgramPackage): string {
  const found = name || (handlers[0]?.name.split(".")[0] ?? "");
  if (found === "") throw new CliError("give the operator a name: --name NAME, or a name in package.json");
  return found;
}
