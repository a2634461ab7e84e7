/** Plugins that run already, as a sidecar or a Deployment. The kubelet supervises them; the host connects, and connects again after a loss. */
import { access, constants, lstat } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { parse } from "node:path";
import type { Credentials, CredentialSource } from "@treadle/client";
import type { Origin, PluginSource } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import type { Tls } from "../wire/certificate.ts";
import { LOOPBACK } from "../wire/protos.ts";
import { absolute, codeOf, type PluginSourceOptions, type Reach, reach, sourceOf } from "./source.ts";

/** Options of {@link socket}. */
export interface SocketOptions extends PluginSourceOptions {
  /** The name of the plugin. @defaultValue the name of the file without its extension */
  readonly name?: string;
}

/** Options of {@link address}. */
export interface AddressOptions extends PluginSourceOptions {
  /** The name of the plugin. */
  readonly name: string;
  /**
   * The authority of the server (`ca`), and the certificate (`cert`) and key (`key`) of the operator, as PEM. All three are needed. A source
   * such as `fileCredentials()` of the client is asked at each connection, so certificates may rotate.
   * @defaultValue none: only allowed on loopback
   */
  readonly tls?: Pick<Credentials, "ca" | "cert" | "key"> | CredentialSource;
  /** The expected name in the certificate of the server. @defaultValue the host of the address */
  readonly serverName?: string;
}

/**
 * Makes a source of one server on a unix socket, such as a sidecar with a common volume.
 *
 * The socket may appear later. The process of the operator needs the right to write it: give both containers one user or one `fsGroup`.
 * Who may write its folder can serve in place of the plugin, so mount the volume in these containers only. This is not checked: a volume of
 * a pod is usually writable for all its users.
 *
 * @param path absolute, or relative to the working folder
 * @throws TypeError for an empty path
 */
export function socket(path: string, options: SocketOptions = {}): PluginSource {
  return socketSource(path, options, reach);
}

/** {@link socket} with another way to connect. */
export function socketSource(path: string, options: SocketOptions, connect: Reach): PluginSource {
  const file = absolute(path, "/plugins/pg.sock");
  const { name = parse(file).name } = options;
  const title = `socket ${file}`;
  const reached: Origin["connect"] = async (env, signal) => {
    const problem = await socketProblem(file);
    if (problem !== undefined) throw new PluginError("Away", `cannot connect to plugin "${name}" at ${file}: ${problem}`);
    return connect(`unix:${file}`, { ...env, plugin: name, protocol: "grpc/1 over unix" }, signal);
  };
  return sourceOf({ name, title, revision: title, isServer: true, connect: reached }, options);
}

/**
 * Makes a source of one server at `host:port`, such as a Deployment with a Service. Secrets are sent there, and plans come from there. So mutual
 * TLS is needed, except on loopback: 127.0.0.0/8, `[::1]` and `localhost`.
 * @param hostPort such as `pg.plugins.svc:9000` or `[::1]:9000`
 * @throws TypeError for another form, and for a missing or incomplete `tls`
 */
export function address(hostPort: string, options: AddressOptions): PluginSource {
  return addressSource(hostPort, options, reach);
}

/** {@link address} with another way to connect. */
export function addressSource(hostPort: string, options: AddressOptions, connect: Reach): PluginSource {
  const { name, tls, serverName } = options;
  const refuse = (why: string): never => {
    throw new TypeError(`the address ${JSON.stringify(hostPort)} of a plugin cannot be used: ${why}`);
  };
  if (!isAddress(hostPort)) refuse("write it as host:port, without a scheme or path, such as pg.plugins.svc:9000 or [::1]:9000");
  if (name === "") refuse("set the option name to the name of the plugin");
  if (tls === undefined && !LOOPBACK.test(hostPort))
    refuse("only servers on loopback need no TLS; set the option tls with ca, cert and key");
  if (typeof tls === "object" && completeTls(tls) === undefined) refuse("mutual TLS needs all of ca, cert and key in the option tls");
  const title = `address ${hostPort}`;
  const reached: Origin["connect"] = async (env, signal) => {
    const given = typeof tls === "function" ? await tls({ renew: true }) : tls;
    const complete = given === undefined ? undefined : completeTls(given);
    if (given !== undefined && complete === undefined) throw new Error("its tls gave no ca, cert or key: mutual TLS needs all of them");
    const mutual = complete === undefined ? undefined : { ...complete, serverName };
    const protocol = mutual === undefined ? "grpc/1 over tcp" : "grpc/1 over tls";
    return connect(hostPort, { ...env, plugin: name, protocol, tls: mutual }, signal);
  };
  return sourceOf({ name, title, revision: title, isServer: true, connect: reached }, options);
}

async function socketProblem(file: string): Promise<string | undefined> {
  try {
    if (!(await lstat(file)).isSocket()) return "it is not a socket: check the path of the source and of the plugin";
    await access(file, constants.W_OK);
    return undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "there is no such socket: check that the plugin runs, and that both containers mount the volume";
    return `the operator may not write it (${String(codeOf(error))}): give both containers one runAsUser or one fsGroup`;
  }
}

/** Whether a text is `host:port`. */
function isAddress(text: string): boolean {
  const { v6, port } = /^(?:\[(?<v6>[^\]]+)\]|[\w.-]+):(?<port>[1-9]\d{0,4})$/.exec(text)?.groups ?? {};
  return Number(port) <= 65_535 && (v6 === undefined || isIPv6(v6));
}

function completeTls({ ca, cert, key }: Credentials): Tls | undefined {
  return ca && cert && key ? { ca, cert, key } : undefined;
}
