/**
 * The command line of a local cluster: arguments, output and signals. `startLocalCluster` has the logic. The programs
 * `treadle-apiserver` and `npm run cluster` share it.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isLocalClusterError } from "./errors.ts";
import { startLocalCluster } from "./local-cluster.ts";
import { keepHeapSmall } from "./small-heap.ts";

/** Returns the usage text of a program. */
function usageOf({ usage }: Program): string {
  return `usage: ${usage} --port N --kubeconfig FILE [--crds DIR] [--workloads]
  --port N           port on 127.0.0.1; 0 chooses a free one (default 0)
  --kubeconfig FILE  file for the kubeconfig of kubectl and other clients, in a folder that exists; removed at the end
  --crds DIR         folder of .yaml, .yml and .json files with objects to create at the start: CRDs first, the others in any order;
                     --manifests is another name of this option
  --workloads        simulate controllers and kubelets: Deployments, Jobs and the like get pods; no container runs
Services have no network: the server reaches webhooks by a url only.
Press Ctrl-C or send SIGTERM to end it; nothing is kept. Exit codes: 0 ended, 1 could not start, 2 wrong arguments.`;
}

const NO_NETWORK = "Services have no network: the server reaches webhooks by a url only";

interface Wanted {
  readonly port: number;
  readonly kubeconfig: string;
  readonly manifests?: string;
  readonly server: { readonly workloads: boolean };
}

/** A program that runs the command. */
export interface Program {
  /** Name in front of each line of the output. */
  readonly name: string;
  /** How a user calls the program, for the usage text. */
  readonly usage: string;
  /** Folder to which the paths among the arguments are relative. */
  readonly folder: string;
}

/** Runs the command until a signal ends it. Resolves to the exit code. */
export async function runClusterCommand(program: Program, args: readonly string[]): Promise<number> {
  const USAGE = usageOf(program);
  const { name } = program;
  let wanted: Wanted | undefined;
  try {
    wanted = read(program, args);
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  if (wanted === undefined) {
    console.log(USAGE);
    return 0;
  }
  const ended = signalled();
  try {
    const cluster = await startLocalCluster(wanted);
    keepHeapSmall();
    const made = wanted.manifests === undefined ? "" : ` with ${cluster.manifestCount} objects of ${wanted.manifests}`;
    console.log(
      `${name}: ready at ${cluster.url}${made}; kubectl --kubeconfig ${wanted.kubeconfig} get namespaces; Ctrl-C ends it. ${NO_NETWORK}`,
    );
    const signal = await ended;
    await cluster.close();
    console.log(`${name}: ended by ${signal}, ${wanted.kubeconfig} is removed`);
    return 0;
  } catch (error) {
    if (!isLocalClusterError(error)) throw error;
    console.error(`${name}: ${error.message}`);
    return 1;
  }
}

/** Reads the arguments, or returns `undefined` for `--help`. @throws Error for invalid arguments */
function read({ folder }: Program, args: readonly string[]): Wanted | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      kubeconfig: { type: "string" },
      crds: { type: "string" },
      manifests: { type: "string" },
      workloads: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) throw new Error(`--port ${values.port} is not a port (0 to 65535)`);
  if (!values.kubeconfig) throw new Error("--kubeconfig FILE is missing");
  if (values.crds !== undefined && values.manifests !== undefined) throw new Error("--crds and --manifests are the same option: give one");
  const manifests = values.crds ?? values.manifests;
  return {
    port: Number(values.port),
    kubeconfig: resolve(folder, values.kubeconfig),
    server: { workloads: values.workloads },
    ...(manifests === undefined ? {} : { manifests: resolve(folder, manifests) }),
  };
}

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, done);
  });
}
