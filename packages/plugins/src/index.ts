/** `@treadle/plugins`: capabilities from separate programs. Most programs import these names from `treadle/plugins`. */
export type { ConnectEnv, Connection, Origin, PluginSource, PluginSourceEnv } from "./connection.ts";
export { CapabilityInfo, type InfoSpec, type InfoStatus } from "./host/capability-info.ts";
export { pluginHost } from "./host/plugin-host.ts";
export { isPluginError, PluginError, type PluginErrorCode, type PluginErrorOptions } from "./plugin-error.ts";
export { folder, type FolderOptions } from "./sources/folder.ts";
export type { PluginSourceOptions, ProgramOptions } from "./sources/source.ts";
export { release, type ReleaseOptions, type ReleasesOptions } from "./sources/release.ts";
export { address, type AddressOptions, socket, type SocketOptions } from "./sources/servers.ts";
export type { GrantedKinds, PluginHost, PluginHostOptions, PluginStepOptions } from "./types.ts";
export type {
  CapabilityType,
  DependentConfig,
  Description,
  PlanAnswer,
  PlanFailure,
  PlannedDependent,
  PlanProblem,
  PlanRequest,
} from "./wire/messages.ts";
