/** The program of a plugin: started by a host as a child process, or as a server in a container. */
import { fstatSync } from "node:fs";
import { chmod, lstat, mkdtemp, readFile, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, parseArgs } from "node:util";
import { kindIdOf } from "@treadle/apimachinery";
import { newCertificate } from "../wire/certificate.ts";
import { COOKIE, LOOPBACK, PROTOCOL_VERSION } from "../wire/protos.ts";
import { type AnyCapability, describe } from "./plan.ts";
import { type PluginServer, startServer } from "./server.ts";

/**
 * Serves the capabilities of one program, which have one name and one category. The process ends when the host asks for it or closes stdin,
 * and with `process.exit(1)` if it cannot serve. Without a host it prints how to use the plugin. Print nothing to stdout before the call:
 * its first line is for the host.
 *
 * As a server in a container it listens on `--socket PATH`, or on `--address HOST:PORT` with `--tls-cert`, `--tls-key` and `--tls-ca` for
 * mutual TLS. Without TLS only a loopback address is allowed.
 *
 * `if (import.meta.main) servePlugin(...)` needs Node 24.2. On Node 22 it serves nothing: call `servePlugin(...)` without the condition, in
 * a file that no test imports.
 */
export function servePlugin(...capabilities: readonly AnyCapability[]): void {
  serve(capabilities).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
}

async function serve(capabilities: readonly AnyCapability[]): Promise<void> {
  const usage = usageOf(capabilities);
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { socket: text, address: text, "tls-cert": text, "tls-key": text, "tls-ca": text } });
  const { socket, address } = values;
  if (socket !== undefined) return await serveSocket(capabilities, socket);
  if (address !== undefined) return await serveAddress(capabilities, address, [values["tls-cert"], values["tls-key"], values["tls-ca"]]);
  if (process.env[COOKIE.name] === COOKIE.value) return await serveHost(capabilities);
  throw new Error(usage);
}

/** Serves the host that started this process, by the protocol of go-plugin. */
async function serveHost(capabilities: readonly AnyCapability[]): Promise<void> {
  // The first line of stdout is the handshake. What the author prints goes to stderr, which the host logs.
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const { PLUGIN_PROTOCOL_VERSIONS: versions = PROTOCOL_VERSION, PLUGIN_CLIENT_CERT: ca = "", PLUGIN_UNIX_SOCKET_DIR } = process.env;
  if (!versions.split(",").includes(PROTOCOL_VERSION))
    throw new Error(`the plugin speaks protocol version ${PROTOCOL_VERSION}, the host ${versions}; build it with another @treadle/plugins`);
  const own = ca === "" ? undefined : await newCertificate();
  // A folder that only this user can enter.
  const folder = process.platform === "win32" ? undefined : await mkdtemp(join(PLUGIN_UNIX_SOCKET_DIR || tmpdir(), "plugin-"));
  const remove = () => (folder === undefined ? Promise.resolve() : rm(folder, { recursive: true, force: true }));
  const path = `${folder}/s`;
  const { promise: asked, resolve: end } = Promise.withResolvers<void>();
  try {
    const tls = own && { ca, ...own };
    const server = await startServer(capabilities, folder === undefined ? "127.0.0.1:0" : `unix:${path}`, { tls, onShutdown: end });
    endAfter(asked, server, remove);
    // A terminal sends it to all processes of its group: the host decides when this one ends.
    process.on("SIGINT", () => undefined).on("SIGTERM", end);
    onClosedStdin(end);
    const listening = folder === undefined ? `tcp|127.0.0.1:${server.port}` : `unix|${path}`;
    logByLevel();
    print(`1|${PROTOCOL_VERSION}|${listening}|grpc|${own?.cert.replace(/-----[^-]+-----|[\s=]/g, "") ?? ""}\n`);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Writes what the author logs as lines of hclog, whose levels the host keeps. An error with its trace is one line. */
function logByLevel(): void {
  for (const level of ["debug", "info", "warn", "error"] as const)
    console[level] = (...texts: readonly unknown[]) =>
      void process.stderr.write(`${JSON.stringify({ "@level": level, "@message": format(...texts) })}\n`);
  console.log = console.info;
}

/** Serves the operator in the same pod, by a volume that both mount. */
async function serveSocket(capabilities: readonly AnyCapability[], path: string): Promise<void> {
  // A container that was killed leaves its socket. In Node 24.9, an import() of grpc-js after rm() of a file gives a module without values.
  if ((await lstat(path).catch(() => undefined))?.isSocket() === true) await unlink(path);
  const server = await startServer(capabilities, `unix:${path}`);
  // The operator has another user, but the group of the volume.
  await chmod(path, 0o660);
  serveUntilSignal(server, path);
}

/** Serves operators by the network. `files` are the certificate, the key and the authority. */
async function serveAddress(
  capabilities: readonly AnyCapability[],
  address: string,
  files: readonly (string | undefined)[],
): Promise<void> {
  const [cert, key, ca] = await Promise.all(files.map(async (file) => (file === undefined ? undefined : await readFile(file, "utf8"))));
  const tls = cert === undefined || key === undefined || ca === undefined ? undefined : { cert, key, ca };
  if (tls === undefined && !LOOPBACK.test(address))
    throw new Error(`cannot serve ${address} without mutual TLS: give --tls-cert, --tls-key and --tls-ca; Secrets are sent to plugins`);
  const server = await startServer(capabilities, address, { tls });
  serveUntilSignal(server, address.replace(/\d+$/, String(server.port)));
}

function serveUntilSignal(server: PluginServer, at: string): void {
  const { promise: asked, resolve: end } = Promise.withResolvers<void>();
  process.on("SIGTERM", end).on("SIGINT", end);
  endAfter(asked, server);
  console.info(`the plugin listens on ${at}`);
}

/** Ends the process after `asked`. Timers and connections of the author do not keep it alive. */
function endAfter(asked: Promise<void>, server: PluginServer, cleanUp: () => Promise<void> = () => Promise.resolve()): void {
  const end = (): never => process.exit(0);
  void asked
    .then(() => server.stop())
    .then(cleanUp)
    .then(end, end);
}

/** Calls `onClose` when a pipe at stdin is closed: the host has ended. A terminal and /dev/null are no pipes. */
function onClosedStdin(onClose: () => void): void {
  try {
    const stdin = fstatSync(0);
    // Node gives its children a socket.
    if (!stdin.isFIFO() && !stdin.isSocket()) return;
  } catch {
    return; // There is no stdin.
  }
  process.stdin.on("close", onClose).on("error", onClose).resume();
}

function usageOf(capabilities: readonly AnyCapability[]): string {
  const { name, version, category, types } = describe(capabilities);
  const offers = types.map(
    (type) => `  ${category}/${type.name}${type.versions.length === 0 ? "" : `, versions ${type.versions.join(", ")}`}`,
  );
  const kinds = new Set(capabilities.flatMap((each) => Object.values(each.kinds).map(kindIdOf)));
  return `${name}${version === "" ? "" : ` ${version}`} is a plugin for operators. An operator starts it; it does nothing by hand. It offers
${offers.join("\n")}
To use it, grant its kinds in pluginHost({ kinds: { "${name}": [...] } }): ${[...kinds].join(", ")}. Then
  put this file into the folder of folder("./plugins"), with the name ${name},
  or serve it beside the operator with --socket /plugins/${name}.sock,
  or serve it by the network with --address 0.0.0.0:8443 --tls-cert FILE --tls-key FILE --tls-ca FILE.`;
}
