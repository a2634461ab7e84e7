export type { JsonPatchOperation } from "@treadle/apimachinery";
export type {
  CallOptions,
  Client,
  DeleteOptions,
  Deletion,
  ListOptions,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
export type { ClientOptions } from "./client-options.ts";
export type { ClusterConfig } from "./cluster-config.ts";
export { loadConfig, type LoadConfigOptions } from "./config.ts";
export { ConfigError, isConfigError } from "./config-error.ts";
export { connect, type ConnectOptions } from "./connect.ts";
export { ConnectionError, type ConnectionErrorCode, isConnectionError } from "./connection-error.ts";
export { createClient } from "./create-client.ts";
export { type CredentialFiles, type Credentials, type CredentialSource, fileCredentials } from "./credentials.ts";
export type { Exchange } from "./exchange.ts";
export { type HttpTransport, type HttpTransportOptions, httpTransport } from "./http-transport.ts";
export { metadataOnly, type MetadataOnlyKind } from "@treadle/apimachinery";
export { pages } from "./pages.ts";
