/**
 * Obtains the programs of a control plane: those in the folder that `KUBEBUILDER_ASSETS` names, else those that we built
 * before, else built now from Go modules. Nothing ready-made is downloaded; what `go` fetches, go.sum vouches for.
 *
 * Not here yet: the fallback for machines without a current Go.
 */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { BuildRecord, cacheDir, goBuild, goVersion, seconds } from "../../src/go-build.ts";
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
  const missing = recordOf(dir, modules).isCurrent ? missingPrograms(dir) : programs.map(({ name }) => name);
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
  return cacheDir(env, "controlplane", version);
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
  // The Go of the current version builds the older ones, too.
  const go = await goVersion(moduleDir(), env, {
    what: "the control plane",
    instead: "set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
  });
  log(`building Kubernetes ${version} and etcd ${pinnedVersion("go.etcd.io/etcd/server/v3", modules)} with ${go} in ${dir}`);
  log("the first time takes several minutes; afterwards Go's build cache and this folder save them");
  const record = recordOf(dir, modules);
  // Written first: a build that is broken off goes on with what is missing. A binary appears only when it is complete.
  if (!record.isCurrent) for (const { name } of programs) rmSync(binaryPath(dir, name), { force: true });
  record.write();
  const started = Date.now();
  for (const program of wanted) {
    const begun = Date.now();
    await goBuild({ ...program, modules, file: binaryPath(dir, program.name), linkerFlags: linkerFlags(version), jobs, env });
    log(`  ${program.name} (${seconds(begun)})`);
  }
  log(`built in ${seconds(started)}`);
}

/** What /version and `kubectl version` say; without it they say v0.0.0-master, and clients that look at it are misled. */
function linkerFlags(version: string): string {
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "archive" };
  const packages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
  const set = packages.flatMap((path) => Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`));
  return ["-s", "-w", ...set].join(" ");
}

/** Says of what the binaries are made: others count as none. */
function recordOf(dir: string, modules: string): BuildRecord {
  return new BuildRecord(dir, modules, linkerFlags(""));
}
