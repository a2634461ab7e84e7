import { expect, test } from "vitest";
import {
  ApiError,
  conflictsOf,
  isAborted,
  isAlreadyExists,
  isApiError,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isKindNotServed,
  isNotFound,
  isTooManyRequests,
} from "./errors.ts";

const guards = { isNotFound, isKindNotServed, isConflict, isAlreadyExists, isInvalid, isForbidden, isExpired, isTooManyRequests };

test.for([
  { status: 404, reason: "NotFound", details: { name: "x", kind: "secrets" }, code: "ERR_NOT_FOUND", guard: "isNotFound" },
  { status: 404, reason: "NotFound", details: {}, code: "ERR_KIND_NOT_SERVED", guard: "isKindNotServed" },
  { status: 409, reason: "Conflict", details: { name: "x" }, code: "ERR_CONFLICT", guard: "isConflict" },
  { status: 409, reason: "AlreadyExists", details: { name: "x" }, code: "ERR_ALREADY_EXISTS", guard: "isAlreadyExists" },
  { status: 422, reason: "Invalid", details: { name: "x" }, code: "ERR_INVALID", guard: "isInvalid" },
  { status: 403, reason: "Forbidden", details: { name: "x" }, code: "ERR_FORBIDDEN", guard: "isForbidden" },
  { status: 410, reason: "Expired", details: {}, code: "ERR_EXPIRED", guard: "isExpired" },
  { status: 0, reason: "Expired", details: {}, code: "ERR_EXPIRED", guard: "isExpired" },
  { status: 500, reason: "Gone", details: {}, code: "ERR_EXPIRED", guard: "isExpired" },
  { status: 429, reason: "TooManyRequests", details: {}, code: "ERR_TOO_MANY_REQUESTS", guard: "isTooManyRequests" },
  { status: 503, reason: "", details: {}, code: "ERR_SERVER", guard: undefined },
  { status: 418, reason: "", details: {}, code: "ERR_OTHER", guard: undefined },
])("$status $reason has the code $code, and only its own guard accepts it", ({ status, reason, details, code, guard }) => {
  const error = new ApiError({ message: "m", status, reason, details });
  expect(error.code).toBe(code);
  expect(
    Object.entries(guards)
      .filter(([, is]) => is(error))
      .map(([name]) => name),
  ).toEqual(guard === undefined ? [] : [guard]);
});

test("an error of another copy of this package is recognised by its brand", () => {
  const foreign = Object.defineProperty(
    Object.assign(new Error("m"), { code: "ERR_NOT_FOUND" }),
    Symbol.for("treadle.apimachinery.ApiError"),
    { value: true },
  );
  expect(isApiError(foreign)).toBe(true);
  expect(isNotFound(foreign)).toBe(true);
});

test.for([undefined, null, "x", new Error("x"), { code: "ERR_NOT_FOUND" }])("%s is not an ApiError", (value) => {
  expect(isApiError(value)).toBe(false);
  expect(isNotFound(value)).toBe(false);
});

test("retryAfterMs is the server's pause in milliseconds", () => {
  expect(new ApiError({ message: "m", status: 429, details: { retryAfterSeconds: 3 } }).retryAfterMs).toBe(3000);
  expect(new ApiError({ message: "m", status: 429, details: { retryAfterSeconds: 3 }, retryAfterMs: 10 }).retryAfterMs).toBe(10);
});

test("isAborted tells aborts from failures", () => {
  expect(isAborted(AbortSignal.abort().reason)).toBe(true);
  expect(isAborted(new Error("x"))).toBe(false);
});

test("conflictsOf returns the conflicts of an apply by manager and field", () => {
  const cause = (message: string, field: string): object => ({ reason: "FieldManagerConflict", message, field });
  const causes = [
    cause('conflict with "one"', ".spec.size"),
    cause('conflict with "a \\"b\\" using x" with subresource "status" using example.com/v1', '.status.list[name="a"]'),
    cause('conflict with "edit" using v1 at 2026-01-01T00:00:00Z', ".data.k"),
    { reason: "Other", message: "m", field: ".x" },
  ];
  const error = new ApiError({ message: "m", status: 409, reason: "Conflict", details: { causes } });
  expect(conflictsOf(error)).toEqual([
    { manager: "one", field: ".spec.size" },
    { manager: 'a "b" using x', field: '.status.list[name="a"]', subresource: "status", apiVersion: "example.com/v1" },
    { manager: "edit", field: ".data.k", apiVersion: "v1" },
  ]);
});

test.for([
  { name: "a stale version", error: new ApiError({ message: "m", status: 409, reason: "Conflict", details: { name: "x" } }) },
  { name: "another failure", error: new ApiError({ message: "m", status: 422, reason: "Invalid" }) },
  { name: "no error of the API", error: new Error("boom") },
])("conflictsOf is empty for $name", ({ error }) => {
  expect(conflictsOf(error)).toEqual([]);
});
