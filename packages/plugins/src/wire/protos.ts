/**
 * The services between host and plugin, and what both sides agree on. The libraries are loaded at the first use: an operator without
 * plugins loads none of them.
 */
import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";
import { fileURLToPath } from "node:url";

/** A service with these methods. */
type Service<Method extends string> = ServiceDefinition & Readonly<Record<Method, MethodDefinition<object, object>>>;

/** The definitions of the services, for a client and for a server. */
export interface Protos {
  /** `treadle.capability.v1.Capability`. */
  readonly capability: Service<"Describe" | "Plan">;
  /** `grpc.health.v1.Health`. */
  readonly health: Service<"Check">;
  /** `plugin.GRPCStdio`. */
  readonly stdio: Service<"StreamStdio">;
  /** `plugin.GRPCController`. */
  readonly controller: Service<"Shutdown">;
}

/** The API version of the host and of the author package. Its major is {@link PROTOCOL_VERSION}. */
export const API_VERSION = "1.0";

/** The application protocol version. */
export const PROTOCOL_VERSION = "1";

/** Maximum size of a message in both directions, in bytes. */
export const MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;

/** The environment variable that marks a start by a host, and its value. */
export const COOKIE: Readonly<Record<"name" | "value", string>> = { name: "TREADLE_PLUGIN", value: "treadle.dev/capability" };

/** An address with a port that no other machine can have. */
export const LOOPBACK: RegExp = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost):\d{1,5}$/i;

/** The proto files as JSON of protobufjs. The build of a plugin into one file, which has no folder beside it, defines this constant. */
declare const TREADLE_PLUGIN_PROTOS: Parameters<typeof import("@grpc/proto-loader").fromJSON>[0] | undefined;

/** The service of which the host asks for the health. */
export const HEALTH_SERVICE = "plugin";

/**
 * Loads the definitions from the `proto` folder of the package. Fields are in camelCase, enums are texts, absent fields have their
 * defaults. A `oneof` and an `optional` field are absent when they are not set.
 */
export function loadProtos(): Promise<Protos> {
  definitions ??= load().catch((error: unknown) => {
    definitions = undefined;
    throw error;
  });
  return definitions;
}

/** Equal for all connections: each would parse and keep its own. */
let definitions: Promise<Protos> | undefined;

async function load(): Promise<Protos> {
  const { fromJSON, load: loadFiles } = await import("@grpc/proto-loader");
  // One level below the package in `src/wire` and in `dist/wire`.
  const folder = fileURLToPath(new URL("../../proto", import.meta.url));
  const files = ["treadle/capability/v1.proto", "grpc/health/v1/health.proto", "plugin/plugin.proto"];
  const options = { includeDirs: [folder], enums: String, longs: Number, defaults: true, arrays: true, oneofs: true };
  const loaded = typeof TREADLE_PLUGIN_PROTOS === "undefined" ? await loadFiles(files, options) : fromJSON(TREADLE_PLUGIN_PROTOS, options);
  // A name of a service is always a service definition, of the same form as that of grpc-js.
  const service = <Method extends string>(name: string): Service<Method> => loaded[name] as unknown as Service<Method>;
  return {
    capability: service("treadle.capability.v1.Capability"),
    health: service("grpc.health.v1.Health"),
    stdio: service("plugin.GRPCStdio"),
    controller: service("plugin.GRPCController"),
  };
}
