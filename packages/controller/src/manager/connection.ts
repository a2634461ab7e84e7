/** The client of a manager: one that the program gives or makes, or a connection to the cluster of the environment. */
import { type Client, connect, loadConfig } from "@treadle/client";
import type { ManagerClientOptions, ManagerOptions } from "../manager-options.ts";

/** A client, and how to close it. */
export interface Connection {
  readonly client: Client;
  /** Does nothing for a client that belongs to the program. */
  readonly closeClient: () => Promise<void>;
  /** The namespace in which the program runs, if the configuration names it. */
  readonly namespace: string | undefined;
}

/** Makes the client that the options ask for. */
export async function connection({ client: given, config }: ManagerOptions, options: ManagerClientOptions): Promise<Connection> {
  if (given !== undefined && typeof given !== "function")
    return { client: given, closeClient: async () => undefined, namespace: config?.namespace };
  const close = (client: Client) => (): Promise<void> => client.close();
  if (given !== undefined) {
    const client = await given(options);
    return { client, closeClient: close(client), namespace: config?.namespace };
  }
  const found = config ?? (await loadConfig({ clock: options.clock }));
  const client = await connect({ ...options, ...(found === undefined ? {} : { config: found }) });
  return { client, closeClient: close(client), namespace: found?.namespace };
}
