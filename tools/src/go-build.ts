/** Builds programs from Go modules whose go.mod and go.sum are in this repository. Nothing ready-made is downloaded. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { capture } from "./run.ts";

export interface GoBuild {
  /** For messages. */
  readonly name: string;
  /** Go package with its `main`. */
  readonly package: string;
  /** The folder of go.mod. */
  readonly modules: string;
  /** Where the program goes. It appears only when it is complete. */
  readonly file: string;
  /** The linker's flags, such as versions. */
  readonly linkerFlags: string;
  /** How many compilers at once. */
  readonly jobs: number;
  readonly env: NodeJS.ProcessEnv;
}

/** Builds one program. @throws when `go build` fails, with its output */
export async function goBuild({ name, package: path, modules, file, linkerFlags, jobs, env }: GoBuild): Promise<void> {
  const partial = `${file}.partial-${process.pid}`;
  const flags = ["-p", String(jobs), "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags];
  const [command = "go", ...args] = niced(["go", "build", ...flags, "-o", partial, path]);
  const { code, output } = await capture(command, args, { cwd: modules, env: { ...env, CGO_ENABLED: "0" } });
  if (code !== 0) {
    rmSync(partial, { force: true });
    throw new Error(`cannot build ${name}: go build ended with ${code}\n${output}`);
  }
  renameSync(partial, file);
}

/** A build must not take the machine from those who work on it. */
function niced(command: readonly string[]): readonly string[] {
  return process.platform === "win32" ? command : ["nice", "-n", "19", ...command];
}

/**
 * Returns the version of the `go` in PATH, e.g. `go1.26.8 linux/amd64`.
 * @param given what is to be built, and what to do instead of installing Go
 * @throws when there is no `go`, with what to install
 */
export async function goVersion(
  modules: string,
  env: NodeJS.ProcessEnv,
  given: { readonly what: string; readonly instead: string },
): Promise<string> {
  const wanted = /^go (\S+)/m.exec(readFileSync(join(modules, "go.mod"), "utf8"))?.[1];
  const advice = `install Go ${wanted} or later, or ${given.instead}`;
  const { code, output } = await capture("go", ["version"], { cwd: modules, env }).catch((cause: unknown) => {
    throw new Error(`cannot build ${given.what}: there is no \`go\` on PATH; ${advice}`, { cause });
  });
  if (code !== 0) throw new Error(`cannot build ${given.what}: ${output.trim()}; ${advice}`);
  return output.trim().replace(/^go version /, "");
}

/** The file in a folder of programs that names what they were built from. */
export class BuildRecord {
  readonly #path: string;
  readonly #text: string;

  /** @param dir the folder of the programs. @param modules the folder of go.mod */
  constructor(dir: string, modules: string, linkerFlags: string) {
    const hash = createHash("sha256").update(linkerFlags);
    for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(modules, file)));
    this.#path = join(dir, "build.json");
    this.#text = JSON.stringify({ platform: process.platform, arch: process.arch, modules: hash.digest("hex") });
  }

  /** Whether the programs in the folder were built from these modules. */
  get isCurrent(): boolean {
    try {
      return readFileSync(this.#path, "utf8") === this.#text;
    } catch {
      return false;
    }
  }

  write(): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, this.#text);
  }
}

/** The folder of a kind of programs in the cache of the user. */
export function cacheDir(env: NodeJS.ProcessEnv, ...names: readonly string[]): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "treadle", ...names);
}

/** e.g. `1.2 s`. */
export function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
