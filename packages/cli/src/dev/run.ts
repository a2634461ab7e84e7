/** `treadle dev`: from the name of a module to an operator that follows the edits of its code. */
import { once } from "node:events";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "@treadle/apimachinery";
import { servedKinds } from "../cluster/session.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { documentLine } from "../output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ClusterFlags, type DevCluster, openCluster } from "./cluster.ts";
import type { DevEvent } from "./events.ts";
import { startsProgram } from "./operator-process.ts";
import { DevSession } from "./session.ts";
import { eventText } from "./text.ts";

/** Flags of the command. */
export interface DevFlags extends ClusterFlags {
  readonly output?: "json";
  readonly all?: boolean;
  readonly samples?: string;
  readonly webhookHost?: string;
}

/** Runs until Ctrl-C. @throws CliError and errors of the cluster, before the operator is started */
export async function runDev(module: string, flags: DevFlags, terminal: Terminal): Promise<ExitCode> {
  const root = realpathSync(process.cwd());
  if (statSync(module, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CliError(`${module} is not a file; name the module of an operator, such as src/main.ts`);
  if (flags.samples !== undefined && statSync(flags.samples, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`--samples ${flags.samples} is not a folder; name one with .yaml files`);
  const show = showing(flags, terminal);
  const cluster = await openCluster(root, flags, terminal);
  try {
    await reached(cluster, terminal);
    await using session = makeSession({ root, module, flags, cluster, terminal, show });
    session.start();
    if (!terminal.signal.aborted) await once(terminal.signal, "abort");
    show({ type: "stopping" });
  } finally {
    await cluster.close();
  }
  return EXIT.interrupted;
}

interface Setting {
  readonly root: string;
  readonly module: string;
  readonly flags: DevFlags;
  readonly cluster: DevCluster;
  readonly terminal: Terminal;
  readonly show: (event: DevEvent) => void;
}

function makeSession({ root, module, flags, cluster, terminal, show }: Setting): DevSession {
  const { client, namespace, server, isInMemory, kubeconfig, env } = cluster;
  show({ type: "cluster", server, isInMemory, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
  const path = realpathSync(resolve(module));
  return new DevSession({
    root,
    module: path,
    samples: resolve(flags.samples ?? join("deploy", "samples")),
    namespace,
    client,
    clock: systemClock,
    signal: terminal.signal,
    isAll: flags.all === true,
    startProgram: startsProgram({
      module: path,
      env: { ...terminal.env, ...env },
      isOwnCluster: isInMemory,
      webhookHost: flags.webhookHost ?? (isInMemory ? "127.0.0.1" : ""),
    }),
    filesOf,
    onEvent: show,
  });
}

/** A cluster that does not answer is an error of the command, and not of the program. */
async function reached({ client }: DevCluster, { signal }: Terminal): Promise<void> {
  await servedKinds(client, signal);
}

function showing({ output }: DevFlags, terminal: Terminal): (event: DevEvent) => void {
  if (output === "json")
    return (event) => terminal.out(documentLine("DevEvent", { at: new Date(terminal.nowMs()).toISOString(), ...event }));
  const time = (): string => new Date(terminal.nowMs()).toTimeString().slice(0, 8);
  return (event) => terminal.out(eventText(event, { columns: terminal.columns, hasColors: terminal.hasColors, time }));
}

/** Returns the folder, its subfolders and their files. */
function filesOf(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [folder];
  return [folder, ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))];
}
