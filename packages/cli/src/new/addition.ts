/** Adds a part to a project: its new files, and the lines that connect it. Pure but for reads of the project. */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { CliError } from "../cli-error.ts";
import { lacksOption, withAdded, withImport, withStep, withWebhook } from "./edits.ts";
import { camelOf, kebabOf, pluralVariableOf } from "./names.ts";
import { additionFiles } from "./project-files.ts";
import type { Plan, Unplaced } from "./plan.ts";
import { type Addition, modulesOf, type Project, type ProjectRecord } from "./project.ts";
import { identifiersIn, isCallOf, nodesIn, treeOf } from "./source.ts";
import { templateFiles } from "./templates.ts";

/** Path of the module that runs the manager. */
const MAIN = "src/main.ts";

/** Returns what an addition writes. `record` has the answers of the project. @throws CliError if the name is in use */
export function additionPlan(project: Project, record: Pick<ProjectRecord, "version" | "operator">, addition: Addition): Plan {
  const files = additionFiles(record, addition);
  const changes = new Changes(project.folder);
  refuseUsedName(changes, project, addition);
  for (const each of linesOf(project, addition, files)) changes.place(each);
  if (addition.type === "component" || addition.type === "dependents") {
    const { kind, module: path } = addition;
    // The status of the kind must have room for the entries.
    if (lacksOption(changes.text(path) ?? "", kind, "dependents"))
      changes.unplaced.push({ path, line: "dependents: true,", where: `in defineResource() of ${kind}` });
  }
  return { files, edits: changes.edits(), unplaced: changes.unplaced };
}

/** A line that connects a part, and how to place it. */
interface Line extends Unplaced {
  /** What the line uses, and the module that exports it. */
  readonly uses: readonly [name: string, module: string];
  /** Returns the new text of the module, or `undefined` if there is not exactly one place. */
  edit(text: string): string | undefined;
}

function linesOf(project: Project, addition: Addition, files: Plan["files"]): readonly Line[] {
  switch (addition.type) {
    case "resource":
      return [ofMain(pluralVariableOf(addition.kind), `src/${kebabOf(addition.kind)}-handler.ts`)];
    case "managed":
      return [addition.kind, `${addition.kind}Config`].map((kind) =>
        ofMain(pluralVariableOf(kind), `src/${kebabOf(addition.kind)}-handler.ts`),
      );
    case "webhook":
      return ofWebhook(project, addition, files);
    case "step":
    case "component":
    case "dependents":
      return [ofHandler(project, addition)];
  }
}

function ofMain(name: string, module: string): Line {
  return {
    path: MAIN,
    line: `manager.add(${name});`,
    where: "before the manager runs",
    uses: [name, module],
    edit: (text) => withAdded(text, name),
  };
}

type Part = Extract<Addition, { readonly name: string }>;

function ofHandler({ resources }: Project, { kind, name, module }: Part): Line {
  const variable = camelOf(name);
  const handlers = resources.find((each) => each.kind === kind)?.handlers ?? [];
  return {
    path: handlers[0] ?? module,
    line: `.step(${variable})`,
    where: `before .build() of handler(${kind})`,
    uses: [variable, beside(module, `${name}.ts`)],
    // Two modules with a handler of one kind: a person has to choose.
    edit: (text) => (handlers.length === 1 ? withStep(text, kind, variable) : undefined),
  };
}

function ofWebhook({ folder }: Project, { name, module, isFirst }: Part, files: Plan["files"]): readonly Line[] {
  const variable = camelOf(name);
  const server = Object.keys(files).find((path) => path.endsWith("webhook-server.ts")) ?? beside(module, "webhook-server.ts");
  if (isFirst === true) return [ofMain("server", server)];
  return [
    {
      path: serverModule(folder) ?? server,
      line: variable,
      where: "in the list of webhookServer([...])",
      uses: [variable, beside(module, `${name}.ts`)],
      edit: (text) => withWebhook(text, variable),
    },
  ];
}

/** The module of a project that calls `webhookServer()`; `undefined` if there is none. */
export function serverModule(folder: string): string | undefined {
  return modulesOf(folder).find((path) => {
    const tree = treeOf(readFileSync(join(folder, path), "utf8"));
    return tree !== undefined && [...nodesIn(tree)].some((node) => isCallOf(node, "webhookServer"));
  });
}

/** The texts of the modules of a user, as they will be. */
class Changes {
  readonly unplaced: Unplaced[] = [];
  readonly #folder: string;
  readonly #texts = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text of a module; `undefined` if there is none. */
  text(path: string): string | undefined {
    const file = join(this.#folder, path);
    return this.#texts.get(path) ?? (existsSync(file) ? readFileSync(file, "utf8") : undefined);
  }

  place({ path, line, where, uses: [name, module], edit }: Line): void {
    const text = this.text(path);
    const from = relativeImport(path, module);
    const edited = text === undefined ? undefined : edit(text);
    const imported = edited === undefined ? undefined : withImport(edited, name, from);
    if (imported !== undefined) this.#texts.set(path, imported);
    else this.unplaced.push({ path, line, where }, { path, line: `import { ${name} } from "${from}";`, where: "beside the other imports" });
  }

  edits(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }
}

/** A name that a module already uses would not compile there. */
function refuseUsedName(changes: Changes, project: Project, addition: Addition): void {
  const [name, variables] =
    "name" in addition
      ? [addition.name, [camelOf(addition.name)]]
      : [
          addition.kind,
          [addition.kind, pluralVariableOf(addition.kind), ...(addition.type === "managed" ? [`${addition.kind}Config`] : [])],
        ];
  const own = Object.entries(templateFiles(addition.type)).filter(([path]) => path.endsWith(".ts"));
  const targets = linesPaths(project, addition).map((path): [string, string] => [path, changes.text(path) ?? ""]);
  for (const [path, text] of [...own, ...targets]) {
    const used = identifiersIn(text);
    const found = variables.find((each) => used.has(each));
    if (found === undefined) continue;
    const place = targets.some(([target]) => target === path) ? path : `the ${addition.type} that would be written`;
    throw new CliError(`"${name}" cannot be used: ${place} has another "${found}"; choose another name`);
  }
}

function linesPaths(project: Project, addition: Addition): readonly string[] {
  if (!("name" in addition)) return [MAIN];
  if (addition.type === "webhook") return [serverModule(project.folder) ?? MAIN];
  return project.resources.find(({ kind }) => kind === addition.kind)?.handlers ?? [];
}

function beside(module: string, file: string): string {
  return posix.join(posix.dirname(module), file);
}

function relativeImport(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
