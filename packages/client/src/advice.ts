/**
 * What to look at when no trusted connection comes about, or when the server does not accept who we are: the certificate, the
 * file that it is from, the clock. Never shows a token or a key.
 */
import { X509Certificate } from "node:crypto";
import { parseJson } from "./answer.ts";
import { type ConnectionError, systemCodeOf } from "./connection-error.ts";
import type { Credentials } from "./credentials.ts";
import { shownUrl } from "./shown-url.ts";
import { isFields } from "./status.ts";

/** What is known of a connection. */
export interface Circumstances {
  readonly credentials: Credentials;
  /** Where the configuration is from. */
  readonly source: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly nowMs: number;
}

/** What to look at after `error`, to be written behind its text; nothing where the text says it all. */
export function connectionAdvice(error: ConnectionError, at: Circumstances): string {
  const code = systemCodeOf(error.cause);
  if (error.code === "ERR_UNREACHABLE") return unreachable(code, at);
  if (error.code === "ERR_CONNECTION_LOST") return hungUp(at);
  return error.code === "ERR_TLS" ? untrusted(code, at) : "";
}

/** Clocks that differ by less are usual. */
const SKEW_MS = 60_000;

/** Why a server that said its time (`Date` header) may not accept the credentials; nothing where they look good. */
export function loginProblem(serverDate: string | undefined, { credentials, nowMs }: Omit<Circumstances, "proxyUrl">): string | undefined {
  const serverMs = Date.parse(serverDate ?? "");
  const isKnown = !Number.isNaN(serverMs);
  const problems: string[] = [];
  const expiryMs = tokenExpiryMs(credentials);
  if (expiryMs !== undefined && expiryMs <= (isKnown ? serverMs : nowMs))
    problems.push(`the token${from(credentials.origins?.token)} expired at ${shown(expiryMs)}`);
  const certificate = datesOf(credentials.cert);
  if (certificate !== undefined && certificate.toMs <= (isKnown ? serverMs : nowMs))
    problems.push(`the client certificate${from(credentials.origins?.cert)} expired at ${shown(certificate.toMs)}`);
  if (isKnown && Math.abs(serverMs - nowMs) > SKEW_MS)
    problems.push(`the clocks differ: here it is ${shown(nowMs)}, there ${shown(serverMs)}; correct the one that is wrong`);
  return problems.length === 0 ? undefined : problems.join("; ");
}

function unreachable(code: string, { source, proxyUrl }: Circumstances): string {
  const way = proxyUrl === undefined ? "" : `; the way goes through the proxy ${proxyOrigin(proxyUrl)}`;
  const place = source === undefined ? "" : ` that ${placeOf(source)} gives`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `${way}; check the name${place}, and the name service`;
  return `${way}; check that the server is running, and the address${place}`;
}

/** A server that requires a certificate and does not take ours may just hang up. */
function hungUp({ credentials, nowMs, source }: Circumstances): string {
  const dates = datesOf(credentials.cert);
  if (dates === undefined || dates.toMs > nowMs) return "";
  return `; the client certificate${from(credentials.origins?.cert ?? source)} expired at ${shown(dates.toMs)}: renew it`;
}

function untrusted(code: string, at: Circumstances): string {
  const { credentials, nowMs } = at;
  const { origins = {} } = credentials;
  const clock = `this machine's clock, which says ${shown(nowMs)}`;
  if (UNKNOWN_AUTHORITY.test(code)) {
    if (credentials.ca === undefined)
      return "; no authority that Node trusts signed its certificate: give the cluster's (certificate-authority)";
    return `; its certificate is not signed by the authority${from(origins.ca ?? at.source)}: take the one of this cluster`;
  }
  if (code === "CERT_HAS_EXPIRED") {
    const ca = datesOf(credentials.ca);
    const what = ca !== undefined && ca.toMs <= nowMs ? `the authority${from(origins.ca ?? at.source)}` : "the server's certificate";
    const when = ca !== undefined && ca.toMs <= nowMs ? ` at ${shown(ca.toMs)}` : "";
    return `; ${what} expired${when}: renew it, or correct ${clock}`;
  }
  if (code === "CERT_NOT_YET_VALID") return `; by ${clock}, the certificate is not valid yet: correct the clock, or wait`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "; connect by one of those names, or give one as tls-server-name";
  if (/KEY_VALUES_MISMATCH/.test(code)) return `; the client certificate${from(origins.cert ?? at.source)} does not belong to its key`;
  if (/ALERT/.test(code)) return refusedCertificate(at);
  if (code.startsWith("ERR_OSSL"))
    return `; a certificate or key${from(at.source ?? origins.cert ?? origins.ca)} cannot be read: is it whole, and PEM?`;
  if (/WRONG_VERSION|PACKET_LENGTH/.test(code)) return "; what answers there does not speak TLS: is it http://, or another port?";
  return "";
}

const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA/;

function refusedCertificate({ credentials, nowMs, source }: Circumstances): string {
  if (credentials.cert === undefined) return "; the server wants a client certificate, and there is none";
  const dates = datesOf(credentials.cert);
  const expired = dates !== undefined && dates.toMs <= nowMs ? `, which expired at ${shown(dates.toMs)}` : "";
  return `; the server does not accept the client certificate${from(credentials.origins?.cert ?? source)}${expired}`;
}

function from(origin: string | undefined): string {
  return origin === undefined ? "" : ` from ${placeOf(origin)}`;
}

function placeOf(source: string): string {
  return source === "in-cluster" ? "the pod's service account" : source;
}

function proxyOrigin(proxyUrl: string): string {
  const { protocol, host } = new URL(proxyUrl);
  return shownUrl(`${protocol}//${host}`);
}

/** Until when the first certificate of a PEM text is valid; nothing for what is none. */
function datesOf(pem: string | undefined): { readonly toMs: number } | undefined {
  if (pem === undefined) return undefined;
  try {
    return { toMs: Date.parse(new X509Certificate(pem).validTo) };
  } catch {
    return undefined;
  }
}

/** The time in a token that says one (JWT); nothing is trusted for it, it only explains. */
function tokenExpiryMs({ headers }: Credentials): number | undefined {
  const { authorization } = headers ?? {};
  const [, claims] = typeof authorization === "string" ? authorization.replace(/^Bearer /i, "").split(".") : [];
  const parsed = claims === undefined ? undefined : parseJson(Buffer.from(claims, "base64url").toString("utf8"));
  const expiry = isFields(parsed) ? parsed["exp"] : undefined;
  return typeof expiry === "number" && Number.isFinite(expiry) && Math.abs(expiry) < 8e12 ? expiry * 1000 : undefined;
}

function shown(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
