/** `treadle new`: from the words of a command line to files. */
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { VERSION } from "../version.ts";
import { additionPlan, serverModule } from "./addition.ts";
import { type Asker, askerOf } from "./ask.ts";
import { operatorNameProblem } from "./names.ts";
import { additionFiles, operatorFiles, pluginFiles } from "./operator.ts";
import type { Plan } from "./plan.ts";
import { type Addition, findProject, projectAround, type OperatorAnswers, type Project, readBase, recordFiles } from "./project.ts";
import { kindAnswers, operatorAnswers, type OperatorFlags, partAnswers } from "./questions.ts";
import type { Files, PartType } from "./templates.ts";
import { isFree, writeFiles, writeFolder } from "./write.ts";

/** Flags of all commands of `treadle new`. */
export interface NewFlags {
  readonly dir?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** `treadle new operator`. @throws CliError for answers that cannot be used, and for a folder with files */
export async function runNewOperator(name: string | undefined, flags: NewFlags & OperatorFlags, terminal: Terminal): Promise<ExitCode> {
  const asker = askerOf(terminal, flags);
  const answers = await operatorAnswers(asker, name, flags, terminal.env["npm_config_user_agent"]);
  const folder = resolve(flags.dir ?? answers.name);
  if (!(await writeProject(folder, operatorFiles(answers, VERSION), { asker, flags, terminal }))) return EXIT.no;
  terminal.out(operatorText(folder, answers));
  return EXIT.ok;
}

/** `treadle new plugin`: a project of its own. */
export async function runNewPlugin(name: string | undefined, flags: NewFlags, terminal: Terminal): Promise<ExitCode> {
  const asker = askerOf(terminal, flags);
  const chosen = await asker.ask({
    flag: "NAME",
    message: "Name of the plugin, such as kube-databases",
    given: name,
    problem: operatorNameProblem,
  });
  const folder = resolve(flags.dir ?? chosen);
  if (!(await writeProject(folder, pluginFiles(chosen, VERSION), { asker, flags, terminal }))) return EXIT.no;
  const shown = shownPath(folder);
  terminal.out(
    `Made ${shown}, a plugin. Next:\n\n  cd ${shown}\n  npm install\n  npm test\n\nREADME.md there shows how an operator uses it.\n`,
  );
  return EXIT.ok;
}

/** `treadle new resource` and `treadle new managed`. */
export async function runNewKind(
  type: "resource" | "managed",
  kind: string | undefined,
  flags: NewFlags & { readonly group?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const project = findProject(flags.dir ?? ".");
  const asker = askerOf(terminal, flags);
  const answers = await kindAnswers(asker, project, type, { kind, group: flags.group });
  return await add(project, { type, ...answers }, { asker, flags, terminal });
}

/** `treadle new step`, `component`, `dependents` and `webhook`. */
export async function runNewPart(
  type: PartType,
  name: string | undefined,
  flags: NewFlags & { readonly for?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const project = findProject(flags.dir ?? ".");
  const asker = askerOf(terminal, flags);
  const { name: chosen, resource } = await partAnswers(asker, project, type, { name, for: flags.for });
  const isFirst = type === "webhook" && serverModule(project.folder) === undefined;
  const addition = { type, name: chosen, kind: resource.kind, module: resource.module, ...(isFirst ? { isFirst } : {}) };
  return await add(project, addition, { asker, flags, terminal });
}

interface Context {
  readonly asker: Asker;
  readonly flags: NewFlags;
  readonly terminal: Terminal;
}

/** Returns false if the user does not agree. */
async function writeProject(folder: string, files: Files, { asker, flags, terminal }: Context): Promise<boolean> {
  if (isFree(folder)) {
    writeFolder(folder, files, terminal.signal);
    return true;
  }
  const existing = Object.keys(files).filter((path) => existsSync(join(folder, path)));
  const what = existing.length === 0 ? `${folder} is not empty` : `${folder} is not empty, and has ${listed(existing)}`;
  if (!(await mayOverwrite({ asker, flags }, `${what}.`, "choose another folder with --dir"))) return false;
  writeFiles(folder, files, terminal.signal);
  return true;
}

async function add(project: Project, addition: Addition, { asker, flags, terminal }: Context): Promise<ExitCode> {
  const { folder, record } = project;
  const basis = record ?? withoutRecord(project, addition);
  const plan = additionPlan(project, { ...basis, version: VERSION }, addition);
  const existing = Object.keys(plan.files).filter((path) => existsSync(join(folder, path)));
  if (existing.length > 0) {
    const what = `${folder} has ${listed(existing)}.`;
    if (!(await mayOverwrite({ asker, flags }, what, "choose another name"))) return EXIT.no;
  }
  const base = record === undefined ? undefined : readBase(folder);
  const additions = [...(record?.additions ?? []).filter((each) => !isSame(each, addition)), addition];
  const records =
    record === undefined || base === undefined
      ? {}
      : recordFiles({ ...record, additions }, { ...base, ...additionFiles({ ...basis, version: record.version }, addition) });
  writeFiles(folder, { ...plan.files, ...plan.edits, ...records }, terminal.signal);
  terminal.out(additionText(plan));
  return EXIT.ok;
}

function isSame(a: Addition, b: Addition): boolean {
  const key = (each: Addition): string => JSON.stringify([each.type, "name" in each ? each.name : "", each.kind]);
  return key(a) === key(b);
}

/** What the templates need of a project that `treadle new operator` did not make. */
function withoutRecord({ name }: Project, addition: Addition): { readonly version: string; readonly operator: OperatorAnswers } {
  const group = "group" in addition ? addition.group : "";
  return { version: VERSION, operator: { name, group, kind: addition.kind, packageManager: "npm" } };
}

async function mayOverwrite({ asker, flags }: Pick<Context, "asker" | "flags">, what: string, advice: string): Promise<boolean> {
  if (flags.force === true) return true;
  const agrees = await asker.agrees(`${what} Overwrite?`);
  if (agrees === undefined) throw new CliError(`${what}\nNothing was written: ${advice}, or add --force to overwrite.`);
  return agrees;
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(", ");
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more of the files` : shown;
}

function operatorText(folder: string, { packageManager }: OperatorAnswers): string {
  const shown = shownPath(folder);
  const test = packageManager === "npm" ? "npm test" : `${packageManager} test`;
  return [
    `Made ${shown}. Next:`,
    "",
    ...(shown === "." ? [] : [`  cd ${shown}`]),
    `  ${packageManager} install`,
    `  ${test}`,
    `  ${packageManager} run dev`,
    "",
    "README.md there shows the way into a cluster.",
    ...insideOf(folder),
    "",
  ].join("\n");
}

/** A user in the folder of a project may have meant a second resource. */
function insideOf(folder: string): readonly string[] {
  let around: string | undefined;
  try {
    around = projectAround(dirname(folder));
  } catch {
    // A package.json above that cannot be read is no matter of the new project.
  }
  return around === undefined
    ? []
    : ["", `Note: it is inside of the project ${around}. \`treadle new resource KIND\` adds a resource to that project instead.`];
}

function additionText({ files, edits, unplaced }: Plan): string {
  const lines = [...Object.keys(files).map((path) => `Wrote ${path}`), ...Object.keys(edits).map((path) => `Changed ${path}`)];
  if (unplaced.length > 0) {
    lines.push("", "These lines have no certain place. Add them by hand:");
    for (const { path, line, where } of unplaced) lines.push(`  ${path}, ${where}:`, `    ${line}`);
  }
  return `${lines.join("\n")}\n`;
}

function shownPath(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === "" ? "." : path.startsWith("..") ? folder : path;
}
