/** The answers and connection errors of faults, as a server or a network produces them. */
import type { ApiError, ApiResponse, Status } from "@treadle/apimachinery";
import type { RecordedRequest } from "../requests.ts";
import type { RequestFault } from "./fault.ts";

/** Builds the answer for a failure. */
export function failure(code: number, reason: string, message: string, retryAfterSeconds?: number): ApiResponse {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return answer({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, reason, details, code });
}

/** Builds the answer that an ApiError stands for. */
export function answerOf({ status: code, message, reason, details, retryAfterMs }: ApiError): ApiResponse {
  const retry = retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  return answer({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details: { ...details, ...retry },
    code,
  });
}

/** Returns the answer in place of the server's; undefined for a fault of the connection. */
export function answerTo(fault: RequestFault, { verb, resource, name, group }: Omit<RecordedRequest, "status">): ApiResponse | undefined {
  switch (fault.type) {
    case "gone":
      return failure(410, "Expired", "The resourceVersion for the provided watch is too old. (injected)");
    case "conflict": {
      const what = `${resource}${group === "" ? "" : `.${group}`} "${name ?? ""}"`;
      const message = `Operation cannot be fulfilled on ${what}: the object has been modified; please apply your changes to the latest version and try again (injected)`;
      return failure(409, "Conflict", message);
    }
    case "tooManyRequests": {
      const { retryAfterSeconds = 1 } = fault;
      return failure(
        429,
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later (injected)",
        retryAfterSeconds,
      );
    }
    case "serverError": {
      const { status = 500, retryAfterSeconds } = fault;
      return failure(status, REASONS[status] ?? "InternalError", `an injected failure of ${verb} ${resource}`, retryAfterSeconds);
    }
    case "reset":
    case "lostResponse":
    case "delay":
    case "halfOpen":
    case "staleList":
      return undefined;
  }
}

const REASONS: Readonly<Record<number, string>> = { 503: "ServiceUnavailable", 504: "Timeout" };

/** The error of a socket that the other side reset. */
export function connectionReset(why: string): Error {
  return Object.assign(new Error(`read ECONNRESET (${why})`), { code: "ECONNRESET", syscall: "read" });
}

/** Never resolves; rejects when the signal is aborted. */
export async function never(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise<never>((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    else signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function answer(status: Status): ApiResponse {
  const seconds = status.details?.retryAfterSeconds;
  const headers = { "content-type": "application/json", ...(seconds === undefined ? {} : { "retry-after": String(seconds) }) };
  return { status: status.code, headers, body: JSON.stringify(status) };
}
