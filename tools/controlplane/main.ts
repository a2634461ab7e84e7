/**
 * The real control plane from the command line. Needs Node 24.
 *
 *     node tools/controlplane/main.ts build
 *     node tools/controlplane/main.ts up --kubeconfig FILE
 *     node tools/controlplane/main.ts pin VERSION
 *     node tools/controlplane/main.ts add VERSION
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { obtainAssets } from "./src/assets.ts";
import { basicControllers, startControlPlane } from "./src/control-plane.ts";
import { pin } from "./src/pin.ts";
import { binaryPath, kubernetesVersions, moduleDir } from "./src/programs.ts";

const usage = `usage: node tools/controlplane/main.ts COMMAND
  build                   obtains the programs, prints their folder (for KUBEBUILDER_ASSETS) on stdout
  up --kubeconfig FILE    runs etcd, kube-apiserver and the controllers of namespaces, garbage and tokens until SIGINT or SIGTERM
     --port N             of kube-apiserver (default: a free one)
     --controllers LIST   others, separated by commas; "*": the default set, "none": no kube-controller-manager
     --compaction-seconds N  time between two compactions of the history (default: 300, that of kube-apiserver)
  pin VERSION             moves the current go.mod and go.sum to another version of Kubernetes
  add VERSION             pins another version beside it, in versions/VERSION
for build and up:
  --kubernetes VERSION    ${kubernetesVersions().join(" (default), ")}
  --dir DIR               where the programs are kept (default: $TREADLE_CONTROLPLANE_DIR, or in $XDG_CACHE_HOME)
  --jobs N                compilers at once (default: 2)
KUBEBUILDER_ASSETS=DIR    uses the programs there and builds nothing`;

try {
  await main();
} catch (error) {
  console.error(`controlplane: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kubeconfig: { type: "string" },
      port: { type: "string" },
      controllers: { type: "string" },
      "compaction-seconds": { type: "string" },
      dir: { type: "string" },
      kubernetes: { type: "string" },
      jobs: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [command, ...rest] = positionals;
  const { dir, jobs, kubeconfig, kubernetes, port, controllers, "compaction-seconds": compaction } = values;
  const assets = {
    log,
    ...(dir === undefined ? {} : { dir }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
    ...(jobs === undefined ? {} : { jobs: integer("jobs", jobs) }),
  };
  if (values.help === true) console.log(usage);
  else if (command === "build" && rest.length === 0) console.log(await obtainAssets(assets));
  else if (command === "up" && rest.length === 0 && kubeconfig !== undefined) {
    await up(resolve(kubeconfig), {
      ...assets,
      controllers: controllers === undefined ? basicControllers : controllers === "none" ? [] : controllers.split(","),
      ...(port === undefined ? {} : { port: integer("port", port) }),
      ...(compaction === undefined ? {} : { compactionSeconds: integer("compaction-seconds", compaction) }),
    });
  } else if (command === "pin" && rest[0] !== undefined && rest.length === 1) await pin(rest[0], { log });
  else if (command === "add" && rest[0] !== undefined && rest.length === 1) await pin(rest[0], { log, dir: moduleDir(rest[0]) });
  else throw new Error(`${command === undefined ? "no command" : "these arguments are not understood"}\n${usage}`);
}

async function up(kubeconfig: string, options: Parameters<typeof startControlPlane>[0]): Promise<void> {
  // The file of somebody's own clusters must not be lost; one that a killed run left behind may be.
  if (existsSync(kubeconfig) && !readFileSync(kubeconfig, "utf8").includes("envtest-admin"))
    throw new Error(`${kubeconfig} exists and is not of a former run: give --kubeconfig another name`);
  // Caught from the start: a signal while it starts must end what is running by then. Not `once`: execa's own listener, which
  // runs after ours, ends the process when no other listener is left.
  const signal = new Promise<string>((done) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => done(name));
  });
  const starting = startControlPlane(options);
  const first = await Promise.race([starting, signal]);
  const plane = await starting;
  try {
    if (typeof first === "string") return;
    mkdirSync(dirname(kubeconfig), { recursive: true });
    copyFileSync(plane.kubeconfigPath, kubeconfig);
    console.log(
      `ready: ${plane.url}, Ctrl-C ends it\n  ${binaryPath(plane.assetsDir, "kubectl")} --kubeconfig ${kubeconfig} get namespaces`,
    );
    log(`${await signal}: stopping`);
  } finally {
    rmSync(kubeconfig, { force: true });
    await plane.stop();
  }
}

function integer(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`--${name} ${text} is not a number`);
}

function log(line: string): void {
  console.error(`controlplane: ${line}`);
}
