/** The texts of Go's HTTP client and of client-go for calls that fail. */
import { goQuote, isObject, type JsonObject } from "../internal/json.ts";

/** A call without a usable answer. The message is the cause. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** An answer of a webhook. */
export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Returns Go's text for an error of Node. */
export function goCause(error: NodeJS.ErrnoException & { readonly cert?: { readonly subjectaltname?: string } }, target: URL): string {
  const address = `${target.hostname}:${target.port || (target.protocol === "http:" ? "80" : "443")}`;
  const invalid = "tls: failed to verify certificate: x509:";
  switch (error.code) {
    case "ECONNREFUSED":
      return `dial tcp ${address}: connect: connection refused`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${target.hostname}: no such host`;
    case "ECONNRESET":
      return "EOF";
    case "EPROTO":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
      return "http: server gave HTTP response to HTTPS client";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_SIGNATURE_FAILURE":
      return `${invalid} certificate signed by unknown authority`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `${invalid} certificate has expired or is not yet valid`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `${invalid} ${wrongName(error.cert?.subjectaltname ?? "", target.hostname)}`;
    default:
      return error.message;
  }
}

function wrongName(alternatives: string, host: string): string {
  const names = (type: string): readonly string[] =>
    alternatives.split(", ").flatMap((each) => (each.startsWith(`${type}:`) ? [each.slice(type.length + 1)] : []));
  const isAddress = /^[\d.]+$|:/.test(host);
  const valid = names(isAddress ? "IP Address" : "DNS");
  if (valid.length > 0) return `certificate is valid for ${valid.join(", ")}, not ${host}`;
  if (isAddress) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}

/** Returns client-go's text for an answer that broke off. */
export function brokenBody(cause: string): string {
  return `unexpected error when reading response body. Please retry. Original error: ${cause}`;
}

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);

/** Returns client-go's text for a status that is not a success. */
export function refusal({ status, contentType, text }: WebhookResponse): string {
  const given = statusMessage(text);
  if (given !== undefined) return given;
  const known = REFUSALS.get(status);
  if (known !== undefined) return known;
  // Only the text of readable bodies is part of an error.
  const cause = contentType === undefined || contentType.startsWith("text/") ? text.trim() : "unknown";
  if (status === 403) return cause;
  if (status >= 500) return `an error on the server (${goQuote(cause)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** Returns the message of a body that is a Status. */
function statusMessage(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (!isObject(body) || body["kind"] !== "Status" || body["apiVersion"] !== "v1" || body["status"] === "Success") return undefined;
    return typeof body["message"] === "string" ? body["message"] : undefined;
  } catch {
    return undefined; // The body is not JSON.
  }
}

const HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Reads the answer to a review of the same kind. @throws WebhookError */
export function readReview({ status, contentType, text }: WebhookResponse, asked: object): JsonObject {
  if (text === "") throw new WebhookError(`0-length response with status code: ${status} and content type: ${contentType ?? ""}`);
  const answer = parsed(text) ?? {};
  if (!isObject(answer)) throw unreadable(`json: cannot unmarshal ${goTypeOf(answer)} into Go value of type ${HEAD}`);
  const [kind, apiVersion] = [String(answer["kind"] ?? ""), String(answer["apiVersion"] ?? "")];
  const review = asked as { readonly kind: string; readonly apiVersion: string }; // as both callers make it
  const isKnown = kind === review.kind && /^v1(beta1)?$/.test(apiVersion.replace(review.apiVersion.replace(/[^/]*$/, ""), ""));
  if (kind !== "" && apiVersion !== "" && !isKnown)
    throw new WebhookError(
      `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  return answer;
}

/** Parses a body. The real server reads what is not JSON as YAML, so words are a text. @throws WebhookError */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/^\s*[[{"]/.test(text)) return text;
    throw unreadable((error as SyntaxError).message);
  }
}

function unreadable(cause: string): WebhookError {
  return new WebhookError(`couldn't get version/kind; json parse error: ${cause}`);
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
