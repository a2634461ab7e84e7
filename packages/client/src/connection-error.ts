/**
 * The failure to get a usable answer. An answer that is a refusal is an `ApiError`. The text names the server and the cause, and
 * never holds credentials or bodies.
 */

/** Says why there was no usable answer. */
export type ConnectionErrorCode =
  /** No connection could be opened: refused, no route, unknown host, connect timeout. The request was not sent. */
  | "ERR_UNREACHABLE"
  /** The certificate of the server or of the client was not accepted, or the client's key pair is unusable. The request was not sent. */
  | "ERR_TLS"
  /** The connection broke after the request was sent; a write may or may not have been executed. */
  | "ERR_CONNECTION_LOST"
  /** The server took the request and did not answer in time; a write may or may not have been executed. */
  | "ERR_TIMEOUT"
  /** The answer is not that of an API server (a proxy's page, broken JSON). */
  | "ERR_INVALID_RESPONSE"
  /** A watch ended in the middle of an event. */
  | "ERR_STREAM_TRUNCATED"
  /** The client was closed by its owner. */
  | "ERR_CLOSED"
  /** There are no credentials for the server (a file or a credential plugin failed). The request was not sent. */
  | "ERR_CREDENTIALS"
  /** HTTP cannot carry the request (a header with a line break), or the proxy requires a password. The request was not sent. */
  | "ERR_INVALID_REQUEST"
  /** {@link HttpTransportOptions.allowAddress} does not allow the address of the server or of its proxy. The request was not sent. */
  | "ERR_ADDRESS_REFUSED";

const BRAND: symbol = Symbol.for("treadle.client.ConnectionError");

/** Reports that no usable answer came from the server. */
export class ConnectionError extends Error {
  /** The name of the class. */
  override readonly name = "ConnectionError";
  /** Reason why there was no usable answer. */
  readonly code: ConnectionErrorCode;
  /** Base URL of the server, where known. */
  readonly server: string | undefined;
  /** Whether the server may have executed the request. False when it certainly did not. */
  readonly isOutcomeUnknown: boolean;

  constructor(given: {
    readonly message: string;
    readonly code: ConnectionErrorCode;
    readonly server?: string | undefined;
    readonly cause?: unknown;
  }) {
    super(given.message, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code;
    this.server = given.server;
    this.isOutcomeUnknown = !NOT_SENT.has(given.code);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

const NOT_SENT: ReadonlySet<ConnectionErrorCode> = new Set([
  "ERR_UNREACHABLE",
  "ERR_TLS",
  "ERR_CREDENTIALS",
  "ERR_INVALID_REQUEST",
  "ERR_ADDRESS_REFUSED",
]);

/** Tells whether `error` is a {@link ConnectionError}, also when another copy of this package made it. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Tells whether `cause` is a bug of a custom transport. A retry cannot help then. */
export function isProgrammingError(cause: unknown): boolean {
  const isOfLanguage = [TypeError, ReferenceError, RangeError, SyntaxError].some((type) => cause instanceof type);
  // fetch throws a TypeError as well, with the error of the socket as its cause.
  return isOfLanguage && systemCodeOf(cause) === "";
}

/** Classifies what a socket, TLS or HTTP library threw. */
export function connectionError(cause: unknown, server?: string): ConnectionError {
  if (isConnectionError(cause)) return cause;
  const code = codeOf(cause);
  const whom = server ?? "the server";
  // A parser's error carries what it was parsing.
  const kept = code === "ERR_INVALID_RESPONSE" ? undefined : cause;
  return new ConnectionError({ code, server, cause: kept, message: `${SENTENCES[code](whom)}: ${textOf(cause)}` });
}

/** The error of a call of a closed client. */
export function closedError(server: string | undefined, cause?: unknown): ConnectionError {
  return new ConnectionError({ code: "ERR_CLOSED", server, message: SENTENCES.ERR_CLOSED(server ?? "the server"), cause });
}

const SENTENCES: Readonly<Record<ConnectionErrorCode, (server: string) => string>> = {
  ERR_UNREACHABLE: (server) => `no connection to ${server}`,
  ERR_TLS: (server) => `no trusted connection to ${server}`,
  ERR_CONNECTION_LOST: (server) => `the connection to ${server} broke`,
  ERR_TIMEOUT: (server) => `${server} did not answer in time`,
  ERR_INVALID_RESPONSE: (server) => `${server} did not answer as an API server does`,
  ERR_STREAM_TRUNCATED: (server) => `the stream from ${server} was cut`,
  ERR_CLOSED: (server) => `the client of ${server} is closed`,
  ERR_CREDENTIALS: (server) => `no credentials for ${server}`,
  ERR_INVALID_REQUEST: (server) => `the request to ${server} cannot be sent`,
  ERR_ADDRESS_REFUSED: (server) => `the address of ${server} is not allowed`,
};

const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const TIMED_OUT: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);

function codeOf(cause: unknown): ConnectionErrorCode {
  const code = systemCodeOf(cause);
  const syscall = typeof cause === "object" && cause !== null && "syscall" in cause ? cause.syscall : undefined;
  if (UNREACHABLE.has(code) || (code === "ETIMEDOUT" && syscall === "connect")) return "ERR_UNREACHABLE";
  if (TIMED_OUT.has(code)) return "ERR_TIMEOUT";
  if (code === "UND_ERR_INVALID_ARG") return "ERR_INVALID_REQUEST";
  // OpenSSL's verification codes have no common prefix; these are the families that Node documents. ERR_OSSL: unusable material.
  if (/^ERR_OSSL|CERT|^ERR_TLS|^ERR_SSL|SIGNATURE|UNABLE_TO_|^EPROTO$|ISSUER/.test(code)) return "ERR_TLS";
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return "ERR_INVALID_RESPONSE";
  // Some errors of undici's parser have no code.
  if (code.startsWith("HPE_") || (cause instanceof Error && cause.name === "HTTPParserError")) return "ERR_INVALID_RESPONSE";
  return "ERR_CONNECTION_LOST";
}

/** `code` of the error, or of the first of several attempts (one for each address of the host). */
export function systemCodeOf(cause: unknown): string {
  if (typeof cause !== "object" || cause === null) return "";
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  if (cause instanceof AggregateError) return systemCodeOf(cause.errors[0]);
  return "cause" in cause ? systemCodeOf(cause.cause) : "";
}

function textOf(cause: unknown): string {
  // One error for each address of the host; they may be equal.
  if (cause instanceof AggregateError && cause.message === "") return [...new Set(cause.errors.map(textOf))].join("; ");
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" ? systemCodeOf(cause) || cause.name : cause.message;
}
