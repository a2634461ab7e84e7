/** The flags that name a cluster and a user, with the names and meanings of kubectl. Every command that talks to a cluster has them. */
import type { Client, ClusterConfig, ConnectOptions, Impersonation } from "@treadle/client";
import { CliError } from "../cli-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Values of the flags; an absent one was not given. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
}

/** A cluster that a command talks to. */
export interface Connection {
  readonly client: Client;
  /** The same cluster, for requests that Ctrl-C must not end. They need a signal of their own. */
  readonly lasting: Client;
  /** The namespace of the flag, else of the context, else `default`. */
  readonly namespace: string;
}

/** Connects as the flags say. It sends nothing. @throws CliError and ConfigError, each with what to do */
export async function openConnection(flags: ConnectionFlags, { env, signal }: Pick<Terminal, "env" | "signal">): Promise<Connection> {
  const impersonate = impersonationOf(flags);
  // The client is the largest part of the program, and `--help` does not need it.
  const { connect, intercept, loadConfig } = await import("@treadle/client");
  const search = {
    env,
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
  };
  const config = await configOf(flags, () => loadConfig(search));
  const options: ConnectOptions = {
    config,
    userAgent: "treadle-cli",
    // Deprecated versions are no problem of the person who looks at objects.
    onWarning: () => undefined,
    ...(impersonate === undefined ? {} : { impersonate }),
  };
  // Lookups of kinds share requests, which no single caller may end. Ctrl-C ends them all.
  const lasting = await connect(options);
  const client = intercept(lasting, (next) => ({
    raw: (request, about) =>
      next.raw({ ...request, signal: request.signal === undefined ? signal : AbortSignal.any([request.signal, signal]) }, about),
  }));
  return { client, lasting, namespace: flags.namespace ?? config.namespace ?? "default" };
}

/** `--server` replaces the address of the context. Without any kubeconfig it is a server that asks for no credentials. */
async function configOf({ server, context, kubeconfig }: ConnectionFlags, load: () => Promise<ClusterConfig>): Promise<ClusterConfig> {
  if (server === undefined) return load();
  if (!/^https?:\/\/[^/]/.test(server)) throw new CliError(`--server ${server} is not a URL; write http://HOST:PORT or https://HOST:PORT`);
  try {
    return { ...(await load()), server };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_CONFIG_NOT_FOUND";
    if (!isMissing || context !== undefined || kubeconfig !== undefined) throw error;
    return { source: "--server", server, credentials: async () => ({}) };
  }
}

function impersonationOf({ as, asGroup = [], asUid }: ConnectionFlags): Impersonation | undefined {
  if (as === undefined) {
    if (asGroup.length === 0 && asUid === undefined) return undefined;
    throw new CliError("--as-group and --as-uid need a user; add --as USER");
  }
  if (as === "") throw new CliError("--as is empty; write the name of the user, such as --as system:serviceaccount:NAMESPACE:NAME");
  return { user: as, groups: asGroup, ...(asUid === undefined ? {} : { uid: asUid }) };
}
