export type { AllowAddress, ConnectionAddress, Lookup } from "./address-guard.ts";
export type {
  CallOptions,
  Client,
  DeleteOptions,
  Deletion,
  GetOptions,
  ListOptions,
  NewObjectOf,
  Patch,
  RawContext,
  Subresource,
  UnnamedObject,
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
export {
  type DiscoveredKind,
  type Discovery,
  discovery,
  type DiscoveryOptions,
  type KindName,
  type KindsOptions,
  type LookupOptions,
} from "./discovery/discovery.ts";
export type { ServedKind, ServedSubresource } from "./discovery/served.ts";
export type { Exchange } from "./exchange.ts";
export { follow, type FollowEvent, type FollowOptions } from "./follow.ts";
export { type HttpTransport, httpTransport } from "./http-transport.ts";
export type { HttpTransportOptions } from "./http-transport-options.ts";
export { type Impersonation, impersonating, impersonationHeaders } from "./impersonation.ts";
export { intercept, withDryRun, withFieldManager, withFieldValidation, withNamespace } from "./intercept.ts";
export { type MissingRight, missingRightOf } from "./missing-right.ts";
export { modify, type ModifyOptions } from "./modify.ts";
export { items, pages, type PagesOptions } from "./pages.ts";
export { type PodLogOptions, podLogs } from "./pod-logs.ts";
export { isTransient } from "./transient.ts";
export {
  evict,
  type Eviction,
  type EvictOptions,
  getScale,
  type IssuedToken,
  requestToken,
  type Scale,
  setScale,
  type SetScaleOptions,
  type TokenOptions,
} from "./subresources.ts";
