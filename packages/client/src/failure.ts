/**
 * Refusals of the server as `ApiError`: `cannot <verb> <Kind> <ns>/<name>: <server message>`.
 */
import { ApiError, type ApiResponse, type Status, type StatusCause } from "@treadle/apimachinery";
import { ConnectionError, connectionError } from "./connection-error.ts";
import { missingRightIn, ruleFor } from "./missing-right.ts";
import { parseStatus } from "./status.ts";

/** Describes a call for errors. */
export interface CallContext {
  readonly verb: string;
  /** Object of the call: `Secret ns/name`, `Secret in namespace ns`, `Secret`. */
  readonly target: string;
  /** Texts that must not appear in an error: the values of a Secret that is written. */
  readonly secrets?: readonly string[];
  /** Time of the answer. */
  readonly nowMs: number;
  /** Server and credentials of the call. The answer 401 names neither. */
  readonly login?: {
    readonly server: string | undefined;
    readonly source: string | undefined;
    /** Returns what is wrong with the credentials, as far as it is visible. */
    readonly explain?: ((answer: ApiResponse) => string | undefined) | undefined;
  };
}

/** Maximum number of characters of a body in an error. */
const MAX_TEXT = 1024;

/** The error for an answer with a status other than 2xx. */
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

/** Adds verb and object to the failure of a transport. */
export function callError(context: Omit<CallContext, "nowMs">, cause: unknown, server: string | undefined): ConnectionError {
  const error = connectionError(cause, server);
  return new ConnectionError({
    code: error.code,
    server: error.server ?? server,
    message: `cannot ${context.verb} ${context.target}: ${redact(error.message, context.secrets ?? [])}`,
    cause: error.cause,
  });
}

/** The error for a 2xx answer with an unusable body. `problem` describes the body without a quote. */
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

/** `Sun, 06 Nov 1994 08:49:37 GMT` and its older form (RFC 9110, 5.6.7). `Date.parse` alone accepts "-5" and "soon 5". */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/** The wait that an answer asks for: in its header, as seconds or a date, else in its Status, if that was not streamed. */
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

/** Advice to append to `message`; empty where there is none. */
function fixOf(context: CallContext, response: ApiResponse, message: string): string {
  if (response.status === 401) return loginFix(context, response);
  const right = response.status === 403 ? missingRightIn(message) : undefined;
  return right === undefined ? "" : `; allow it by the RBAC rule ${ruleFor(right)}`;
}

function loginFix({ login }: CallContext, response: ApiResponse): string {
  const { server = "the server", source, explain } = login ?? {};
  // Not "credentials:", since logs hide the text after such a word.
  const whose = source === undefined ? "the credentials that it was sent" : `the credentials from ${source}`;
  return `; ${server} does not accept ${whose}: ${explain?.(response) ?? "they are wrong, expired, or those of another cluster"}`;
}

function plainText(response: ApiResponse, body: string): string {
  const text = body.replace(/\s+/g, " ").trim();
  // The page of a proxy says less than its status.
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
