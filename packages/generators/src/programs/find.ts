/**
 * Finds a program and checks its version.
 *
 * Guarantees
 * - The version is asked once for each file. A file that was replaced is asked again.
 * - A program that is missing or unsuitable is looked for again after a minute, at the next rendering.
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join } from "node:path";
import type { Clock } from "@treadle/apimachinery";
import { TerminalError } from "@treadle/reconcile";
import { codeOf, isShortage } from "./codes.ts";
import { type ChildEnd, type ChildOptions, runChild, TIMEOUT_MS } from "./child.ts";
import { makeEnvironment } from "./environment.ts";
import type { PrivateFolder } from "./temporary.ts";

/** A program that renders. */
export interface Program {
  /** The name of its file in PATH. */
  readonly name: "helm" | "kustomize" | "kubectl";
  /** The environment variable with the absolute path of its file. */
  readonly variable: string;
}

/** A program that was found, with a suitable version. */
export interface FoundProgram {
  /** What the file is. It is `kubectl` where `kubectl kustomize` does the work of Kustomize. */
  readonly name: Program["name"];
  /** The absolute path of the file. */
  readonly file: string;
  /** The version of Helm or of Kustomize, e.g. `v4.3.1`. */
  readonly version: string;
}

/** Helm, 3.8 or later, or 4. */
export const HELM: Program = { name: "helm", variable: "TREADLE_HELM" };

/** Kustomize, 5 or later. Without one, `kubectl kustomize` of the same version is used. */
export const KUSTOMIZE: Program = { name: "kustomize", variable: "TREADLE_KUSTOMIZE" };

interface VersionRule {
  readonly title: string;
  readonly args: readonly string[];
  /** Finds the version in the output. The first group is the version, then major and minor. */
  readonly pattern: RegExp;
  readonly needs: string;
  readonly isSuitable: (major: number, minor: number) => boolean;
}

const KUSTOMIZE_5 = { needs: "Kustomize 5 or later", isSuitable: (major: number): boolean => major >= 5 };

const RULES: Readonly<Record<Program["name"], VersionRule>> = {
  helm: {
    title: "Helm",
    args: ["version", "--short"],
    pattern: /(v(\d+)\.(\d+)[\w.-]*)/,
    needs: "Helm 3.8 or later, or 4",
    isSuitable: (major, minor) => major === 4 || (major === 3 && minor >= 8),
  },
  kustomize: { title: "Kustomize", args: ["version"], pattern: /(v(\d+)\.(\d+)[\w.-]*)/, ...KUSTOMIZE_5 },
  kubectl: {
    title: "Kustomize",
    args: ["version", "--client", "-o", "json"],
    pattern: /"kustomizeVersion": *"(v(\d+)\.(\d+)[\w.-]*)/,
    ...KUSTOMIZE_5,
  },
};

/** After this time a missing program is looked for again, in milliseconds. */
const FORGET_MISSING_MS = 60_000;

/** What a {@link Finder} needs. */
export interface FinderOptions {
  /** The clock of the operator. */
  readonly clock: Pick<Clock, "elapsed">;
  /** Where the folders of the programs are made. */
  readonly folder: PrivateFolder;
  /** The environment with PATH and the variables of the programs. It is read at each search. @defaultValue `process.env` */
  readonly env?: NodeJS.ProcessEnv;
}

interface Candidate {
  readonly name: Program["name"];
  readonly file: string;
  /** Changes when the file is replaced. */
  readonly identity: string;
}

/** Finds programs, and remembers what it found. */
export class Finder {
  readonly #options: FinderOptions;
  /** The versions by the identity of the file. */
  readonly #versions = new Map<string, Promise<FoundProgram>>();
  readonly #missing = new Map<string, { readonly error: TerminalError; readonly sinceMs: number }>();

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /**
   * Finds a program.
   * @throws TerminalError with the code `ProgramMissing`, which names the variable and docs/generators.md
   */
  async find(program: Program): Promise<FoundProgram> {
    const before = this.#missing.get(program.name);
    const now = this.#options.clock.elapsed();
    if (before !== undefined && now - before.sinceMs < FORGET_MISSING_MS) throw before.error;
    this.#missing.delete(program.name);
    try {
      return await this.#checked(program, await locate(program, this.#options.env ?? process.env));
    } catch (error) {
      if (error instanceof TerminalError && error.code === "ProgramMissing") this.#missing.set(program.name, { error, sinceMs: now });
      throw error;
    }
  }

  async #checked(program: Program, candidate: Candidate): Promise<FoundProgram> {
    const key = `${candidate.name} ${candidate.identity}`;
    let version = this.#versions.get(key);
    if (version === undefined) {
      version = askVersion(program, candidate, this.#options.folder);
      this.#versions.set(key, version);
      // A failure may be one of the moment.
      version.catch(() => this.#versions.delete(key));
    }
    return await version;
  }
}

/** @throws TerminalError with the code `ProgramMissing` */
async function locate(program: Program, env: NodeJS.ProcessEnv): Promise<Candidate> {
  const given = env[program.variable] ?? "";
  if (given !== "") {
    const problem = isAbsolute(given) ? await problemOf(given) : "is no absolute path";
    if (typeof problem === "string") throw missing(program, `${program.variable}=${given} ${problem}`);
    const isKubectl = program.name === "kustomize" && basename(given).startsWith("kubectl");
    return { name: isKubectl ? "kubectl" : program.name, file: given, identity: problem.identity };
  }
  const names = program.name === "kustomize" ? (["kustomize", "kubectl"] as const) : ([program.name] as const);
  const folders = (env["PATH"] ?? "").split(delimiter).filter((each) => isAbsolute(each));
  for (const name of names) {
    for (const folder of folders) {
      const file = join(folder, process.platform === "win32" ? `${name}.exe` : name);
      const found = await problemOf(file);
      if (typeof found !== "string") return { name, file, identity: found.identity };
    }
  }
  throw missing(program, `there is no ${names.join(" and no ")} in PATH`);
}

/** Returns what is wrong with a file as a program, or its identity. */
async function problemOf(file: string): Promise<string | { readonly identity: string }> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return "is no file";
    await access(file, constants.X_OK);
    return { identity: [file, found.dev, found.ino, found.size, found.mtimeMs].join(" ") };
  } catch (error) {
    if (isShortage(error)) throw error;
    return codeOf(error) === "EACCES" ? "is not executable by the operator" : "does not exist";
  }
}

async function askVersion(program: Program, { name, file }: Candidate, root: PrivateFolder): Promise<FoundProgram> {
  const { args, pattern, needs, isSuitable, title } = RULES[name];
  const end = await runClean(root, name, { file, args, maxStdoutBytes: 64 * 1024 });
  if (end.type === "not-started") throw notStarted(program, file, end.error);
  // The machine may have had no memory, or no time, for the moment.
  if (end.type === "exited" && end.signal !== null) throw new Error(`cannot ask ${file} for its version: ${end.signal} ended it`);
  if (end.type === "timeout")
    throw new TerminalError(`cannot ask ${file} for its version: it ran for more than ${TIMEOUT_MS / 1000} s and was ended`, {
      code: "TooSlow",
    });
  if (end.type !== "exited" || end.code !== 0) {
    const how = end.type === "exited" ? `ends with ${end.code}` : "does not stop writing";
    throw missing(program, `\`${file} ${args.join(" ")}\` ${how}`);
  }
  const [, version, major, minor] = pattern.exec(end.stdout.toString()) ?? [];
  if (version === undefined) throw missing(program, `\`${file} ${args.join(" ")}\` prints no version of ${title}`);
  if (!isSuitable(Number(major), Number(minor))) throw missing(program, `${file} has ${title} ${version}, and ${needs} is needed`);
  return { name, file, version };
}

/** Runs a program in an environment and a folder that exist for this run only. */
export async function runClean(
  root: PrivateFolder,
  name: Program["name"],
  options: Omit<ChildOptions, "cwd" | "env"> & { readonly cwd?: string },
): Promise<ChildEnd> {
  const { env, folder } = await makeEnvironment(name, root);
  try {
    return await runChild({ cwd: folder.path, ...options, env });
  } finally {
    await folder.remove();
  }
}

/** The error of a file that the system does not start. */
export function notStarted(program: Program, file: string, error: NodeJS.ErrnoException): Error {
  if (isShortage(error)) return new Error(`cannot start ${file}: ${error.code}`, { cause: error });
  return missing(program, `${file} does not start: ${error.code ?? error.message}`);
}

function missing(program: Program, reason: string): TerminalError {
  return new TerminalError(
    `cannot run ${program.name}: ${reason}. Add ${RULES[program.name].needs} to the image, or set ${program.variable}: see "Programs" in docs/generators.md`,
    { code: "ProgramMissing" },
  );
}
