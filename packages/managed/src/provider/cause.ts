/**
 * What an error of an author's function means for the provider. SDKs agree on few things: most have a numeric status, and the errors
 * of sockets have a code. Nothing here throws, whatever was thrown: values from outside may have getters and traps.
 */
import { isTerminalError } from "@treadle/reconcile";
import { isCredentialsRefused, isNotConnected, isThrottled } from "./errors.ts";

/** The meaning of an error. */
export type Cause =
  /** The provider will not do it: a retry cannot fix it. */
  | { readonly type: "terminal" }
  /** The provider has too many calls. `retryAfterMs`: it asked for this time. */
  | { readonly type: "throttled"; readonly retryAfterMs?: number }
  /** The provider does not accept the credentials. */
  | { readonly type: "refused" }
  /** The provider answered that the request is wrong: another status from 400 to 499. */
  | { readonly type: "rejected" }
  /** The request was not sent. */
  | { readonly type: "unsent" }
  /** Anything else: it is not known whether the provider did it. `retryAfterMs`: it asked for this time, as with 503. */
  | { readonly type: "other"; readonly retryAfterMs?: number };

const OTHER: Cause = { type: "other" };

/** Codes of failures before a connection exists. Others, such as ECONNRESET, may come after the request was sent. */
const UNSENT_CODES: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** An error may be its own cause. */
const MAX_CAUSES = 8;

/** A day: more is an error of the provider, and would stop the objects for good. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Classifies an error: by its class, else by a numeric `status`, `statusCode`, `response.status` or `$metadata.httpStatusCode` of the
 * error or of its causes, else by the code of a socket. Never throws.
 * @param nowMs the time, for a `retry-after` header with a date. @defaultValue such a date is ignored
 */
export function causeOf(error: unknown, nowMs: number = Number.NaN): Cause {
  try {
    return byClass(error) ?? byStatus(error, nowMs) ?? (isUnsent(error) ? { type: "unsent" } : OTHER);
  } catch {
    return OTHER;
  }
}

/**
 * Tells whether an error of `create` says that nothing was created. It trusts the error: a `create` that makes several calls must
 * not let the error of a later call through.
 */
export function createdNothing(error: unknown): boolean {
  return causeOf(error).type !== "other";
}

function byClass(error: unknown): Cause | undefined {
  if (isTerminalError(error)) return { type: "terminal" };
  if (isThrottled(error)) return asking("throttled", error.retryAfterMs);
  if (isCredentialsRefused(error)) return { type: "refused" };
  return isNotConnected(error) ? { type: "unsent" } : undefined;
}

function byStatus(error: unknown, nowMs: number): Cause | undefined {
  for (const each of chainOf(error)) {
    const status = statusOf(each);
    if (status === undefined) continue;
    if (status === 401 || status === 403) return { type: "refused" };
    if (status === 429) return asking("throttled", retryAfterOf(each, nowMs));
    // 408: the server gave up waiting, and may have begun.
    if (status >= 400 && status < 500 && status !== 408) return { type: "rejected" };
    return asking("other", retryAfterOf(each, nowMs));
  }
  return undefined;
}

function statusOf(error: unknown): number | undefined {
  const candidates = [
    read(error, "status"),
    read(error, "statusCode"),
    read(read(error, "response"), "status"),
    read(read(error, "$metadata"), "httpStatusCode"),
  ];
  return candidates.find((value) => typeof value === "number");
}

function asking(type: "throttled" | "other", retryAfterMs: number | undefined): Cause {
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return { type };
  return { type, retryAfterMs: Math.min(MAX_RETRY_AFTER_MS, retryAfterMs) };
}

/** Returns the time that the provider asked for. A bare `retryAfter` is in seconds, as the header is. */
function retryAfterOf(error: unknown, nowMs: number): number | undefined {
  const ms = read(error, "retryAfterMs");
  if (typeof ms === "number") return ms;
  const values = [
    read(error, "retryAfter"),
    header(read(error, "headers")),
    header(read(read(error, "response"), "headers")),
    header(read(read(error, "$response"), "headers")),
  ];
  return values.map((value) => millisecondsOf(value, nowMs)).find((value) => value !== undefined);
}

/** Accepts seconds, a date of HTTP, and a Date. */
function millisecondsOf(value: unknown, nowMs: number): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value * 1000 : undefined;
  if (value instanceof Date) return sinceNow(value.getTime(), nowMs);
  if (typeof value !== "string") return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  return sinceNow(Date.parse(value), nowMs);
}

function sinceNow(dateMs: number, nowMs: number): number | undefined {
  return Number.isNaN(dateMs - nowMs) ? undefined : dateMs - nowMs;
}

/** Reads `retry-after` from a `Headers`, a Map, or an object with names in any case. */
function header(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return undefined;
  try {
    const get = read(headers, "get");
    if (typeof get === "function") return get.call(headers, "retry-after") ?? get.call(headers, "Retry-After");
    const name = Object.keys(headers).find((key) => key.toLowerCase() === "retry-after");
    const value = name === undefined ? undefined : read(headers, name);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

/** Whether every attempt failed before the request was sent. Node tries several addresses and joins their errors. */
function isUnsent(error: unknown): boolean {
  for (const each of chainOf(error)) {
    if (UNSENT_CODES.has(read(each, "code"))) return true;
    const errors = read(each, "errors");
    if (Array.isArray(errors) && errors.length > 0 && errors.every((one) => UNSENT_CODES.has(read(one, "code")))) return true;
  }
  return false;
}

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let each = error; typeof each === "object" && each !== null && chain.length < MAX_CAUSES; each = read(each, "cause"))
    chain.push(each);
  return chain;
}

function read(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}
