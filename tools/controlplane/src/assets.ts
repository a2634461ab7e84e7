/**
 * Obtains the programs of a control plane: those in the folder that `KUBEBUILDER_ASSETS` names, else those that we built
 * before, else built now from Go modules. Nothing ready-made is downloaded; what `go` fetches, go.sum vouches for.
 *
 * Not here yet: the fallback for machines without a current Go.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { capture } from "../../src/run.ts";
import { binaryPath, kubernetesVersion, missingPrograms, moduleDir, type Program, pinnedVersion, programs } from "./programs.ts";

export interface AssetsOptions {
  /** Which version, as {@link kubernetesVersion} understands it. @defaultValue the current one */
  readonly kubernetes?: string;
  /** Where to build. @defaultValue `TREADLE_CONTROLPLANE_DIR` (of a version that is not the current one, a folder in it), else `treadle/controlplane/<version>` in `XDG_CACHE_HOME` or `~/.cache` */
  readonly dir?: string;
  /** How many compilers at once. @defaultValue 2: the machine has other work */
  readonly jobs?: number;
  /** Told of every step, one line each. @defaultValue nobody */
  readonly log?: (line: string) => void;
  /** @defaultValue `process.env` */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The folder with the programs. A second call builds nothing; one after a build that was broken off builds what is missing.
 * @throws when `KUBEBUILDER_ASSETS` names a folder without etcd and kube-apiserver, or `go` is missing or fails.
 */
export async function obtainAssets(options: AssetsOptions = {}): Promise<string> {
  const { env = process.env, log = () => {} } = options;
  const given = env["KUBEBUILDER_ASSETS"];
  if (given !== undefined && given !== "") {
    if (options.kubernetes !== undefined)
      throw new Error(`Kubernetes ${options.kubernetes} is asked for, and KUBEBUILDER_ASSETS=${given} names programs: unset one of them`);
    const missing = missingPrograms(given, ["etcd", "kube-apiserver"]);
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS=${given}: no ${missing.join(", no ")} there; correct or unset it`);
    log(`using ${given} (KUBEBUILDER_ASSETS)`);
    return resolve(given);
  }
  const version = kubernetesVersion(options.kubernetes);
  const modules = moduleDir(version);
  const dir = resolve(options.dir ?? defaultDir(env, version));
  const missing = isRecorded(dir, modules) ? missingPrograms(dir) : programs.map(({ name }) => name);
  if (missing.length === 0) {
    log(`using ${dir} (built before)`);
    return dir;
  }
  await build({ dir, modules, env, log, jobs: options.jobs ?? 2, wanted: programs.filter(({ name }) => missing.includes(name)) });
  return dir;
}

/** Where {@link obtainAssets} builds when it is not told. */
export function defaultDir(env: NodeJS.ProcessEnv = process.env, version: string = kubernetesVersion()): string {
  const given = env["TREADLE_CONTROLPLANE_DIR"];
  if (given !== undefined && given !== "") return version === kubernetesVersion() ? given : join(given, version);
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "treadle", "controlplane", version);
}

interface Build {
  readonly dir: string;
  /** The folder of go.mod. */
  readonly modules: string;
  readonly wanted: readonly Program[];
  readonly jobs: number;
  readonly log: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

async function build({ dir, modules, wanted, jobs, log, env }: Build): Promise<void> {
  const version = pinnedVersion("k8s.io/kubernetes", modules);
  const go = await goVersion(env);
  log(`building Kubernetes ${version} and etcd ${pinnedVersion("go.etcd.io/etcd/server/v3", modules)} with ${go} in ${dir}`);
  log("the first time takes several minutes; afterwards Go's build cache and this folder save them");
  mkdirSync(dir, { recursive: true });
  // Written first: a build that is broken off goes on with what is missing. A binary appears only when it is complete.
  if (!isRecorded(dir, modules)) for (const { name } of programs) rmSync(binaryPath(dir, name), { force: true });
  writeFileSync(recordPath(dir), record(modules));
  const started = Date.now();
  for (const program of wanted) await buildOne(program, { dir, modules, version, jobs, log, env });
  log(`built in ${seconds(started)}`);
}

async function buildOne(
  { name, package: path }: Program,
  { dir, modules, version, jobs, log, env }: Omit<Build, "wanted"> & { readonly version: string },
): Promise<void> {
  const started = Date.now();
  const partial = `${binaryPath(dir, name)}.partial-${process.pid}`;
  const flags = ["-p", String(jobs), "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags(version)];
  const [command = "go", ...args] = niced(["go", "build", ...flags, "-o", partial, path]);
  const { code, output } = await capture(command, args, { cwd: modules, env: { ...env, CGO_ENABLED: "0" } });
  if (code !== 0) {
    rmSync(partial, { force: true });
    throw new Error(`cannot build ${name}: go build ended with ${code}\n${output}`);
  }
  renameSync(partial, binaryPath(dir, name));
  log(`  ${name} (${seconds(started)})`);
}

/** What /version and `kubectl version` say; without it they say v0.0.0-master, and clients that look at it are misled. */
function linkerFlags(version: string): string {
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "archive" };
  const packages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
  const set = packages.flatMap((path) => Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`));
  return ["-s", "-w", ...set].join(" ");
}

/** A build must not take the machine from those who work on it. */
function niced(command: readonly string[]): readonly string[] {
  return process.platform === "win32" ? command : ["nice", "-n", "19", ...command];
}

/** The Go of the current version builds the older ones, too. */
async function goVersion(env: NodeJS.ProcessEnv): Promise<string> {
  const wanted = /^go (\S+)/m.exec(readFileSync(join(moduleDir(), "go.mod"), "utf8"))?.[1];
  const advice = `install Go ${wanted} or later, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver`;
  const { code, output } = await capture("go", ["version"], { cwd: moduleDir(), env }).catch((cause: unknown) => {
    throw new Error(`cannot build the control plane: there is no \`go\` on PATH; ${advice}`, { cause });
  });
  if (code !== 0) throw new Error(`cannot build the control plane: ${output.trim()}; ${advice}`);
  return output.trim().replace(/^go version /, "");
}

function recordPath(dir: string): string {
  return join(dir, "build.json");
}

/** Says of what the binaries are made: others count as none. */
function record(modules: string): string {
  const hash = createHash("sha256").update(linkerFlags(""));
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(modules, file)));
  return JSON.stringify({ platform: process.platform, arch: process.arch, modules: hash.digest("hex") });
}

function isRecorded(dir: string, modules: string): boolean {
  try {
    return readFileSync(recordPath(dir), "utf8") === record(modules);
  } catch {
    return false;
  }
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
