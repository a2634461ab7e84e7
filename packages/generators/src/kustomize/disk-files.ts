/** The files of the disk, for {@link judge}, and the errors of folders. */
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Files } from "./judge.ts";

/** The files of the disk. A link is what it links to. */
export const diskFiles: Files = {
  at(file) {
    try {
      const real = realpathSync(file);
      const found = statSync(real);
      if (found.isDirectory()) return { type: "folder", path: real };
      return found.isFile() ? { type: "file", path: real } : undefined;
    } catch {
      return undefined;
    }
  },
  read: (file) => readFileSync(file),
};

/** Returns the files of the disk that are in a folder, also after links. @param folder an absolute path without links */
export function diskFilesIn(folder: string): Files {
  const at = (file: string): ReturnType<Files["at"]> => {
    const found = diskFiles.at(file);
    return found !== undefined && isIn(folder, found.path) ? found : undefined;
  };
  return { ...diskFiles, at };
}

/** Whether `file` is `folder`, or in it. */
export function isIn(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/**
 * Returns the absolute path of a folder, without links.
 * @throws Error with code ERR_INVALID_KUSTOMIZATION when it is not a folder that can be read
 */
export function folderAt(given: URL | string): string {
  const folder = typeof given === "string" && !given.startsWith("file:") ? path.resolve(given) : path.resolve(fileURLToPath(given));
  try {
    const real = realpathSync(folder);
    if (!statSync(real).isDirectory()) throw invalid(folder, ["is not a folder"]);
    accessSync(real, constants.R_OK | constants.X_OK);
    return real;
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const isMissing = "code" in error && error.code === "ENOENT";
    throw invalid(folder, [isMissing ? "it does not exist: give a folder in the image of the operator" : error.message], error);
  }
}

/** The error of a folder that is not usable when the operator starts. */
export function invalid(folder: string, problems: readonly string[], cause?: Error): Error {
  const listed = problems.length === 1 ? ` ${problems[0] ?? ""}` : `\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
  const error = new Error(`kustomize: cannot use the folder ${folder}:${listed}`, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code: "ERR_INVALID_KUSTOMIZATION" });
}
