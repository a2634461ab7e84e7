/** HTTP and HTTPS fronts of the server. A front only translates between sockets and {@link ApiServer.handle}, which decides each answer. */
import { X509Certificate } from "node:crypto";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ADMINISTRATOR, type Identity } from "../authorization/identity.ts";
import { senderOf, unaskedSender } from "./sender.ts";
import { makeCertificates } from "./certificates.ts";
import { type Authenticate, exchange } from "./exchange.ts";
import { Frames } from "./frames.ts";
import { kubeconfigText } from "./kubeconfig.ts";
import { serveWebSockets } from "./websocket.ts";
import type { ApiServer } from "../api-server.ts";

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
  const authenticate: Authenticate = (request) => unaskedSender(server, request);
  const http = createServer(listener(server, authenticate));
  serveWebSockets(server, http, authenticate);
  return start(http, "http", options);
}

/**
 * Serves an API server over HTTPS, with certificates that are made for this front.
 * @throws Error when the port cannot be used
 */
export async function serveHttps(server: ApiServer, options: HttpsOptions = {}): Promise<HttpsFront> {
  const host = options.host ?? "127.0.0.1";
  const certificates = await makeCertificates([...new Set([host, ...IN_CLUSTER_NAMES, ...(options.hosts ?? [])])]);
  const { createSecureServer } = process.getBuiltinModule("node:http2");
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
  const authenticate: Authenticate = (request) => senderOf(request, server, { auth, authority });
  // Its requests and responses have those methods of node:http that are used here, and it serves HTTP/1.1 by node:http itself.
  const http = createSecureServer({ ...tls, allowHTTP1: true, settings: HTTP2_SETTINGS }) as unknown as Server;
  http.on("request", listener(server, authenticate));
  serveWebSockets(server, http, authenticate);
  const front = await start(http, "https", options);
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

/** Requests at once on a connection of HTTP/2, as on the real server. Clients open more connections. */
const MAX_STREAMS = 100;

/** The settings of the real server. Sizes are in bytes. */
const HTTP2_SETTINGS = {
  maxConcurrentStreams: MAX_STREAMS,
  initialWindowSize: 256 * 1024,
  maxFrameSize: 256 * 1024,
  maxHeaderListSize: 1_048_896,
} as const;

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
  // A server does not know its connections of HTTP/2 and WebSocket.
  const sockets = new Set<Socket>();
  http.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
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
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listener(server: ApiServer, authenticate: Authenticate): RequestListener {
  const frames = new Frames();
  return (request, response) => {
    // Every failure inside becomes an answer or closes the connection.
    void exchange(server, { request, response, authenticate, frames }).catch(() => response.destroy());
  };
}
