import { ApiError } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { ConnectionError, type ConnectionErrorCode } from "./connection-error.ts";
import { isTransient } from "./transient.ts";

const api = (status: number, reason = "", causes: readonly object[] = []): ApiError =>
  new ApiError({ message: "m", status, reason, details: { name: "a", causes } });
const coded = (code: string): Error => Object.assign(new Error("m"), { code });
const connection = (code: ConnectionErrorCode): Error => new ConnectionError({ message: "m", code });
const fieldConflict = { reason: "FieldManagerConflict", message: 'conflict with "helm"', field: ".spec.x" };

const circle = new Error("circle");
circle.cause = circle;

test.for<{ readonly name: string; readonly error: unknown; readonly want: boolean }>([
  { name: "a conflict of versions", error: api(409, "Conflict"), want: true },
  { name: "a conflict over fields", error: api(409, "Conflict", [fieldConflict]), want: false },
  { name: "an object that exists already", error: api(409, "AlreadyExists"), want: false },
  ...[408, 429, 500, 502, 503, 504].map((status) => ({ name: `HTTP ${status}`, error: api(status), want: true })),
  ...[400, 401, 403, 404, 410, 422].map((status) => ({ name: `HTTP ${status}`, error: api(status), want: false })),
  ...(["ERR_UNREACHABLE", "ERR_CONNECTION_LOST", "ERR_TIMEOUT", "ERR_INVALID_RESPONSE", "ERR_STREAM_TRUNCATED"] as const).map((code) => ({
    name: code,
    error: connection(code),
    want: true,
  })),
  ...(["ERR_TLS", "ERR_CLOSED", "ERR_CREDENTIALS", "ERR_INVALID_REQUEST"] as const).map((code) => ({
    name: code,
    error: connection(code),
    want: false,
  })),
  { name: "a reset socket of another client", error: coded("ECONNRESET"), want: true },
  { name: "a missing file", error: coded("ENOENT"), want: false },
  { name: "a timeout of AbortSignal.timeout()", error: new DOMException("m", "TimeoutError"), want: true },
  { name: "an abort", error: new DOMException("m", "AbortError"), want: false },
  { name: "fetch with a refused connection", error: new TypeError("fetch failed", { cause: coded("ECONNREFUSED") }), want: true },
  { name: "an error with a transient cause", error: new Error("cannot sync", { cause: api(503) }), want: true },
  { name: "an error with another cause", error: new Error("cannot sync", { cause: api(403) }), want: false },
  { name: "several transient errors", error: new AggregateError([api(503), coded("EPIPE")]), want: true },
  { name: "several errors of which one is not transient", error: new AggregateError([api(503), api(422)]), want: false },
  { name: "no errors", error: new AggregateError([]), want: false },
  { name: "a circle of causes", error: circle, want: false },
  { name: "a text", error: "timeout", want: false },
  { name: "nothing", error: undefined, want: false },
  { name: "a revoked proxy", error: revoked(), want: false },
])("$name: $want", ({ error, want }) => {
  expect(isTransient(error)).toBe(want);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
