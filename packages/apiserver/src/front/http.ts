/**
 * HTTP and HTTPS fronts of the server. A front only translates between sockets and {@link ApiServer.handle}, which decides
 * each answer. A watch ends when its client disconnects.
 */
import { X509Certificate } from "node:crypto";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { ADMINISTRATOR, type Identity } from "../authorization/identity.ts";
import { senderOf, unaskedSender } from "./sender.ts";
import { makeCertificates } from "./certificates.ts";
import { MAX_BODY_BYTES, mediaTypeOf, PROTOBUF } from "../request/content.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import type { ApiServer } from "../api-server.ts";
import { entityTooLarge, type StatusError, unauthorized } from "../errors/status-errors.ts";

/** Options of {@link serveHttp}. */
export interface HttpOptions {
  /** Address or host name to listen on. @defaultValue "127.0.0.1" */
  readonly host?: string;
  /** Port to listen on. @defaultValue 0: any free port */
  readonly port?: number;
}

/** A listening HTTP front of an API server. */
export interface HttpFront {
  /** URL of the front, without a trailing slash. */
  readonly url: string;
  /** Stops listening and ends the requests in progress. The API server continues to run. */
  close(): Promise<void>;
}

/** Options of {@link serveHttps}. */
export interface HttpsOptions extends HttpOptions {
  /** More names and addresses for the certificate. It always has the host, localhost and the in-cluster names. */
  readonly hosts?: readonly string[];
  /**
   * Authentication of clients. Without this option each request has the rights of the administrator.
   *
   * With it, a request needs one of these: the administrator's token, a token that the server knows, or, when allowed, a
   * client certificate. Other requests get 401. A server with `authorization: "RBAC"` treats a request without a token as
   * `system:anonymous` instead.
   */
  readonly auth?: {
    /** Bearer token of the administrator, until the front is closed. */
    readonly token?: string;
    /**
     * Whether a certificate of this server's authority authenticates a client. Its CN is the user, its Os are the groups.
     * @defaultValue false
     */
    readonly clientCertificate?: boolean;
  };
}

/** A listening HTTPS front of an API server, with the certificates that were made for it. */
export interface HttpsFront extends HttpFront {
  /** Certificate of the authority that signed the server's certificate, in PEM. */
  readonly caPem: string;
  /** Client certificate of an administrator and its key, in PEM, signed by this server's authority. */
  readonly client: { readonly certPem: string; readonly keyPem: string };
  /** Makes a client certificate and its key, in PEM. It contains only the user and the groups of the identity. */
  clientCertificate(identity: Identity): Promise<{ readonly certPem: string; readonly keyPem: string }>;
  /** Returns a kubeconfig (YAML) for this front. By default it has the credentials that `auth` requires. */
  kubeconfig(credentials?: KubeconfigCredentials): string;
}

/** Credentials that a kubeconfig contains. */
export interface KubeconfigCredentials {
  /** Bearer token. */
  readonly token?: string;
  /** Client certificate and its key, in PEM. */
  readonly client?: { readonly certPem: string; readonly keyPem: string };
}

/**
 * Serves an API server over HTTP. A request without a token has the rights of the administrator.
 * @throws Error when the port cannot be used
 */
export async function serveHttp(server: ApiServer, options: HttpOptions = {}): Promise<HttpFront> {
  // An import of node:http would also load node's fetch, which nothing here needs.
  const { createServer } = process.getBuiltinModule("node:http");
  const http = createServer(listener(server, (request) => unaskedSender(server, request)));
  return start(http, "http", options);
}

/**
 * Serves an API server over HTTPS, with certificates that are made for this front.
 * @throws Error when the port cannot be used
 */
export async function serveHttps(server: ApiServer, options: HttpsOptions = {}): Promise<HttpsFront> {
  const host = options.host ?? "127.0.0.1";
  const certificates = await makeCertificates([...new Set([host, ...IN_CLUSTER_NAMES, ...(options.hosts ?? [])])]);
  const { createServer: createTls } = process.getBuiltinModule("node:https");
  const { auth } = options;
  const tls = {
    key: certificates.server.keyPem,
    cert: certificates.server.certPem,
    ca: certificates.caPem,
    // A certificate is requested and not required: a token is enough, and a refusal must be a Status, not a broken handshake.
    requestCert: auth?.clientCertificate === true,
    rejectUnauthorized: false,
  };
  const authority = new X509Certificate(certificates.caPem);
  const front = await start(
    createTls(
      tls,
      listener(server, (request) => senderOf(request, server, { auth, authority })),
    ),
    "https",
    options,
  );
  const { caPem, client } = certificates;
  const forget = auth?.token === undefined ? () => {} : server.acceptToken(auth.token, ADMINISTRATOR);
  const user =
    auth === undefined ? {} : auth.token !== undefined ? { token: auth.token } : auth.clientCertificate === true ? { client } : {};
  return {
    ...front,
    close: async () => {
      forget();
      await front.close();
    },
    caPem,
    client,
    clientCertificate: ({ user: name, groups = [] }) => certificates.issueClient(name, groups),
    kubeconfig: (credentials = user) => kubeconfigText({ url: front.url, caPem, ...credentials }),
  };
}

const IN_CLUSTER_NAMES = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
] as const;

async function start(http: Server, scheme: "http" | "https", { host = "127.0.0.1", port = 0 }: HttpOptions): Promise<HttpFront> {
  // A watch may be silent for a long time. Node's limits are meant for requests, which the body limit already bounds.
  http.requestTimeout = 0;
  http.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, resolve);
  });
  const address = http.address() as AddressInfo; // listening on TCP
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `${scheme}://${name}:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the sender of a request, or `undefined` when the request is not authenticated. */
type Authenticate = (request: IncomingMessage) => Identity | undefined;

function listener(server: ApiServer, authenticate: Authenticate): RequestListener {
  return (request, response) => {
    // Every failure inside becomes an answer or closes the connection.
    void exchange(server, { request, response, authenticate }).catch(() => response.destroy());
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly authenticate: Authenticate;
}

async function exchange(server: ApiServer, { request, response, authenticate }: Exchange): Promise<void> {
  response.on("error", () => response.destroy());
  const sender = authenticate(request);
  if (sender === undefined) return sendProblem(request, response, unauthorized());
  const body = await readBody(request);
  if (body === undefined) return sendProblem(request, response, entityTooLarge(`limit is ${MAX_BODY_BYTES}`));
  const signal = endOf(response, request);
  const wanted: ApiRequest = {
    method: request.method as ApiRequest["method"], // or another one, which the server answers as such
    path: request.url ?? "/",
    headers: headersOf(request),
    ...(body === "" ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    stream: true,
  };
  const answer = await server.handle(wanted, sender);
  if (request.method === "HEAD" && answer.stream !== undefined) {
    // A HEAD request for a watch gets only the headers. Closing the response ends the watch.
    response.writeHead(answer.status, answer.headers).end();
    return;
  }
  await send(response, answer);
}

/** Returns a signal that aborts when the client disconnects. Only requests that may be watches get one; the others are answered at once. */
function endOf(response: ServerResponse, { method, url = "" }: IncomingMessage): AbortSignal | undefined {
  // A percent sign can be part of an encoded `watch`.
  if ((method !== "GET" && method !== "HEAD") || !/watch|%/.test(url)) return undefined;
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}

async function send(response: ServerResponse, answer: ApiResponse): Promise<void> {
  const encoding = textEncodingOf(answer.headers["content-type"]);
  if (answer.stream === undefined) {
    response.writeHead(answer.status, { ...answer.headers, "content-length": Buffer.byteLength(answer.body, encoding) });
    response.end(answer.body, encoding);
    return;
  }
  response.writeHead(answer.status, answer.headers);
  // The client must learn that the watch is open before the first event.
  response.flushHeaders();
  for await (const chunk of answer.stream) {
    if (response.destroyed) break;
    if (!response.write(chunk, encoding)) await drained(response);
  }
  response.end();
}

/** Bodies in protobuf have one character for each byte. */
function textEncodingOf(contentType = ""): "latin1" | "utf8" {
  return mediaTypeOf(contentType) === PROTOBUF ? "latin1" : "utf8";
}

/** Waits until the socket accepts more data or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
    if (response.destroyed) done();
  });
}

function sendProblem(request: IncomingMessage, response: ServerResponse, { status }: StatusError): void {
  // The rest of the body is not read, so the connection cannot be used for another request.
  const headers = { "content-type": "application/json", ...(request.complete ? {} : { connection: "close" }) };
  response.writeHead(status.code, headers);
  response.end(JSON.stringify(status));
}

/**
 * Reads the body as text, or returns `undefined` when it is too big. Uses events, because an async iterator costs as much as
 * the rest of the request.
 */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) {
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    const encoding = textEncodingOf(request.headers["content-type"]);
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]?.toString(encoding) : Buffer.concat(chunks).toString(encoding)));
    request.on("error", reject);
    request.on("close", () => {
      // `close` also follows a complete body. An Error is only made for an incomplete one, because its stack trace is expensive.
      if (!request.complete) reject(new Error("the client disconnected before the end of its request"));
    });
  });
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
