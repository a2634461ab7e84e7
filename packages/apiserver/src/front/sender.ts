/** Finds the sender of a request on a socket, by its client certificate or its bearer token. */
import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ApiServer } from "../api-server.ts";
import { ADMINISTRATOR, ANONYMOUS, type Identity } from "../authorization/identity.ts";

/** How a server over HTTPS authenticates clients. */
interface Asked {
  /** Without it each client is the administrator. */
  readonly auth: { readonly clientCertificate?: boolean } | undefined;
  /** The authority that signs client certificates. */
  readonly authority: X509Certificate;
}

type Authenticator = Pick<ApiServer, "authenticate" | "isRestricted">;

/** Paths that everyone may read, as the probes of a kubelet need. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/version"]);

/** Returns the sender of a request over HTTPS, or `undefined` when the request is not authenticated. */
export function senderOf(request: IncomingMessage, server: Authenticator, { auth, authority }: Asked): Identity | undefined {
  if (auth === undefined) return unaskedSender(server, request);
  const token = bearerOf(request);
  if (auth.clientCertificate === true) {
    const named = identityIn(request.socket as TLSSocket, authority); // a TLS server's socket
    if (named !== undefined) return named;
  }
  const holder = holderOf(server, token);
  if (holder !== undefined) return holder;
  const isOpen = OPEN_PATHS.has((request.url ?? "").split("?")[0] ?? "");
  return isOpen || (token === undefined && server.isRestricted) ? ANONYMOUS : undefined;
}

/**
 * Returns the sender of a request to a front without authentication. A known token gives its user. With RBAC an unknown token
 * is refused.
 */
export function unaskedSender(server: Authenticator, request: IncomingMessage): Identity | undefined {
  const token = bearerOf(request);
  return holderOf(server, token) ?? (token !== undefined && server.isRestricted ? undefined : ADMINISTRATOR);
}

function holderOf(server: Authenticator, token: string | undefined): Identity | undefined {
  return token === undefined ? undefined : server.authenticate(token);
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer\s+(.*)$/i.exec(headers.authorization ?? "")?.[1];
}

/**
 * Returns the user of the client certificate. `socket.authorized` is not enough: it is true for a resumed session even when
 * the client sent no certificate.
 */
function identityIn(socket: TLSSocket, authority: X509Certificate): Identity | undefined {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  if (certificate?.verify(authority.publicKey) !== true) return undefined;
  const { CN: user, O: groups = [] } = certificate.toLegacyObject().subject as { readonly CN?: string; readonly O?: string | string[] };
  return user === undefined ? undefined : { user, groups: typeof groups === "string" ? [groups] : groups };
}
