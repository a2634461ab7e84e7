/** One command on one cluster: connects, finds out which kinds there are, and closes the connections at the end. */
import { type Client, discovery } from "@treadle/client";
import { type ConnectionFlags, openConnection } from "./connection-flags.ts";
import { checkNamespace } from "./object-argument.ts";
import type { Search } from "./find-object.ts";
import { type ClusterReader, clusterReader } from "./reader.ts";
import { ServedKinds } from "./served-kinds.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A cluster while a command runs. It is a {@link Search} as well. */
export interface Session extends Search {
  readonly client: Client;
  /** The same cluster, for requests that Ctrl-C must not end. They need a signal of their own. */
  readonly lasting: Client;
  /** Returns a new reader, with its own limit of requests. */
  reader(): ClusterReader;
}

/** Calls `work` with the cluster that the flags name. @throws CliError and errors of the client */
export async function onCluster<T>(flags: ConnectionFlags, terminal: Terminal, work: (session: Session) => Promise<T>): Promise<T> {
  checkNamespace(flags.namespace);
  const { client, lasting, namespace } = await openConnection(flags, terminal);
  try {
    const { signal } = terminal;
    const kinds = await servedKinds(client, signal);
    const reader = (): ClusterReader => clusterReader({ client, kinds, signal, nowMs: () => terminal.nowMs() });
    return await work({ client, lasting, kinds, namespace, signal, reader });
  } finally {
    await client.close();
  }
}

/** Asks the server which kinds it has. */
export async function servedKinds(client: Client, signal: AbortSignal): Promise<ServedKinds> {
  const silent: string[] = [];
  const kinds = await discovery(client).kinds({ signal, onMissing: (apiVersion) => void silent.push(apiVersion) });
  return new ServedKinds(kinds, silent);
}
