/**
 * `@treadle/controller/unstable/host`: for a tool that hosts the program of an operator, such as `treadle dev`, and for packages whose servers the API
 * server calls. Not for operators; it may change in any version.
 */
export {
  type HostedManager,
  type Hosting,
  hostManagers,
  type ManagerHost,
  managerHost,
  type ProgramEndpoint,
} from "../host-managers.ts";
