/** Connections through a SOCKS 5 proxy (RFC 1928), with a user name and password where its URL has them (RFC 1929). */
import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { ConnectionError, isConnectionError } from "./connection-error.ts";
import { shownUrl } from "./shown-url.ts";

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;
/** RFC 1928, 6. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: "it failed",
  2: "its rules do not allow it",
  3: "the network is unreachable",
  4: "the host is unreachable",
  5: "the server refuses connections",
  6: "the time to live expired",
};

/** Connects undici to a server through the proxy at `proxyUrl`. The proxy resolves host names. */
export function socksConnector(
  proxyUrl: string,
  given: { readonly timeoutMs: number; readonly overTls: buildConnector.connector; readonly lookup?: LookupFunction },
): buildConnector.connector {
  const proxy = new URL(proxyUrl);
  return (options, callback) => {
    const isTls = options.protocol === "https:";
    const connect = async (): Promise<void> => {
      let socket: Socket;
      try {
        socket = await tunnel(proxy, {
          host: options.hostname,
          port: Number(options.port) || (isTls ? 443 : 80),
          timeoutMs: given.timeoutMs,
          lookup: given.lookup,
        });
      } catch (error) {
        return void callback(error instanceof Error ? error : new Error(String(error)), null);
      }
      if (isTls) given.overTls({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    };
    void connect(); // it reports by the callback
  };
}

async function tunnel(
  proxy: URL,
  to: { readonly host: string; readonly port: number; readonly timeoutMs: number; readonly lookup: LookupFunction | undefined },
): Promise<Socket> {
  const whom = `the SOCKS proxy ${shownUrl(`http://${proxy.host}`).replace("http://", "")}`;
  const socket = connectTcp({
    host: bare(proxy.hostname),
    port: Number(proxy.port) || 1080,
    ...(to.lookup === undefined ? {} : { lookup: to.lookup }),
  });
  const late = (): void => void socket.destroy(new Error(`it did not connect within ${to.timeoutMs} ms`));
  const timer = setTimeout(late, to.timeoutMs);
  try {
    const bytes = reader(socket);
    await greet(socket, bytes, proxy);
    await ask(socket, bytes, to);
    bytes.release();
  } catch (cause) {
    socket.destroy();
    if (isConnectionError(cause)) throw cause; // The guard of addresses refused the proxy.
    const text = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
    throw new ConnectionError({ code: "ERR_UNREACHABLE", message: `no connection through ${whom}: ${text}`, cause });
  } finally {
    clearTimeout(timer);
  }
  socket.setKeepAlive(true, 30_000).setNoDelay(true);
  return socket;
}

async function greet(socket: Socket, bytes: Reader, proxy: URL): Promise<void> {
  const [user, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
  const methods = user === "" ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await bytes(2);
  if (version !== VERSION) throw new Error("it does not speak SOCKS 5");
  if (method === NO_AUTHENTICATION) return;
  if (method !== PASSWORD || user === "")
    throw new Error(user === "" ? "it requires a user name and a password" : "it does not accept a password");
  socket.write(Buffer.concat([Buffer.from([1]), counted(user), counted(password)]));
  const [, status] = await bytes(2);
  if (status !== 0) throw new Error("it does not accept the user name and password in its URL");
}

async function ask(socket: Socket, bytes: Reader, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const target = Buffer.alloc(2);
  target.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(bare(host)), target]));
  const [, reply = 1, , type] = await bytes(4);
  if (reply !== 0) throw new Error(`it does not connect to ${host}:${port}: ${REFUSALS[reply] ?? `it answered ${reply}`}`);
  // The address from which the proxy connected is not needed.
  const length = type === ADDRESS.ipv4 ? 4 : type === ADDRESS.ipv6 ? 16 : ((await bytes(1))[0] ?? 0);
  await bytes(length + 2);
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([ADDRESS.ipv4, ...host.split(".").map(Number)]);
  if (!isIPv6(host)) return Buffer.concat([Buffer.from([ADDRESS.name]), counted(host)]);
  const [head = "", tail] = host.split("::");
  const groups = (text: string | undefined): readonly string[] => (text === undefined || text === "" ? [] : text.split(":"));
  const gap = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: tail === undefined ? 0 : gap }, () => "0"), ...groups(tail)];
  return Buffer.concat([Buffer.from([ADDRESS.ipv6]), ...all.map((group) => Buffer.from(group.padStart(4, "0"), "hex"))]);
}

/** A text after its length in one byte. @throws Error for a longer text */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error("a name, user or password is longer than 255 bytes");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads an exact number of bytes. */
type Reader = ((count: number) => Promise<Buffer>) & {
  /** Leaves the other bytes to the next reader of the socket. */
  readonly release: () => void;
};

function reader(socket: Socket): Reader {
  let held = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake = (): void => {};
  const onData = (data: Buffer): void => {
    held = Buffer.concat([held, data]);
    wake();
  };
  const onFailure = (error: Error = new Error("it closed the connection")): void => {
    failure ??= error;
    wake();
  };
  const onEnd = (): void => onFailure();
  socket.on("data", onData).on("error", onFailure).on("end", onEnd);
  const read = async (count: number): Promise<Buffer> => {
    while (held.length < count) {
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const bytes = held.subarray(0, count);
    held = held.subarray(count);
    return bytes;
  };
  const release = (): void => {
    socket.pause().off("data", onData).off("end", onEnd).off("error", onFailure);
    if (held.length > 0) socket.unshift(held);
  };
  return Object.assign(read, { release });
}

function bare(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
