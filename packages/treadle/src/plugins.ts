/**
 * Capabilities from separate programs. An entry point apart: an operator without them loads none of it. Plugins themselves import
 * `treadle/plugins/author`.
 */
export {
  address,
  type AddressOptions,
  CapabilityInfo,
  type ConnectEnv,
  type Connection,
  folder,
  type FolderOptions,
  type GrantedKinds,
  isPluginError,
  type Origin,
  PluginError,
  type PluginErrorCode,
  type PluginErrorOptions,
  type PluginHost,
  pluginHost,
  type PluginHostOptions,
  type PluginSource,
  type PluginSourceEnv,
  type PluginSourceOptions,
  type PluginStepOptions,
  type ProgramOptions,
  release,
  type ReleaseOptions,
  type ReleasesOptions,
  socket,
  type SocketOptions,
} from "@treadle/plugins";
