/** Who sends a request that comes over a socket: by the certificate, or the token that it shows. */
import { timingSafeEqual, type X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ApiServer } from "../api-server.ts";
import { ADMINISTRATOR, ANONYMOUS, type Identity } from "../authorization/identity.ts";

/** How a server over HTTPS finds out who sends a request. */
interface Asked {
  /** Absent: each client is the administrator. */
  readonly auth: { readonly token?: string; readonly clientCertificate?: boolean } | undefined;
  /** The authority that signs client certificates. */
  readonly authority: X509Certificate;
}

type Authenticator = Pick<ApiServer, "authenticate" | "isRestricted">;

/** Answered to everybody, as a kubelet's probes need it. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/version"]);

/** Who sends a request over HTTPS; undefined: somebody who is not let in. */
export function senderOf(request: IncomingMessage, server: Authenticator, { auth, authority }: Asked): Identity | undefined {
  if (auth === undefined) return unaskedSender(server, request);
  const token = bearerOf(request);
  if (auth.clientCertificate === true) {
    const named = identityIn(request.socket as TLSSocket, authority); // a TLS server's socket
    if (named !== undefined) return named;
  }
  if (auth.token !== undefined && token !== undefined && isSame(token, auth.token)) return ADMINISTRATOR;
  const holder = holderOf(server, token);
  if (holder !== undefined) return holder;
  const isOpen = OPEN_PATHS.has((request.url ?? "").split("?")[0] ?? "");
  return isOpen || (token === undefined && server.isRestricted) ? ANONYMOUS : undefined;
}

/** Where nobody needs a token: who shows one is its holder, and on a server that asks for rights it must be one. */
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
 * Whom the certificate names that the client showed. `socket.authorized` alone does not do: of a resumed session it is true
 * even where the client showed none.
 */
function identityIn(socket: TLSSocket, authority: X509Certificate): Identity | undefined {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  if (certificate?.verify(authority.publicKey) !== true) return undefined;
  const { CN: user, O: groups = [] } = certificate.toLegacyObject().subject as { readonly CN?: string; readonly O?: string | string[] };
  return user === undefined ? undefined : { user, groups: typeof groups === "string" ? [groups] : groups };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
