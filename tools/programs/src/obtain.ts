/**
 * Obtains Helm 4, Helm 3 and Kustomize: the files that TREADLE_HELM, TREADLE_HELM3 and TREADLE_KUSTOMIZE name, else what was built before,
 * else a build from Go modules. Two processes do not build at once.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BuildRecord, cacheDir, goBuild, goVersion, seconds } from "../../src/go-build.ts";
import { moduleDir, pinnedVersion, type Rendering, renderers } from "./catalog.ts";
import { withLock } from "./lock.ts";

export interface ObtainOptions {
  /** Where the programs are kept. @defaultValue `treadle/programs` in `XDG_CACHE_HOME` or `~/.cache` */
  readonly dir?: string;
  /** How many compilers at once. @defaultValue 2: the machine has other work */
  readonly jobs?: number;
  /** Gets one line for each step. @defaultValue no log */
  readonly log?: (line: string) => void;
  /** @defaultValue `process.env` */
  readonly env?: NodeJS.ProcessEnv;
}

/** The programs that are there. */
export interface ObtainedPrograms {
  /** The folder of the programs that are built. */
  readonly dir: string;
  /** The file of each program by its variable. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Returns the programs, and builds those that are missing.
 * @throws when a variable names no program, or when `go` is missing or fails
 */
export async function obtainPrograms(options: ObtainOptions = {}): Promise<ObtainedPrograms> {
  const { env = process.env, log = () => {} } = options;
  const dir = resolve(options.dir ?? cacheDir(env, "programs"));
  const given = renderers.filter(({ variable }) => (env[variable] ?? "") !== "");
  const built = renderers.filter((program) => !given.includes(program));
  for (const { variable } of given) {
    if (!isExecutable(env[variable] ?? "")) throw new Error(`${variable}=${env[variable]} is no program: correct or unset it`);
    log(`using ${env[variable]} (${variable})`);
  }
  if (!built.every((program) => isBuilt(dir, program))) {
    await withLock(join(dir, ".lock"), log, async () => {
      const missing = built.filter((program) => !isBuilt(dir, program));
      if (missing.length > 0) await build(missing, { dir, log, env, jobs: options.jobs ?? 2 });
    });
  }
  return { dir, variables: Object.fromEntries(renderers.map((each) => [each.variable, env[each.variable] || programFile(dir, each)])) };
}

/** The file of a program that was built. */
export function programFile(dir: string, program: Rendering): string {
  return join(folderOf(dir, program), process.platform === "win32" ? `${program.name}.exe` : program.name);
}

function folderOf(dir: string, program: Rendering): string {
  return join(dir, `${program.name}-${pinnedVersion(program)}`);
}

function isBuilt(dir: string, program: Rendering): boolean {
  return recordOf(dir, program).isCurrent && existsSync(programFile(dir, program));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function build(missing: readonly Rendering[], options: Required<ObtainOptions>): Promise<void> {
  const { dir, log, env, jobs } = options;
  const [first] = missing;
  if (first === undefined) return;
  const go = await goVersion(moduleDir(first), env, {
    what: "the programs",
    instead: `set ${missing.map((each) => each.variable).join(", ")}`,
  });
  log(`building ${missing.map((each) => `${each.name} ${pinnedVersion(each)}`).join(", ")} with ${go} in ${dir}`);
  for (const program of missing) {
    const started = Date.now();
    const file = programFile(dir, program);
    mkdirSync(dirname(file), { recursive: true });
    await goBuild({ ...program, modules: moduleDir(program), file, linkerFlags: linkerFlags(program), jobs, env });
    recordOf(dir, program).write();
    log(`  ${program.name} ${pinnedVersion(program)} (${seconds(started)})`);
  }
}

function recordOf(dir: string, program: Rendering): BuildRecord {
  return new BuildRecord(folderOf(dir, program), moduleDir(program), linkerFlags(program));
}

/** Without the version Helm reports the one that its source has, without a patch. */
function linkerFlags(program: Rendering): string {
  return `-s -w -X ${program.versionVariable}=${pinnedVersion(program)}`;
}
