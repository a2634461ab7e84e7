/**
 * Advice for failed connections and refused logins: which certificate, file or clock to check. It never shows a token or a key.
 */
import { X509Certificate } from "node:crypto";
import { parseJson } from "./answer.ts";
import { type ConnectionError, systemCodeOf } from "./connection-error.ts";
import type { Credentials } from "./credentials.ts";
import { shownUrl } from "./shown-url.ts";
import { isFields } from "./status.ts";

/** What is known about a connection. */
export interface Circumstances {
  readonly credentials: Credentials;
  /** Origin of the configuration. */
  readonly source: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly nowMs: number;
}

/** Advice to append to the text of `error`; empty where there is none. */
export function connectionAdvice(error: ConnectionError, at: Circumstances): string {
  const code = systemCodeOf(error.cause);
  if (error.code === "ERR_UNREACHABLE") return unreachable(error, at);
  if (error.code === "ERR_CONNECTION_LOST") return hungUp(at);
  return error.code === "ERR_TLS" ? untrusted(code, at) : "";
}

/** Smaller differences between clocks are normal. */
const SKEW_MS = 60_000;

/** Why a server with the time `serverDate` (`Date` header) may refuse the credentials; `undefined` where they look valid. */
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

function unreachable({ cause, message }: ConnectionError, { source, proxyUrl }: Circumstances): string {
  const code = systemCodeOf(cause);
  // The error of a proxy names it already.
  const way =
    proxyUrl === undefined || message.includes(new URL(proxyUrl).host)
      ? ""
      : `; the connection goes through the proxy ${proxyOrigin(proxyUrl)}`;
  const place = source === undefined ? "" : ` that ${placeOf(source)} gives`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `${way}; check the name${place}, and the DNS`;
  return `${way}; check that the server is running, and the address${place}`;
}

/** A server that refuses a client certificate may close the connection without a word. */
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
    return `; its certificate is not signed by the authority${from(origins.ca ?? at.source)}: use the authority of this cluster`;
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
  if (/WRONG_VERSION|PACKET_LENGTH/.test(code))
    return "; the server at this address does not use TLS: check whether it is http://, or another port";
  return "";
}

const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA/;

function refusedCertificate({ credentials, nowMs, source }: Circumstances): string {
  if (credentials.cert === undefined) return "; the server requires a client certificate, and the configuration has none";
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

/** The expiry of the first certificate in `pem`; `undefined` when it cannot be parsed. */
function datesOf(pem: string | undefined): { readonly toMs: number } | undefined {
  if (pem === undefined) return undefined;
  try {
    return { toMs: Date.parse(new X509Certificate(pem).validTo) };
  } catch {
    return undefined;
  }
}

/** The expiry in a token that is a JWT. It is not verified, since it only explains an error. */
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
