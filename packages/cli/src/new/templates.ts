/** The template files of the package, and what they become. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../cli-error.ts";
import type { Files } from "../files/write.ts";
import { replaced, type Words } from "./words.ts";

/** What is made of a template: a project, or a part of one. */
export type TemplateName = "operator" | "plugin" | "resource" | PartType;

/** The parts that can be added to a resource. */
export const PART_TYPES = ["step", "component", "dependents", "webhook"] as const;

/** A part of a resource. */
export type PartType = (typeof PART_TYPES)[number];

/** Files that no project has at its beginning. */
const OF_PARTS = /template-(?:step|component|dependents|webhook|managed)|webhook-server/;

const CHOSEN: Readonly<Record<TemplateName | "managed" | "webhook-server", (path: string) => boolean>> = {
  operator: (path) => !OF_PARTS.test(path),
  plugin: () => true,
  resource: (path) => path.includes("template-kind"),
  step: (path) => path.includes("template-step"),
  component: (path) => path.includes("template-component"),
  dependents: (path) => path.includes("template-dependents"),
  managed: (path) => path.includes("template-managed"),
  webhook: (path) => path.includes("template-webhook"),
  "webhook-server": (path) => path.includes("webhook-server"),
};

/** Returns the files of a template as they are in the package. @throws CliError if the package is incomplete */
export function templateFiles(name: keyof typeof CHOSEN): Files {
  const folder = join(fileURLToPath(new URL("../../templates/", import.meta.url)), name === "plugin" ? "plugin" : "operator");
  if (!existsSync(folder)) throw new CliError(`${folder} does not exist: install @treadle/cli again`);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)).replaceAll("\\", "/"))
    // Tests in this folder leave these.
    .filter((path) => !/^(?:node_modules|\.results)\//.test(path) && CHOSEN[name](path));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Returns the files with their words replaced. `_gitignore` becomes `.gitignore`: npm treats such names in a package differently. */
export function rendered(files: Files, words: Words): Files {
  const pathOf = (path: string): string => replaced(path.replace(/(^|\/)_/g, "$1."), words);
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [pathOf(path), replaced(text, words)]));
}
