/** The line by which a program of go-plugin reports where it serves. Pure. */
import { X509Certificate } from "node:crypto";
import { PluginError } from "../plugin-error.ts";
import { quoted } from "../wire/texts.ts";
import { LOOPBACK, PROTOCOL_VERSION } from "../wire/protos.ts";

/** Where a program serves. */
export interface Handshake {
  /** `unix` or `tcp`. */
  readonly network: "unix" | "tcp";
  /** A path, or a host with a port. */
  readonly address: string;
  /** The certificate of the program, in PEM. */
  readonly cert: string;
}

/**
 * Reads `core|application|network|address|protocol|certificate`, and a seventh field of newer programs.
 * @throws PluginError with the code NotStarted, or Refused for another protocol, and what to do
 */
export function parseHandshake(plugin: string, line: string): Handshake {
  const refuse = (why: string, code: "NotStarted" | "Refused" = "NotStarted"): never => {
    throw new PluginError(code, `cannot start plugin "${plugin}": ${why}`);
  };
  const [core, version, network, address = "", protocol, cert = "", multiplex = "false", ...rest] = line.trim().split("|");
  const isLine = address !== "" && protocol !== undefined && rest.length === 0 && ["", "true", "false"].includes(multiplex);
  if (!isLine || !/^\d+$/.test(core ?? "") || !/^\d+$/.test(version ?? ""))
    return refuse(`its first line of output is ${quoted(line)}, not a handshake; write nothing to stdout before it`);
  if (core !== "1")
    return refuse(`it speaks version ${core} of go-plugin's protocol, the host version 1; build it with go-plugin 1.x`, "Refused");
  if (version !== PROTOCOL_VERSION)
    return refuse(
      `it speaks application protocol ${version}, the host ${PROTOCOL_VERSION}; take a version of the plugin for this operator`,
      "Refused",
    );
  if (protocol !== "grpc")
    return refuse(`it serves the protocol ${quoted(protocol)}; set go-plugin's GRPCServer, the host speaks grpc only`, "Refused");
  if (network !== "unix" && network !== "tcp") return refuse(`it listens on the network ${quoted(network)}; use unix or tcp`);
  if (network === "tcp" && !LOOPBACK.test(address)) return refuse(`it listens on ${quoted(address)}; listen on 127.0.0.1 or [::1] only`);
  if (network === "unix" && !address.startsWith("/")) return refuse(`its socket ${quoted(address)} is not an absolute path`);
  if (cert === "") return refuse("its handshake has no certificate; use AutoMTLS with the certificate in PLUGIN_CLIENT_CERT");
  return { network, address, cert: pemOf(cert) ?? refuse("the certificate in its handshake cannot be read; write it as base64 of DER") };
}

function pemOf(base64: string): string | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, "base64")).toString();
  } catch {
    return undefined;
  }
}
