/**
 * Watches over WebSocket, as clients of other languages open them. An event is one message: JSON as text, protobuf in binary. What a client
 * sends is read and ignored. The connection is closed with 1000, by the end of the watch and after a close of the client.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { WebSocket, WebSocketServer } from "ws";
import type { ApiServer } from "../api-server.ts";
import { unauthorized } from "../errors/status-errors.ts";
import { MAX_BODY_BYTES, mediaTypeOf, PROTOBUF } from "../request/content.ts";
import { readInto } from "../storage/event-queue.ts";
import { drained } from "./drained.ts";
import { apiRequest, type Authenticate, send, sendProblem } from "./exchange.ts";

/** Serves WebSockets beside the requests of a server. They end with their sockets. */
export function serveWebSockets(server: ApiServer, http: Server, authenticate: Authenticate): void {
  // The library is loaded with the first client that asks for it.
  let sockets: Promise<WebSocketServer> | undefined;
  const upgrade = async (request: IncomingMessage, { socket, head }: Upgrade): Promise<void> => {
    const sender = authenticate(withToken(request));
    if (sender === undefined) return sendProblem(request, responseOn(request, socket), unauthorized());
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    const answer = await server.handle(apiRequest(request, { signal: gone.signal }), sender);
    if (socket.destroyed) return gone.abort();
    if (answer.stream === undefined) return send(request, responseOn(request, socket), answer);
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      gone.abort();
      responseOn(request, socket).writeHead(refusal, { "content-length": 0 }).end();
      return;
    }
    const isBinary = mediaTypeOf(answer.headers["content-type"] ?? "") === PROTOBUF;
    const events = answer.stream;
    const all = await (sockets ??= loadSockets());
    // If the library refuses the handshake, it closes the socket, which ends the watch.
    all.handleUpgrade(request, socket, head, (ws) => void follow(ws, { events, isBinary, socket }).catch(() => ws.terminate()));
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
  const given = headers["sec-websocket-protocol"] ?? "";
  return given === "" ? [] : given.split(",").map((each) => each.trim());
}

/** Returns the status for a handshake that Go's server refuses: one without an origin, or with several protocols. */
function refusalOf(request: IncomingMessage): number | undefined {
  if ((request.headers.origin ?? "") === "") return 403;
  return protocolsOf(request).length > 1 ? 400 : undefined;
}

async function loadSockets(): Promise<WebSocketServer> {
  const { WebSocket: Socket, WebSocketServer: Sockets } = await import("ws");
  /** Answers each close with 1000, as Go's library does. By default the code of the client is repeated. */
  class PlainlyClosed extends Socket {
    override close(): void {
      super.close(NORMAL);
    }
  }
  return new Sockets({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
    WebSocket: PlainlyClosed,
  });
}

const NORMAL = 1000;

/** Sends the events, one after the other, until one of both sides ends. */
async function follow(
  ws: WebSocket,
  { events, isBinary, socket }: { readonly events: AsyncIterable<string>; readonly isBinary: boolean; readonly socket: Socket },
): Promise<void> {
  ws.on("error", () => ws.terminate());
  await readInto(events, (event) => {
    if (ws.readyState !== ws.OPEN) return undefined;
    // A message has its own length, so the four bytes of it in a stream are left out.
    const message = isBinary ? Buffer.from(event, "latin1").subarray(4) : event;
    ws.send(message, { binary: isBinary });
    return socket.writableNeedDrain ? drained(socket) : undefined;
  });
  ws.close();
}
