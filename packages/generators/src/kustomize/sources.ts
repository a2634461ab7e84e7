/**
 * Reads a folder into the memory, with the folders that its Kustomizations name, such as `../../base`. Templates are rendered from it.
 *
 * A folder outside the first one is read only if the text of a Kustomization names it, outside of template actions. So no value decides
 * which folders are read.
 */
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { filesBelow } from "@treadle/dependents/unstable/render";
import { invalid, isIn } from "./disk-files.ts";
import { KUSTOMIZATION_NAMES } from "./judge.ts";

/** The files of one or more folders. */
export interface Sources {
  /** The folder that contains all folders that were read: an absolute path. */
  readonly base: string;
  /** The folder to build, relative to `base`, with `/`; empty: `base` itself. */
  readonly root: string;
  /** The contents, by the path relative to `base`, sorted. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The folders that were read: absolute paths. */
  readonly roots: readonly string[];
}

/**
 * Reads a folder, and the folders that its Kustomizations name.
 * @param folder an absolute path without links
 * @throws Error with code ERR_INVALID_KUSTOMIZATION
 */
export function readSources(folder: string): Sources {
  const found = new Map<string, Buffer>();
  const roots = [folder];
  for (const root of roots) {
    for (const [file, content] of filesOf(root)) {
      found.set(file, content);
      if (!KUSTOMIZATION_NAMES.includes(path.basename(file))) continue;
      for (const named of foldersNamedIn(content.toString(), path.dirname(file)))
        if (!roots.some((each) => isIn(each, named)) && !roots.some((each) => isIn(named, each))) roots.push(named);
    }
  }
  const base = roots.reduce(commonFolder);
  const relative = [...found].map(([file, content]) => [path.relative(base, file).replaceAll(path.sep, "/"), content] as const);
  const files = new Map(relative.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { base, root: path.relative(base, folder).replaceAll(path.sep, "/"), files, roots };
}

/** Folders of tools, which may be large, and those of mounted ConfigMaps, whose files are links next to them. */
const SKIPPED = /^(?:\.git|\.\..*)$/;

function filesOf(root: string): readonly (readonly [string, Buffer])[] {
  const isEntered = (file: string): boolean => {
    if (SKIPPED.test(path.basename(file))) return false;
    const here = path.join(root, file);
    // Kustomize reads no file by a link that leads out of the folder of its Kustomization.
    if (!isIn(root, realpathSync(here))) throw invalid(root, [`${here} links to something outside: copy it into the folder`]);
    return true;
  };
  try {
    return [...filesBelow(root, isEntered)].map((file) => [path.join(root, file), readFileSync(path.join(root, file))] as const);
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw invalid(root, [error.message], error);
    throw error;
  }
}

/** An action that prints nothing. */
const CONTROL = /\{\{-?\s*(?:if|else|end|range|with|define|block|break|continue|\/\*|\$\w*\s*:?=).*?\}\}/gs;

/** The folders with a Kustomization outside of `folder` that a text names, outside of template actions. */
function foldersNamedIn(text: string, folder: string): readonly string[] {
  const withoutActions = text.replaceAll(CONTROL, " ").replaceAll(/\{\{.*?\}\}/gs, "\0");
  const words = withoutActions.split(/[\s"',[\]{}]+/).filter((word) => !word.includes("\0") && word.split("/").includes(".."));
  return words.flatMap((word) => realFolder(path.resolve(folder, word)) ?? []);
}

function realFolder(folder: string): string | undefined {
  try {
    const real = realpathSync(folder);
    return readdirSync(real).some((name) => KUSTOMIZATION_NAMES.includes(name)) ? real : undefined;
  } catch {
    return undefined; // The judge reports what does not exist.
  }
}

function commonFolder(a: string, b: string): string {
  let common = a;
  while (!isIn(common, b)) common = path.dirname(common);
  return common;
}
