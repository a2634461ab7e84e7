export type {
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
export { ConnectionError, type ConnectionErrorCode, isConnectionError } from "./connection-error.ts";
export { type ClientOptions, createClient } from "./create-client.ts";
export type { Exchange } from "./exchange.ts";
export { metadataOnly, type MetadataOnlyKind } from "./metadata-only.ts";
