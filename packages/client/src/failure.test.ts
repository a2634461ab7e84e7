import { kind } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { failure, json, retryAfter, scriptedTransport } from "../test/scripted-transport.ts";
import { createClient } from "./create-client.ts";
import { retryAfterMs } from "./failure.ts";

const Secret = kind({ group: "", version: "v1", kind: "Secret" });
const secret = { metadata: { name: "a", namespace: "ns" }, data: { password: "cGFzc3dvcmQ=" } };

test.for([
  { name: "details that are null", status: { details: null, message: null }, want: { details: undefined, causes: [] } },
  { name: "details that are a string", status: { details: "x", reason: 7 }, want: { details: undefined, reason: "" } },
  { name: "causes that are a string", status: { details: { name: "a", causes: "x" } }, want: { details: { name: "a" }, causes: [] } },
  { name: "causes with null", status: { details: { causes: [null, { message: 5, field: "f" }] } }, want: { causes: [{ field: "f" }] } },
  { name: "a time that is a string", status: { details: { retryAfterSeconds: "abc" } }, want: { details: {}, retryAfterMs: undefined } },
  { name: "a time below zero", status: { details: { retryAfterSeconds: -1 } }, want: { retryAfterMs: undefined } },
  { name: "a name that is a number", status: { details: { name: 5 } }, want: { details: {} } },
])("a Status with $name is still an API error", async ({ status, want }) => {
  const client = createClient({ transport: scriptedTransport(json(403, { kind: "Status", ...status })), retry: false });
  const error = await client.create(Secret, secret as never).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: "ApiError", code: "ERR_FORBIDDEN", status: 403, ...want });
});

test.for([
  { header: "0", want: 0 },
  { header: "120", want: 120_000 },
  { header: " 3 ", want: 3000 },
  { header: "Thu, 01 Jan 1970 00:00:07 GMT", want: 6000 },
  { header: "Thursday, 01-Jan-70 00:00:07 GMT", want: 6000 },
  { header: "Thu, 01 Jan 1970 00:00:00 GMT", want: 0 },
  { header: "-5", want: undefined },
  { header: "1.5", want: undefined },
  { header: "soon 5", want: undefined },
  { header: "0, 0", want: undefined },
  { header: "2030", want: 2_030_000 },
  { header: "2030-01-01", want: undefined },
])("Retry-After: $header asks for $want ms at second one", ({ header, want }) => {
  expect(retryAfterMs(retryAfter(header, failure(429, "TooManyRequests", "x")), 1000)).toBe(want);
});
