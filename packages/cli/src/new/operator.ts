/** The files of a new operator, and those of a plugin. */
import { kebabOf } from "./names.ts";
import { type Addition, type OperatorAnswers, type ProjectRecord, recordFiles } from "./project.ts";
import { type Files, rendered, templateFiles } from "./templates.ts";
import { kindWords, managedWords, operatorWords, packageManagerWords, partWords, type Words } from "./words.ts";

/** Returns the files of a new project, with those in which `treadle upgrade` finds what was written. */
export function operatorFiles(answers: OperatorAnswers, version: string): Files {
  const record: ProjectRecord = { version, operator: answers, additions: [] };
  const files = projectFiles(record);
  return { ...files, ...recordFiles(record, files) };
}

/** Returns the files of a new plugin. */
export function pluginFiles(name: string, version: string): Files {
  return rendered(templateFiles("plugin"), { ...operatorWords(name, version), "kube-databases": name });
}

/** Returns all files that the templates give a project with its additions. */
export function projectFiles(record: ProjectRecord): Files {
  const files = rendered(templateFiles("operator"), wordsOf(record));
  return Object.assign({}, files, ...record.additions.map((each) => additionFiles(record, each)));
}

/** Returns the files of one addition. */
export function additionFiles(record: Pick<ProjectRecord, "version" | "operator">, addition: Addition): Files {
  const words = { ...wordsOf(record), "group.template.dev": "group" in addition ? addition.group : record.operator.group };
  switch (addition.type) {
    case "resource":
      return rendered(templateFiles("resource"), { ...words, ...kindWords(addition.kind), ...ownSample(addition.kind) });
    case "managed":
      return rendered(templateFiles("managed"), { ...words, ...managedWords(addition.kind) });
    case "webhook":
      return { ...ofPart(addition, words), ...(addition.isFirst === true ? server(addition, words) : {}) };
    case "step":
    case "component":
    case "dependents":
      return ofPart(addition, words);
  }
}

/** Objects of two kinds with one name would want the same Deployment. */
function ownSample(kind: string): Words {
  return { "name: sample": `name: ${kebabOf(kind)}-sample` };
}

type Part = Extract<Addition, { readonly name: string }>;

/** Parts are beside the module of their kind. */
function ofPart({ type, name, kind, module }: Part, words: Words): Files {
  const folder = module.slice(0, module.lastIndexOf("/") + 1);
  const file = module.slice(folder.length).replace(/\.ts$/, "");
  return inFolder(rendered(templateFiles(type), { ...words, ...kindWords(kind, file), ...partWords(type, name) }), folder);
}

function server({ name, module }: Part, words: Words): Files {
  const folder = module.slice(0, module.lastIndexOf("/") + 1);
  return inFolder(rendered(templateFiles("webhook-server"), { ...words, ...partWords("webhook", name) }), folder);
}

function inFolder(files: Files, folder: string): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/^src\//, folder), text]));
}

function wordsOf({ version, operator: { name, group, kind, packageManager } }: Pick<ProjectRecord, "version" | "operator">): Words {
  return { ...operatorWords(name, version), ...kindWords(kind), ...packageManagerWords(packageManager), "group.template.dev": group };
}
