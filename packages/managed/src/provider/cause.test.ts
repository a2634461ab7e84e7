import { RetryAfterError, TerminalError } from "@treadle/reconcile";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Cause, causeOf, createdNothing } from "./cause.ts";
import { CredentialsRefused, isCredentialsRefused, isNotConnected, isThrottled, NotConnected, Throttled } from "./errors.ts";

const NOW = Date.UTC(2026, 0, 1);
const coded = (code: string, given: object = {}): Error => Object.assign(new Error(code), { code, ...given });
const throttled = (retryAfterMs?: number): Cause =>
  retryAfterMs === undefined ? { type: "throttled" } : { type: "throttled", retryAfterMs };

const CIRCLE = new Error("circle");
CIRCLE.cause = CIRCLE;

test.for<{ name: string; given: unknown; want: Cause }>([
  { name: "TerminalError", given: new TerminalError("x"), want: { type: "terminal" } },
  { name: "TerminalError with a status", given: Object.assign(new TerminalError("x"), { status: 429 }), want: { type: "terminal" } },
  { name: "Throttled", given: new Throttled("x"), want: throttled() },
  { name: "Throttled with a time", given: new Throttled("x", 1500), want: throttled(1500) },
  { name: "CredentialsRefused", given: new CredentialsRefused("x"), want: { type: "refused" } },
  { name: "NotConnected", given: new NotConnected("x"), want: { type: "unsent" } },
  { name: "RetryAfterError of the engine", given: new RetryAfterError("x", 1), want: { type: "other" } },
  { name: "status 429", given: { status: 429 }, want: throttled() },
  { name: "statusCode 429", given: { statusCode: 429, retryAfter: 3 }, want: throttled(3000) },
  { name: "retryAfterMs of an SDK", given: { status: 429, retryAfterMs: 250 }, want: throttled(250) },
  { name: "retry-after in headers", given: { status: 429, headers: { "Retry-After": "2" } }, want: throttled(2000) },
  { name: "retry-after in a list", given: { status: 429, headers: { "retry-after": ["2"] } }, want: throttled(2000) },
  {
    name: "retry-after in Headers",
    given: { response: new Response(null, { status: 429, headers: { "retry-after": "7" } }) },
    want: throttled(7000),
  },
  { name: "retry-after in a Map", given: { status: 429, headers: new Map([["Retry-After", "7"]]) }, want: throttled(7000) },
  {
    name: "retry-after with a date",
    given: { status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" } },
    want: throttled(60_000),
  },
  {
    name: "retry-after with a date in the past",
    given: { status: 429, headers: { "retry-after": "Thu, 01 Jan 2015 00:01:00 GMT" } },
    want: throttled(),
  },
  { name: "retry-after with nonsense", given: { status: 429, headers: { "retry-after": "soon" } }, want: throttled() },
  { name: "retry-after of years", given: { status: 429, headers: { "retry-after": "9999999999" } }, want: throttled(86_400_000) },
  { name: "status 401", given: { response: { status: 401 } }, want: { type: "refused" } },
  { name: "status 403 of AWS", given: { $metadata: { httpStatusCode: 403 } }, want: { type: "refused" } },
  { name: "status 500", given: { status: 500 }, want: { type: "other" } },
  {
    name: "status 500 over a refused socket",
    given: Object.assign(new Error("x", { cause: coded("ECONNREFUSED") }), { status: 500 }),
    want: { type: "other" },
  },
  { name: "a text as status", given: { status: "429" }, want: { type: "other" } },
  { name: "a wrapped 429", given: new Error("x", { cause: { status: 429, retryAfter: "4" } }), want: throttled(4000) },
  { name: "ECONNREFUSED", given: coded("ECONNREFUSED"), want: { type: "unsent" } },
  { name: "fetch that found no host", given: new TypeError("fetch failed", { cause: coded("ENOTFOUND") }), want: { type: "unsent" } },
  {
    name: "a connect timeout of undici",
    given: new TypeError("fetch failed", { cause: coded("UND_ERR_CONNECT_TIMEOUT") }),
    want: { type: "unsent" },
  },
  { name: "all addresses refused", given: new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]), want: { type: "unsent" } },
  { name: "one address reset", given: new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")]), want: { type: "other" } },
  { name: "ECONNRESET", given: coded("ECONNRESET"), want: { type: "other" } },
  { name: "its own cause", given: CIRCLE, want: { type: "other" } },
  { name: "a text", given: "boom", want: { type: "other" } },
  { name: "undefined", given: undefined, want: { type: "other" } },
  { name: "null", given: null, want: { type: "other" } },
])("$name is classified", ({ given, want }) => {
  expect(causeOf(given, NOW)).toEqual(want);
  expect(createdNothing(given)).toBe(want.type !== "other");
});

test("values with traps and getters that throw are classified as other", () => {
  const fail = (): never => {
    throw new Error("trap");
  };
  const traps = { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail };
  const getters = Object.defineProperty({}, "status", { get: fail });
  const headers = { status: 429, headers: new Proxy({}, traps) };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  for (const value of [new Proxy({}, traps), new Proxy(new Error("x"), traps), getters, revoked.proxy])
    expect(causeOf(value, NOW)).toEqual({ type: "other" });
  expect(causeOf(headers, NOW), "what can be read is used").toEqual({ type: "throttled" });
});

/** Invariant: whatever is thrown, the result has one of the types, and a time is positive and finite. */
test("causeOf never throws", () => {
  const names = fc.constantFrom(
    "status",
    "statusCode",
    "response",
    "headers",
    "retryAfter",
    "retryAfterMs",
    "retry-after",
    "cause",
    "code",
    "errors",
  );
  const value = fc.object({
    key: names,
    maxDepth: 4,
    values: [fc.constantFrom<unknown>(429, 401, 500, Number.NaN, -1, "2", "ECONNREFUSED"), fc.anything()],
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything({ withNullPrototype: true, withMap: true }), value), (error) => {
      const cause = causeOf(error, NOW);
      expect(["terminal", "throttled", "refused", "unsent", "other"]).toContain(cause.type);
      if (cause.type !== "throttled" || cause.retryAfterMs === undefined) return;
      expect(cause.retryAfterMs).toBeGreaterThan(0);
      expect(cause.retryAfterMs).toBeLessThanOrEqual(86_400_000);
    }),
  );
});

test("errors have their code, their cause, and guards that need no instanceof", () => {
  const cause = new Error("boom");
  const errors = [new Throttled("t", 5, { cause }), new CredentialsRefused("c", { cause }), new NotConnected("n", { cause })];
  expect(errors.map(({ name, code, cause: of }) => [name, code, of])).toEqual([
    ["Throttled", "Throttled", cause],
    ["CredentialsRefused", "CredentialsRefused", cause],
    ["NotConnected", "NotConnected", cause],
  ]);
  expect(errors.map((error) => [isThrottled(error), isCredentialsRefused(error), isNotConnected(error)])).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ]);
  const copy = { [Symbol.for("treadle.managed.Throttled")]: true };
  expect(isThrottled(copy), "an error of another copy of the package").toBe(true);
  expect([undefined, null, "x"].map(isThrottled)).toEqual([false, false, false]);
  expect(() => new Throttled("x", -1)).toThrow(TypeError);
});
