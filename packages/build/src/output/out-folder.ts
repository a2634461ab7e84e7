/** The folder of the output. Only files that a build has written are removed by the next one. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperatorBuildError } from "../build-error.ts";

/** Names the files of a build, so that the next build may remove them. */
const MARKER = "treadle-build.json";

/** What is written, by its path in the folder with forward slashes. */
export type OutputFiles = ReadonlyMap<string, OutputFile>;

/** A file of the output. */
export interface OutputFile {
  readonly content: string | Uint8Array;
  readonly isExecutable?: boolean;
}

/** Checks that the folder is new, empty or of an earlier build. @throws OperatorBuildError that names a file that is not ours */
export function checkOutFolder(out: string): void {
  const refuse = (what: string): never => {
    throw new OperatorBuildError("ERR_BUILD_OUT", [`${out} ${what}; name another folder by --out, or empty it yourself`]);
  };
  if (!existsSync(out)) return;
  if (!statSync(out).isDirectory()) refuse("is a file");
  const [first] = readdirSync(out);
  if (first !== undefined && !existsSync(join(out, MARKER))) refuse(`has files that treadle-build did not write, such as ${first}`);
  writtenBefore(out, refuse);
}

/** Replaces the output of an earlier build. Files of others in the folder stay. */
export function writeOutFolder(out: string, files: OutputFiles): void {
  try {
    for (const path of writtenBefore(out, () => [])) remove(out, path);
    const marker = `${JSON.stringify({ files: [...files.keys()].toSorted() }, undefined, 2)}\n`;
    // First, so that a build that was interrupted can be repeated.
    for (const [path, { content, isExecutable = false }] of new Map<string, OutputFile>([[MARKER, { content: marker }], ...files])) {
      mkdirSync(dirname(join(out, path)), { recursive: true });
      writeFileSync(join(out, path), content, { mode: isExecutable ? 0o755 : 0o644 });
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new OperatorBuildError("ERR_BUILD_OUT", [`${out} cannot be written: ${text}; name another folder by --out`], { cause: error });
  }
}

function writtenBefore(out: string, refuse: (what: string) => readonly string[]): readonly string[] {
  const marker = join(out, MARKER);
  if (!existsSync(marker)) return [];
  try {
    const { files } = JSON.parse(readFileSync(marker, "utf8")) as { readonly files?: unknown };
    const isOurs = (path: unknown): path is string => typeof path === "string" && !path.startsWith("/") && !path.split("/").includes("..");
    if (Array.isArray(files) && files.every(isOurs)) return files;
  } catch {
    // Refused below.
  }
  return refuse(`has a ${MARKER} that is not of treadle-build`);
}

/** Removes a file, and the folders that are empty then. */
function remove(out: string, path: string): void {
  rmSync(join(out, path), { force: true });
  for (let dir = dirname(path); dir !== "."; dir = dirname(dir)) {
    try {
      rmdirSync(join(out, dir));
    } catch {
      return;
    }
  }
}
