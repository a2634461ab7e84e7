/** Decides what a source on the command line is. */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CliError } from "../../cli-error.ts";

/** A source. `path`: `-` for the standard input. */
export interface Source {
  readonly type: "stdin" | "file" | "folder" | "chart" | "kustomization" | "module";
  readonly path: string;
}

const KUSTOMIZATIONS: readonly string[] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** @throws CliError for what cannot be a source */
export async function sourceOf(word: string): Promise<Source> {
  if (word === "-") return { type: "stdin", path: word };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || /^(oci|git|ssh):/i.test(word))
    throw new CliError(`${word} is an address; download it first, such as by \`helm pull\` or \`git clone\`, and name the file or folder`);
  const found = await stat(word).catch(() => undefined);
  if (found === undefined)
    throw new CliError(`${word} does not exist; a source is a YAML file, a folder, a chart, a kustomization, a module or -`);
  if (found.isDirectory()) return await folderOf(word);
  const extension = path.extname(word).toLowerCase();
  if ([".yaml", ".yml", ".json"].includes(extension)) {
    if (KUSTOMIZATIONS.includes(path.basename(word))) return { type: "kustomization", path: path.dirname(word) };
    if (path.basename(word) === "Chart.yaml") return { type: "chart", path: path.dirname(word) };
    return { type: "file", path: word };
  }
  if (extension === ".tgz" || word.endsWith(".tar.gz")) return { type: "chart", path: word };
  if ([".ts", ".mts", ".js", ".mjs"].includes(extension)) return { type: "module", path: word };
  throw new CliError(`${word} is no source: its name ends with none of .yaml, .yml, .json, .tgz, .ts, .mts, .js and .mjs`);
}

async function folderOf(word: string): Promise<Source> {
  const names = new Set(await readdir(word));
  if (names.has("Chart.yaml")) return { type: "chart", path: word };
  if (KUSTOMIZATIONS.some((name) => names.has(name))) return { type: "kustomization", path: word };
  return { type: "folder", path: word };
}
