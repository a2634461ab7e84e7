/** Writes files all or not at all: into temporary places first, which are renamed at the end. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";

/** Texts by their paths in a folder, with `/`. */
export type Files = Readonly<Record<string, string>>;

/** Makes a folder that does not exist or is free. Until all files are written, nothing has the name of a new one. */
export function writeFolder(folder: string, files: Files, signal: AbortSignal): void {
  // Another folder in its place would leave the shell of the user in one that is deleted.
  if (existsSync(folder)) return writeFiles(folder, files, signal);
  doing(`make ${folder}`, () => {
    const parent = dirname(folder);
    mkdirSync(parent, { recursive: true });
    const temporary = mkdtempSync(join(parent, `.${basename(folder)}-`));
    try {
      for (const [path, text] of Object.entries(files)) {
        const file = join(temporary, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      signal.throwIfAborted();
      renameSync(temporary, folder);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

/**
 * Writes and removes files of a folder that exists. All texts are in temporary files before the first one is renamed. An `undefined` text
 * removes the file, and the folders that are empty then.
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string | undefined>>, signal: AbortSignal): void {
  doing(`write into ${folder}`, () => {
    const waiting: [temporary: string, file: string][] = [];
    const made: string[] = [];
    try {
      for (const [path, text] of Object.entries(files)) {
        const file = join(folder, path);
        if (text === undefined) continue;
        const first = mkdirSync(dirname(file), { recursive: true });
        if (first !== undefined) made.push(first);
        const temporary = join(dirname(file), `.${basename(file)}.treadle-${process.pid}`);
        waiting.push([temporary, file]);
        // A program of the user stays executable.
        writeFileSync(temporary, text, { mode: existsSync(file) ? statSync(file).mode : 0o666 });
      }
      signal.throwIfAborted();
    } catch (error) {
      for (const [temporary] of waiting) rmSync(temporary, { force: true });
      for (const each of made.toReversed()) rmSync(each, { recursive: true, force: true });
      throw error;
    }
    for (const [temporary, file] of waiting) renameSync(temporary, file);
    for (const [path, text] of Object.entries(files)) if (text === undefined) removeFile(folder, path);
  });
}

function removeFile(root: string, path: string): void {
  rmSync(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (!existsSync(join(root, folder)) || readdirSync(join(root, folder)).length > 0) return;
    rmdirSync(join(root, folder));
  }
}

/** Returns whether a folder is free: it does not exist, or has nothing but a repository without files. @throws CliError if it is no folder */
export function isFree(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return true;
  if (!found.isDirectory()) throw new CliError(`${folder} is a file: choose another folder with --dir`);
  return readdirSync(folder).every((name) => name === ".git");
}

/** Errors of the file system become sentences. */
function doing(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (typeof code !== "string" || error instanceof DOMException) throw error;
    const reason = REASONS[code] ?? (error instanceof Error ? error.message : code);
    throw new CliError(`cannot ${what}: ${reason}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you may not write there; choose another folder, or change its rights",
  EPERM: "you may not write there; choose another folder, or change its rights",
  EROFS: "the file system is read-only; choose another folder",
  ENOSPC: "the disk is full",
  EEXIST: "a part of the path is a file; choose another folder",
  ENOTDIR: "a part of the path is a file; choose another folder",
  EISDIR: "a folder has the name of a file; move it away",
};
