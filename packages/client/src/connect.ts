/** Configuration, transport and client in one call. */
import type { Client } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { ClientOptions } from "./client-options.ts";
import { loadConfig, type LoadConfigOptions } from "./config.ts";
import { createClient } from "./create-client.ts";
import { httpTransport } from "./http-transport.ts";
import type { HttpTransportOptions } from "./http-transport-options.ts";
import { type Impersonation, impersonating } from "./impersonation.ts";

/** Options of {@link connect}. */
export interface ConnectOptions
  extends LoadConfigOptions,
    Omit<ClientOptions, "transport" | "server" | "credentialSource">,
    Pick<HttpTransportOptions, "http2" | "headersTimeoutMs" | "connectTimeoutMs"> {
  /** Configuration of the cluster. @defaultValue what {@link loadConfig} finds */
  readonly config?: ClusterConfig;
  /** User to act as, instead of the user of the credentials. @defaultValue that of the kubeconfig */
  readonly impersonate?: Impersonation;
}

/**
 * Returns a client of the cluster that the environment names. It opens no connection before the first call.
 * @throws ConfigError when no usable configuration is found
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const config = options.config ?? (await loadConfig(options));
  const { http2, headersTimeoutMs, connectTimeoutMs, impersonate } = options;
  const transport = httpTransport({
    ...config,
    clock: options.clock,
    ...(impersonate === undefined ? {} : { credentials: impersonating(config.credentials, impersonate) }),
    ...(http2 === undefined ? {} : { http2 }),
    ...(headersTimeoutMs === undefined ? {} : { headersTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  });
  return createClient({ ...options, transport, server: transport.server, credentialSource: config.source });
}
