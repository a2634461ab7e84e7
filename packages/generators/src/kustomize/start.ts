/** What can be judged of a folder with templates before anything is rendered. */
import path from "node:path";
import { diskFiles, isIn } from "./disk-files.ts";
import { resourcesOf } from "./generated.ts";
import { judge, kustomizationIn, REMOTE } from "./judge.ts";
import type { Sources } from "./sources.ts";

/**
 * Returns the problems of a folder when the operator starts. A Kustomization with template actions is judged without them, and only its
 * remote references are problems: everything else may depend on the values.
 * @param templates the files with template actions
 */
export function problemsAtStart({ base, root, files }: Sources, templates: ReadonlySet<string>): readonly string[] {
  const isTemplate = (file: string): boolean => templates.has(path.relative(base, file));
  const source = {
    ...diskFiles,
    read: (file: string) => (isTemplate(file) ? Buffer.from(withoutActions(diskFiles.read(file).toString())) : diskFiles.read(file)),
  };
  const folder = path.join(base, root);
  const options = { titleOf: (file: string) => path.relative(folder, file) || ".", allowsPluginFolders: false };
  const problems = startingPoints(
    folder,
    [...files.keys()].map((file) => path.join(base, file)),
  ).flatMap((each) => {
    const judged = judge(source, each, options);
    const hasTemplates = [...judged.read].some(isTemplate);
    return judged.problems.filter((problem) => !hasTemplates || problem.endsWith(REMOTE));
  });
  return [...new Set(problems)];
}

/** Returns a text without its template actions, and without lines that contain nothing else. */
function withoutActions(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\{\{.*?\}\}[ \t]*)+$/gms, "").replaceAll(/\{\{.*?\}\}/gs, "x");
}

/** The folders with a Kustomization from which Kustomize starts. */
function startingPoints(folder: string, files: readonly string[]): readonly string[] {
  if (kustomizationIn(diskFiles, folder) !== undefined) return [folder];
  const inFolder = files.filter((file) => isIn(folder, file)).map((file) => path.relative(folder, file));
  return resourcesOf(inFolder)
    .map((resource) => path.join(folder, resource))
    .filter((each) => diskFiles.at(each)?.type === "folder");
}
