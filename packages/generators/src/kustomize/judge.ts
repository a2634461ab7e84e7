/**
 * Decides before Kustomize runs what it would read: nothing remote, and no file that it is not given.
 *
 * Guarantees
 * - All Kustomizations that Kustomize would read are judged, from the root on.
 * - A reference is refused unless it names something that exists among the files. In a rendered folder these are the files of the operator
 *   alone, so a value of a custom resource is no way out of the folder, whatever form it has.
 * - No problem contains a value.
 */
import path from "node:path/posix";
import { readYaml, YamlError } from "@treadle/dependents/unstable/render";
import { withoutQuotes } from "./messages.ts";
import { isRemote, pluginReferencesIn, type Reference, referencesIn, type Found } from "./references.ts";

/** The end of the problem of a remote reference. */
export const REMOTE = "is remote: put what it names into the image";

/** The names of the file of a Kustomization. */
export const KUSTOMIZATION_NAMES: readonly string[] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** Files that Kustomize reads: those of the disk, or those that were rendered. Paths are absolute, and have no links. */
export interface Files {
  /** What is at a path, after links; `undefined`: nothing that may be read. */
  at(path: string): { readonly type: "file" | "folder"; readonly path: string } | undefined;
  read(file: string): Uint8Array;
}

/** What {@link judge} needs besides the files. */
export interface JudgeOptions {
  /** The name of a file for problems. @defaultValue its path */
  readonly titleOf?: (file: string) => string;
  /** Whether Kustomize may build the configuration of plugins from a folder. Such a configuration is not known before. */
  readonly allowsPluginFolders: boolean;
}

/** What was judged. */
export interface Judged {
  /** What is wrong, each with its file. Empty: Kustomize may run. */
  readonly problems: readonly string[];
  /** The documents of the Kustomizations and of the configurations of plugins, by file. */
  readonly documents: ReadonlyMap<string, readonly unknown[]>;
  /** The folders with a Kustomization that were reached. */
  readonly folders: ReadonlySet<string>;
  /** The files that were read. */
  readonly read: ReadonlySet<string>;
}

/** Judges the Kustomization in the folder `root`, and all that it names. */
export function judge(files: Files, root: string, options: JudgeOptions): Judged {
  const judging = new Judging(files, options);
  judging.folder(root);
  return judging;
}

/** Returns the file of the Kustomization in a folder; `undefined` without one. */
export function kustomizationIn(files: Pick<Files, "at">, folder: string): string | undefined {
  return kustomizationsIn(files, folder)[0];
}

function kustomizationsIn(files: Pick<Files, "at">, folder: string): readonly string[] {
  return KUSTOMIZATION_NAMES.map((name) => path.join(folder, name)).filter((file) => files.at(file)?.type === "file");
}

class Judging implements Judged {
  readonly problems: string[] = [];
  readonly documents = new Map<string, readonly unknown[]>();
  readonly folders = new Set<string>();
  readonly read = new Set<string>();
  readonly #files: Files;
  readonly #titleOf: (file: string) => string;
  readonly #allowsPluginFolders: boolean;

  constructor(files: Files, { titleOf = (file) => file, allowsPluginFolders }: JudgeOptions) {
    this.#files = files;
    this.#titleOf = titleOf;
    this.#allowsPluginFolders = allowsPluginFolders;
  }

  folder(folder: string, isOfPlugins = false): void {
    if (this.folders.has(folder)) return;
    this.folders.add(folder);
    const [file, second] = kustomizationsIn(this.#files, folder);
    if (file === undefined) return void this.#problem(folder, `has no ${KUSTOMIZATION_NAMES.join(", ")}`);
    if (second !== undefined) this.#problem(second, `is a second Kustomization in its folder: remove one`);
    const documents = this.#documentsIn(file);
    if (documents === undefined) return;
    if (documents.length > 1) this.#problem(file, "has more than one document");
    for (const each of documents) this.#found(file, folder, referencesIn(each), isOfPlugins);
  }

  /** Returns the documents of a file; `undefined`: they have a problem. */
  #documentsIn(file: string): readonly unknown[] | undefined {
    this.read.add(file);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(this.#files.read(this.#files.at(file)?.path ?? file));
      const documents = readYaml(text)
        .map(({ value }) => value)
        .filter((value) => value !== null);
      this.documents.set(file, documents);
      return documents;
    } catch (error) {
      // A key may come from a template.
      if (error instanceof YamlError)
        this.#problem(`${this.#titleOf(file)}:${error.line}`, `is not usable YAML: ${withoutQuotes(error.message)}`);
      else if (error instanceof TypeError) this.#problem(file, "is not text in UTF-8");
      else throw error;
      return undefined;
    }
  }

  #found(file: string, folder: string, { references, problems }: Found, isOfPlugins: boolean): void {
    for (const problem of problems) this.#problem(file, problem);
    for (const each of references) {
      const problem = this.#reference(folder, each, isOfPlugins);
      if (problem !== undefined) this.#problem(file, `${each.field} ${problem}`);
    }
  }

  #reference(folder: string, { path: given, target }: Reference, isOfPlugins: boolean): string | undefined {
    if (isRemote(given)) return REMOTE;
    if (given === "") return "is empty";
    if (path.isAbsolute(given)) return "is an absolute path: write it relative to the folder of its file";
    const found = given.includes("\0") ? undefined : this.#files.at(path.join(folder, given));
    if (found === undefined) return "names nothing that exists in the folder, or in a folder that a Kustomization of yours names";
    if (found.type === "file") {
      if (target === "folder") return "names a file, and must name a folder";
      if (!found.path.startsWith(`${folder}/`.replace("//", "/")))
        return "names a file above the folder of its Kustomization, which Kustomize does not read: name a folder with a Kustomization";
      if (target === "plugin" || isOfPlugins) this.#plugins(found.path, folder, isOfPlugins);
      return undefined;
    }
    if (target === "file") return "names a folder, and must name a file";
    if (target === "plugin" && !this.#allowsPluginFolders)
      return "names a folder: name the files with the configuration of plugins, because those of a folder are not known before";
    this.folder(found.path, isOfPlugins || target === "plugin");
    return undefined;
  }

  #plugins(file: string, folder: string, isOfPlugins: boolean): void {
    if (this.read.has(file)) return;
    for (const each of this.#documentsIn(file) ?? []) this.#found(file, folder, pluginReferencesIn(each), isOfPlugins);
  }

  #problem(file: string, problem: string): void {
    this.problems.push(`${file.startsWith("/") ? this.#titleOf(file) : file}: ${problem}`);
  }
}
