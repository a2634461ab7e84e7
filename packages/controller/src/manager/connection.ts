/** The client of a manager: the program's own, one that the program makes, or one that the environment leads to. */
import { type Client, connect, loadConfig } from "@treadle/client";
import type { ClientWish, ManagerOptions } from "../manager-options.ts";

export interface Connection {
  readonly client: Client;
  readonly closeClient: () => Promise<void>;
  /** Where the program runs, as far as the configuration says it. */
  readonly namespace: string | undefined;
}

export async function connection({ client: given, config }: ManagerOptions, wish: ClientWish): Promise<Connection> {
  if (given !== undefined && typeof given !== "function")
    return { client: given, closeClient: async () => undefined, namespace: config?.namespace };
  const found = given === undefined ? (config ?? (await loadConfig({ clock: wish.clock }))) : config;
  const client = given === undefined ? await connect({ ...wish, ...(found === undefined ? {} : { config: found }) }) : await given(wish);
  return { client, closeClient: () => client.close(), namespace: found?.namespace };
}
