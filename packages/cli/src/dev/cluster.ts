/** The cluster of `treadle dev`: one in this process, or the one that flags name. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { Client } from "@treadle/client";
import { CliError } from "../cli-error.ts";
import { type ConnectionFlags, openConnection } from "../cluster/connection-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { overlay } from "./kubeconfig.ts";

/** Flags that choose the cluster. */
export interface ClusterFlags extends Pick<ConnectionFlags, "context" | "kubeconfig" | "server" | "namespace"> {
  /** The port of the in-memory cluster. */
  readonly port?: string;
}

/** The cluster, while the command runs. */
export interface DevCluster {
  readonly client: Client;
  /** The namespace of samples that name none. */
  readonly namespace: string;
  readonly server: string;
  readonly isInMemory: boolean;
  /** The kubeconfig for kubectl; absent for a cluster that flags name. */
  readonly kubeconfig?: string;
  /** What the process of the operator finds the cluster by. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The folder of files that `treadle dev` writes. Its `.gitignore` keeps these out of commits; `treadle upgrade` needs the others there. */
const FOLDER = ".treadle";
const IGNORED = "/.gitignore\n/dev.*\n/dev-target.kubeconfig\n";
/** What an earlier version wrote: it hid the file of `treadle upgrade`, too. */
const IGNORED_BEFORE = "*\n";

/** Starts the cluster, or connects to it. @throws CliError, LocalClusterError, ConfigError, each with what to do */
export async function openCluster(root: string, flags: ClusterFlags, terminal: Terminal): Promise<DevCluster> {
  const { context, kubeconfig, server } = flags;
  const isGiven = context !== undefined || kubeconfig !== undefined || server !== undefined;
  if (isGiven && flags.port !== undefined)
    throw new CliError("--port is the port of the in-memory cluster; leave out --port, or the cluster");
  return isGiven ? givenCluster(root, flags, terminal) : await inMemoryCluster(root, flags, terminal);
}

async function inMemoryCluster(root: string, { port = "0", namespace }: ClusterFlags, terminal: Terminal): Promise<DevCluster> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new CliError(`--port ${port} is not a port; use a number from 0 to 65535`);
  const folder = madeFolder(root);
  const lock = takeLock(join(folder, "dev.pid"));
  const kubeconfig = join(folder, "dev.kubeconfig");
  try {
    const { startLocalCluster } = await import("@treadle/apiserver");
    const cluster = await startLocalCluster({ port: Number(port), kubeconfig, server: { workloads: true } });
    const connected = await openConnection({ kubeconfig, ...(namespace === undefined ? {} : { namespace }) }, terminal);
    return {
      ...connected,
      server: cluster.url,
      isInMemory: true,
      kubeconfig,
      env: { KUBECONFIG: kubeconfig },
      async close() {
        await connected.client.close();
        await cluster.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function givenCluster(root: string, flags: ClusterFlags, terminal: Terminal): Promise<DevCluster> {
  const { context, kubeconfig, server } = flags;
  const connected = await openConnection(flags, terminal);
  const paths = kubeconfig === undefined ? kubeconfigPaths(terminal.env) : [resolve(kubeconfig)];
  const isOther = context !== undefined || server !== undefined;
  const written = isOther ? [writtenOverlay(madeFolder(root), overlay(readable(paths), { context, server }))] : [];
  return {
    ...connected,
    server: server ?? serverText(flags),
    isInMemory: false,
    env: { KUBECONFIG: [...written, ...paths].join(delimiter) },
    close: () => connected.client.close(),
  };
}

function serverText({ context, kubeconfig }: ClusterFlags): string {
  return [...(context === undefined ? [] : [`context ${context}`]), ...(kubeconfig === undefined ? [] : [kubeconfig])].join(" of ");
}

/** The places of kubectl. */
function kubeconfigPaths(env: Terminal["env"]): readonly string[] {
  const named = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return named.length > 0 ? named.map((path) => resolve(path)) : [join(env["HOME"] ?? env["USERPROFILE"] ?? homedir(), ".kube", "config")];
}

function readable(paths: readonly string[]): readonly { readonly path: string; readonly text: string }[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(path, "utf8") }];
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  });
}

/** Its name differs from that of the in-memory cluster, which would refuse a file of another program. */
function writtenOverlay(folder: string, text: string): string {
  const path = join(folder, "dev-target.kubeconfig");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function madeFolder(root: string): string {
  const folder = join(root, FOLDER);
  const ignored = join(folder, ".gitignore");
  try {
    mkdirSync(folder, { recursive: true });
    const [present] = readable([ignored]);
    if (present === undefined || present.text === IGNORED_BEFORE) writeFileSync(ignored, IGNORED);
    return folder;
  } catch (error) {
    throw new CliError(
      `treadle dev keeps its kubeconfig in ${folder}, and cannot write there: ${(error as Error).message}. Make it a folder that you may write`,
      { cause: error },
    );
  }
}

/** Two commands in one folder would replace the kubeconfig of each other. @throws CliError */
function takeLock(path: string): { release(): void } {
  const [holder] = readable([path]);
  const pid = Number(holder?.text);
  if (holder !== undefined && pid !== process.pid && isRunning(pid)) throw alreadyRuns(pid, path);
  if (holder !== undefined) rmSync(path, { force: true });
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
  } catch (error) {
    // Another one was started at the same time.
    if (codeOf(error) === "EEXIST") throw alreadyRuns(Number(readable([path])[0]?.text), path);
    throw error;
  }
  return { release: () => rmSync(path, { force: true }) };
}

function alreadyRuns(pid: number, path: string): CliError {
  return new CliError(
    `treadle dev already runs in this folder, as process ${pid}; end it, or name a cluster with --context or --kubeconfig. ` +
      `If that process is another program, remove ${path}`,
  );
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
