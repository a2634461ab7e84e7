import { describe, expect, test } from "vitest";
import { socketError } from "../test/scripted-transport.ts";
import { type Circumstances, connectionAdvice, loginProblem } from "./advice.ts";
import { connectionError } from "./connection-error.ts";

const nowMs = Date.UTC(2026, 5, 1, 12);
const httpDate = (ms: number): string => new Date(ms).toUTCString();
const token = (claims: object | string): Circumstances["credentials"] => ({
  headers: {
    authorization: `Bearer h.${Buffer.from(typeof claims === "string" ? claims : JSON.stringify(claims)).toString("base64url")}.hunter2`,
  },
  origins: { token: "/var/run/token" },
});

describe("the advice for a refused login", () => {
  test.for([
    {
      name: "names an expired token",
      credentials: token({ exp: nowMs / 1000 - 60 }),
      date: httpDate(nowMs),
      want: "the token from /var/run/token expired at 2026-06-01T11:59:00Z",
    },
    { name: "names nothing for a token without an expiry", credentials: token({}), date: httpDate(nowMs), want: undefined },
    { name: "names nothing for a token that is not JSON", credentials: token("hello"), date: httpDate(nowMs), want: undefined },
    { name: "names nothing for a token with an absurd expiry", credentials: token({ exp: 1e300 }), date: httpDate(nowMs), want: undefined },
    {
      name: "names nothing for basic authentication",
      credentials: { headers: { authorization: "Basic hunter2" } },
      date: httpDate(nowMs),
      want: undefined,
    },
    {
      name: "names nothing for a server without a Date header",
      credentials: token({ exp: nowMs / 1000 + 60 }),
      date: undefined,
      want: undefined,
    },
    {
      name: "names a clock that is behind",
      credentials: token({ exp: nowMs / 1000 + 60 }),
      date: httpDate(nowMs + 3_600_000),
      want: "the token from /var/run/token expired at 2026-06-01T12:01:00Z; the clocks differ: here it is 2026-06-01T12:00:00Z, there 2026-06-01T13:00:00Z; correct the one that is wrong",
    },
    { name: "names nothing for clocks that differ a little", credentials: {}, date: httpDate(nowMs + 30_000), want: undefined },
  ])("$name", ({ credentials, date, want }) => {
    const said = loginProblem(date, { credentials, source: undefined, nowMs });
    expect(said).toBe(want);
    expect(String(said)).not.toContain("hunter2");
  });
});

describe("the advice for a failed connection", () => {
  const at: Circumstances = {
    credentials: { ca: "x", cert: "x", origins: { ca: "/ca.crt", cert: "/u.crt" } },
    source: "/kubeconfig",
    proxyUrl: undefined,
    nowMs,
  };
  test.for([
    { code: "ECONNREFUSED", given: at, want: "; check that the server is running, and the address that /kubeconfig gives" },
    {
      code: "ENOTFOUND",
      given: { ...at, source: "in-cluster" },
      want: "; check the name that the pod's service account gives, and the DNS",
    },
    {
      code: "ECONNREFUSED",
      given: { ...at, proxyUrl: "http://me:hunter2@proxy:1" },
      want: "; the connection goes through the proxy http://proxy:1; check",
    },
    { code: "SELF_SIGNED_CERT_IN_CHAIN", given: at, want: "; its certificate is not signed by the authority from /ca.crt" },
    {
      code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      given: { ...at, credentials: {} },
      want: "; no authority that Node trusts signed its certificate",
    },
    {
      code: "CERT_HAS_EXPIRED",
      given: at,
      want: "; the server's certificate expired: renew it, or correct this machine's clock, which says 2026-06-01T12:00:00Z",
    },
    {
      code: "CERT_NOT_YET_VALID",
      given: at,
      want: "; by this machine's clock, which says 2026-06-01T12:00:00Z, the certificate is not valid yet",
    },
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", given: at, want: "; connect by one of those names" },
    { code: "ERR_OSSL_X509_KEY_VALUES_MISMATCH", given: at, want: "; the client certificate from /u.crt does not belong to its key" },
    { code: "ERR_OSSL_PEM_NO_START_LINE", given: at, want: "; a certificate or key from /kubeconfig cannot be read" },
    {
      code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
      given: { ...at, credentials: {} },
      want: "; the server requires a client certificate",
    },
    { code: "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED", given: at, want: "; the server does not accept the client certificate from /u.crt" },
    { code: "ERR_SSL_WRONG_VERSION_NUMBER", given: at, want: "; the server at this address does not use TLS" },
    { code: "ECONNRESET", given: at, want: "" },
  ])("after $code", ({ code, given, want }) => {
    const said = connectionAdvice(connectionError(socketError(code), "https://api"), given);
    expect(said.slice(0, want.length)).toBe(want);
    expect(said).not.toContain("hunter2");
  });
});
