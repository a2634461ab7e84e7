/** Starts a program as a plugin, by the protocol of hashicorp/go-plugin. */
import { access, constants, lstat, open, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import type { Readable } from "node:stream";
import { orAborted, sleep } from "@treadle/apimachinery";
import { truncate } from "@treadle/reconcile/unstable/engine";
import type { ConnectEnv, Connection } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import { shown } from "../shown.ts";
import { newCertificate } from "../wire/certificate.ts";
import { connectGrpc, type GrpcConnection } from "../wire/connect.ts";
import { COOKIE, PROTOCOL_VERSION } from "../wire/protos.ts";
import { messageOf } from "../wire/texts.ts";
import { type Child, startChild } from "./child.ts";
import { type Handshake, parseHandshake } from "./handshake.ts";
import { type PluginLog, pluginLog } from "./log.ts";

/** Options of {@link launchPlugin}. */
export interface LaunchOptions extends ConnectEnv {
  /** The name of the plugin, for messages. */
  readonly plugin: string;
  /** Names of environment variables that the plugin gets besides PATH, HOME, TMPDIR and TZ. @defaultValue none */
  readonly envNames?: readonly string[] | undefined;
}

/** Maximum time until the handshake, in milliseconds. */
export const START_MS = 60_000;

/** Time from the request to end until the process is killed, in milliseconds. */
export const STOP_MS = 2_000;

/** Maximum length of the handshake line, in bytes. */
const MAX_LINE_BYTES = 65_536;

/**
 * Starts the program `file` and connects to it. All its processes end with the connection, with the host, and when the start fails.
 * @throws PluginError with the code NotStarted, or Refused for another protocol, and what to do
 */
export async function launchPlugin(file: string, options: LaunchOptions, signal: AbortSignal): Promise<Connection> {
  const { plugin, clock, hide } = options;
  signal.throwIfAborted();
  const why = await whyNoProgram(file);
  if (why !== undefined) throw new PluginError("NotStarted", `cannot start plugin "${plugin}" (${file}): ${why}`);
  const own = await newCertificate();
  const child = await startChild(file, (folder) => environment(folder, own.cert, options.envNames ?? []));
  const log = pluginLog(options);
  const said = logged(child, log, options);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const fail = (why: string): void => reject(new Error(why));
  const timer = clock.after(START_MS, () => fail(`it has written no handshake line within ${START_MS / 1000} s; serve it by go-plugin`));
  void child.ended.then((why) => {
    const platform = `${process.platform} ${process.arch} and ${COOKIE.name}=${COOKIE.value}`;
    fail(`${why} before it served; check that its interpreter is here, and that it is built for ${platform}`);
  });
  const connect = async (): Promise<GrpcConnection> => {
    const handshake = parseHandshake(plugin, await firstLine(child.stdout, log));
    const target = await targetOf(handshake, child.folder);
    const tls = { ca: handshake.cert, cert: own.cert, key: own.key, serverName: "localhost" };
    const protocol = `grpc/${PROTOCOL_VERSION} over ${handshake.network}`;
    return await connectGrpc(target, { plugin, protocol, clock, tls, hide }, signal);
  };
  try {
    const connection = await orAborted(Promise.race([connect(), failed]), signal);
    const stdio = { STDOUT: log.stream(), STDERR: log.stream() };
    connection.readStdio((data, channel) => stdio[channel](data));
    return withProcess(connection, child, options);
  } catch (error) {
    child.kill();
    // A process that left the group may hold the streams open.
    await Promise.race([child.closed, sleep(clock, STOP_MS)]);
    if (signal.aborted) throw signal.reason;
    // The message of a PluginError names the plugin already.
    const text = messageOf(error);
    const cause = error instanceof PluginError ? text : `cannot start plugin "${plugin}" (${file}): ${text}`;
    const code = error instanceof PluginError && error.code === "Refused" ? "Refused" : "NotStarted";
    throw new PluginError(code, said() === "" ? cause : `${cause}. It wrote: ${said()}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

/** Returns why the file cannot be started. Without the look at its first bytes the C library gives a text file to a shell. */
async function whyNoProgram(file: string): Promise<string | undefined> {
  const head = Buffer.alloc(4);
  try {
    await using handle = await open(file);
    await handle.read(head, 0, head.length, 0);
    await access(file, constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "the file does not exist";
    return `the operator may not read and execute it (${code}); run chmod 755 on it, and check that the volume is not mounted with noexec`;
  }
  if (process.platform !== "linux" || head.toString("latin1", 0, 2) === "#!" || head.toString("latin1") === "\x7fELF") return undefined;
  return "it is not a program for this system: it is neither an executable of its kind nor a script with #! in its first line";
}

const ENV_NAMES: readonly string[] = ["PATH", "HOME", "TMPDIR", "TZ"];
/** Programs of Windows do not start without them. */
const WINDOWS_NAMES: readonly string[] = ["SystemRoot", "TEMP", "TMP", "USERPROFILE"];

function environment(folder: string, cert: string, names: readonly string[]): NodeJS.ProcessEnv {
  const allowed = [...ENV_NAMES, ...(process.platform === "win32" ? WINDOWS_NAMES : []), ...names];
  return {
    ...Object.fromEntries(allowed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
    [COOKIE.name]: COOKIE.value,
    PLUGIN_PROTOCOL_VERSIONS: PROTOCOL_VERSION,
    PLUGIN_CLIENT_CERT: cert,
    PLUGIN_UNIX_SOCKET_DIR: folder,
    PLUGIN_MIN_PORT: "10000",
    PLUGIN_MAX_PORT: "25000",
  };
}

/** A line that names the failure: of Node and Python after the place, of Go before the trace. */
const FAILURE = /^([\w.]*(Error|Exception)\b.*:|panic: |fatal error: )/;
/** Maximum length of what is read for a message, in characters. */
const MAX_BEGINNING = 4_000;

/** Logs stderr. Returns the failure at its beginning, for a message. */
function logged(child: Child, log: PluginLog, { hide }: LaunchOptions): () => string {
  const write = log.stream();
  let beginning = "";
  child.stderr.on("data", (data: Buffer) => {
    if (beginning.length < MAX_BEGINNING) beginning += data.toString("utf8", 0, MAX_BEGINNING);
    write(data);
  });
  void child.closed.then(() => log.end());
  return () => {
    const lines = hide(beginning).slice(0, MAX_BEGINNING).split("\n");
    const texts = lines.map((line) => shown(line.trim())).filter((line) => line !== "");
    const from = Math.max(0, texts.findIndex((line) => FAILURE.test(line)) - 4);
    return truncate(texts.slice(from, from + 5).join(" / "), 1_000);
  };
}

/** Returns the first line, then logs all others. */
function firstLine(stdout: Readable, log: PluginLog): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const write = log.stream();
    const onHead = (data: Buffer): void => {
      head = Buffer.concat([head, data]);
      const end = head.indexOf("\n");
      if (end === -1 && head.length <= MAX_LINE_BYTES) return;
      stdout.off("data", onHead).on("data", write);
      if (end === -1 || end > MAX_LINE_BYTES)
        return reject(new Error(`it wrote ${MAX_LINE_BYTES} bytes without a handshake line; write nothing to stdout before it`));
      write(head.subarray(end + 1));
      resolve(head.toString("utf8", 0, end));
    };
    stdout.on("data", onHead);
  });
}

/** The target for gRPC. A socket of another user, or a file that is not a socket, gets neither Secrets nor trust. */
async function targetOf({ network, address }: Handshake, folder: string): Promise<string> {
  if (network === "tcp") return `dns:///${address}`;
  const found = await lstat(address).catch(() => undefined);
  if (found === undefined)
    throw new Error(`its socket ${address} does not exist; create it in PLUGIN_UNIX_SOCKET_DIR before the handshake`);
  if (!found.isSocket()) throw new Error(`${address} is not a socket; create one in PLUGIN_UNIX_SOCKET_DIR`);
  const isInside = `${await realpath(dirname(address))}${sep}`.startsWith(`${folder}${sep}`);
  if (!isInside && found.uid !== process.getuid?.())
    throw new Error(`the socket ${address} belongs to another user; create it in PLUGIN_UNIX_SOCKET_DIR`);
  return `unix:${address}`;
}

/** The connection as one with its process: it ends with it. */
function withProcess(connection: GrpcConnection, child: Child, { clock, log, plugin }: LaunchOptions): Connection {
  const { protocol, describe, plan, check, shutdown } = connection;
  const end = async (): Promise<void> => {
    const timer = clock.after(STOP_MS, () => {
      log.warn({ plugin }, `the plugin has not ended within ${STOP_MS / 1_000} s, and is killed`);
      child.kill();
    });
    const asked = shutdown(new AbortController().signal).catch(() => undefined);
    await child.ended;
    timer.cancel();
    await connection.close();
    await asked;
    await Promise.race([child.closed, sleep(clock, STOP_MS)]);
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  // A program that serves no more is of no use, even if it lives.
  void connection.ended.then(close);
  void child.ended.then(close);
  return { protocol, describe, plan, check, ended: child.ended, close };
}
