/**
 * Watches over WebSocket, as clients of other languages open them. An event is one message: JSON as text, protobuf in binary. What a client
 * sends is read and ignored. The connection is closed with 1000, by the end of the watch and after a close of the client.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { ApiServer } from "../api-server.ts";
import { unauthorized } from "../errors/status-errors.ts";
import { mediaTypeOf, PROTOBUF } from "../request/content.ts";
import { readInto } from "../storage/event-queue.ts";
import { drained } from "./drained.ts";
import { apiRequest, type Authenticate, send, sendProblem } from "./exchange.ts";
import { closeFrame, FrameReader, messageFrame, pongFrame } from "./websocket-frames.ts";

/** Serves WebSockets beside the requests of a server. They end with their sockets. */
export function serveWebSockets(server: ApiServer, http: Server, authenticate: Authenticate): void {
  const upgrade = async (request: IncomingMessage, { socket, head }: Upgrade): Promise<void> => {
    const sender = authenticate(withToken(request));
    if (sender === undefined) return sendProblem(request, responseOn(request, socket), unauthorized());
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    const answer = await server.handle(apiRequest(request, { signal: gone.signal }), sender);
    if (socket.destroyed) return gone.abort();
    if (answer.stream === undefined) return send(request, responseOn(request, socket), answer);
    const { isAccepted, text } = handshakeOf(request);
    if (!isAccepted) {
      gone.abort();
      socket.end(text, "latin1");
      return;
    }
    socket.write(text, "latin1");
    const isBinary = mediaTypeOf(answer.headers["content-type"] ?? "") === PROTOBUF;
    void follow(socket, { events: answer.stream, isBinary, head, end: () => gone.abort() }).catch(() => socket.destroy());
  };
  http.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const isWebSocket = request.method === "GET" && /^websocket$/i.test(request.headers.upgrade ?? "");
    if (!isWebSocket) return answerAsRequest(http, request, { socket, head });
    void upgrade(request, { socket, head }).catch(() => socket.destroy());
  });
}

/** A connection whose client wants another protocol, and the bytes that came after the head of its request. */
interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * Other protocols, such as HTTP/2 without TLS, which Java offers with each request, are not served: the request is answered as if it did not
 * offer them. Node has no other way back from an upgrade before 22.21 (`shouldUpgradeCallback`).
 */
function answerAsRequest(http: Server, { method = "", url = "", rawHeaders }: IncomingMessage, { socket, head }: Upgrade): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  http.emit(socket instanceof TLSSocket ? "secureConnection" : "connection", socket);
}

/** Returns a response on a socket that Node no longer manages. It is the last one there. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const { ServerResponse: Response } = process.getBuiltinModule("node:http");
  const response = new Response(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.on("finish", () => socket.end());
  return response;
}

const TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io.";

/** Browsers cannot set headers, so they send their token as a protocol, beside the one that they want. */
function withToken(request: IncomingMessage): IncomingMessage {
  const { headers } = request;
  const protocols = protocolsOf(request);
  const token = protocols.find((each) => each.startsWith(TOKEN_PROTOCOL));
  if (token === undefined || protocols.length < 2 || headers.authorization !== undefined) return request;
  headers.authorization = `Bearer ${Buffer.from(token.slice(TOKEN_PROTOCOL.length), "base64url").toString()}`;
  headers["sec-websocket-protocol"] = protocols.filter((each) => each !== token).join(", ");
  return request;
}

function protocolsOf({ headers }: IncomingMessage): readonly string[] {
  const given = (headers["sec-websocket-protocol"] ?? "").trim();
  return given === "" ? [] : given.split(",").map((each) => each.trim());
}

/** Answer to a handshake: the head and the body. */
interface Handshake {
  readonly isAccepted: boolean;
  readonly text: string;
}

/** Answers a handshake as Go's server does: any key is accepted, and each protocol, if there is only one. */
function handshakeOf(request: IncomingMessage): Handshake {
  const { headers } = request;
  const refused = (status: string, body = ""): Handshake => ({ isAccepted: false, text: `HTTP/1.1 ${status}\r\n\r\n${body}` });
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return refused("400 Bad Request", "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== "13")
    return refused("400 Bad Request\r\nSec-WebSocket-Version: 13", "missing or bad WebSocket Version");
  // An origin is a path or has a scheme; "null" counts as none.
  const origin = headers.origin ?? "";
  if (origin === "null" || !/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(origin)) return refused("403 Forbidden");
  const protocols = protocolsOf(request);
  if (protocols.length > 1) return refused("400 Bad Request");
  const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
  const lines = ["101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`];
  const named = protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`);
  return { isAccepted: true, text: `HTTP/1.1 ${[...lines, ...named].join("\r\n")}\r\n\r\n` };
}

/** RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;

interface Events {
  readonly events: AsyncIterable<string>;
  readonly isBinary: boolean;
  readonly head: Buffer;
  /** Ends the watch. */
  readonly end: () => void;
}

/** Sends the events, one after the other, until one of both sides ends. */
async function follow(socket: Socket, { events, isBinary, head, end }: Events): Promise<void> {
  const reader = new FrameReader();
  let isOpen = true;
  const pong = (content: Uint8Array): void => {
    if (socket.write(pongFrame(content)) || socket.isPaused()) return;
    // What a client sends is not read while it does not read its pongs.
    socket.pause();
    void drained(socket).then(() => socket.resume());
  };
  const hear = (bytes: Buffer): void => {
    for (const signal of reader.read(bytes)) {
      if (signal.type === "ping") {
        if (isOpen) pong(signal.content);
        continue;
      }
      if (signal.type === "invalid") socket.write(closeFrame(PROTOCOL_ERROR));
      isOpen = false;
      end();
    }
  };
  socket.on("data", hear);
  socket.once("end", () => {
    isOpen = false;
    end();
  });
  hear(head);
  await readInto(events, (event) => {
    if (!isOpen || socket.destroyed) return undefined;
    // A message has its own length, so the four bytes of it in a stream are left out.
    const isReady = socket.write(messageFrame(isBinary ? Buffer.from(event, "latin1").subarray(4) : event));
    return isReady ? undefined : drained(socket);
  });
  isOpen = false;
  if (!socket.destroyed) socket.end(closeFrame(NORMAL), () => socket.destroySoon());
}
