/**
 * Answers that say no, as `ApiError`: `cannot <verb> <Kind> <ns>/<name>: <server message>`.
 */
import { ApiError, type ApiResponse, type Status, type StatusCause } from "@treadle/apimachinery";
import { ConnectionError, connectionError } from "./connection-error.ts";
import { missingRightIn, ruleFor } from "./missing-right.ts";
import { parseStatus } from "./status.ts";

/** What was asked, for errors and observers. */
export interface CallContext {
  readonly verb: string;
  /** `Secret ns/name`, `Secret in namespace ns`, `Secret`. */
  readonly target: string;
  /** Texts that must not appear in an error: the values of a Secret being written. */
  readonly secrets?: readonly string[];
  /** The time at which the answer came. */
  readonly nowMs: number;
  /** Whom a 401 is about: it says neither of which server nor of whose credentials it speaks. */
  readonly login?: {
    readonly server: string | undefined;
    readonly source: string | undefined;
    /** What is wrong with the credentials, as far as can be seen. */
    readonly explain?: ((answer: ApiResponse) => string | undefined) | undefined;
  };
}

/** A body of more than this is not a message for people. */
const MAX_TEXT = 1024;

/** The error for an answer outside of 2xx whose body is `body`. */
export function apiError(context: CallContext, response: ApiResponse, body: string): ApiError {
  const status = parseStatus(body);
  const hide = (text: string): string => redact(text, context.secrets ?? []);
  const message = hide(status?.message ?? plainText(response, body));
  return new ApiError({
    message: `cannot ${context.verb} ${context.target}: ${message}${fixOf(context, response, message)}`,
    status: response.status,
    reason: status?.reason,
    details: status?.details === undefined ? undefined : redactDetails(status.details, hide),
    retryAfterMs: retryAfterMs(response, context.nowMs),
    continueToken: status?.continueToken,
  });
}

/** Adds what was asked to the failure of a transport. */
export function callError(context: Omit<CallContext, "nowMs">, cause: unknown, server: string | undefined): ConnectionError {
  const error = connectionError(cause, server);
  return new ConnectionError({
    code: error.code,
    server: error.server ?? server,
    message: `cannot ${context.verb} ${context.target}: ${redact(error.message, context.secrets ?? [])}`,
    cause: error.cause,
  });
}

/** The error for a 2xx answer that is not what was asked for. `problem` says what it is instead, without quoting it. */
export function invalidBody(
  context: Omit<CallContext, "nowMs">,
  response: ApiResponse,
  given: { readonly body: string; readonly problem: string; readonly server: string | undefined },
): ConnectionError {
  const { body, problem, server } = given;
  const type = response.headers["content-type"] ?? "no content-type";
  return new ConnectionError({
    code: "ERR_INVALID_RESPONSE",
    server,
    message: `cannot ${context.verb} ${context.target}: ${server ?? "the server"} answered ${response.status} with ${body.length} characters (${type}) which are ${problem}; is it an API server?`,
  });
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` and its older form (RFC 9110, 5.6.7). `Date.parse` alone finds a year in "-5" and "soon 5". */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long the answer asks to wait, from its header (seconds or a date), else from its Status where that was not streamed. */
export function retryAfterMs(response: ApiResponse, nowMs: number): number | undefined {
  const header = response.headers["retry-after"]?.trim();
  if (header === undefined || header === "") {
    const { retryAfterSeconds = 0 } = parseStatus(response.body ?? "")?.details ?? {};
    return retryAfterSeconds > 0 ? retryAfterSeconds * 1000 : undefined;
  }
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** What to do about `message`, to be written behind it; empty where the message says it all. */
function fixOf(context: CallContext, response: ApiResponse, message: string): string {
  if (response.status === 401) return loginFix(context, response);
  const right = response.status === 403 ? missingRightIn(message) : undefined;
  return right === undefined ? "" : `; allow it by the RBAC rule ${ruleFor(right)}`;
}

function loginFix({ login }: CallContext, response: ApiResponse): string {
  const { server = "the server", source, explain } = login ?? {};
  // Not "credentials:": what follows such a word is hidden in logs.
  const whose = source === undefined ? "the credentials that it was sent" : `the credentials from ${source}`;
  return `; ${server} does not accept ${whose}: ${explain?.(response) ?? "they are wrong, expired, or those of another cluster"}`;
}

function plainText(response: ApiResponse, body: string): string {
  const text = body.replace(/\s+/g, " ").trim();
  // A proxy's page says less than its status.
  if (text === "" || text.startsWith("<")) return `the server answered ${response.status} without a message`;
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return `the server answered ${response.status}: ${short}`;
}

function redact(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) result = result.replaceAll(secret, "<redacted>");
  return result;
}

function redactDetails(details: NonNullable<Status["details"]>, hide: (text: string) => string): NonNullable<Status["details"]> {
  if (details.causes === undefined) return details;
  const causes = details.causes.map(
    (cause): StatusCause => (cause.message === undefined ? cause : { ...cause, message: hide(cause.message) }),
  );
  return { ...details, causes };
}
