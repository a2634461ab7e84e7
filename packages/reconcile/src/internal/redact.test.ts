import { ApiError } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReconcileError, RetryAfterError, TerminalError } from "../errors.ts";
import { describe as describeError, errorsIn, MAX_ERROR_LENGTH, reasonOf, statusMessage, truncate, withoutSecrets } from "./redact.ts";

const KEY = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq\n${"A1b2".repeat(10)}\n-----END RSA PRIVATE KEY-----`;
// Put together here, so that no scanner takes a made-up token for a real one.
const JWT = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", "c2lnbmF0dXJl"].join(".");
const GITHUB = `ghp_${"a1B2".repeat(9)}`;
const BLOB = Buffer.from("k\u00fcrzlich gestohlener Schl\u00fcssel Nr. 42 \u00ff\u00fe").toString("base64");

/** Time of the processor, since the clock depends on the load of the machine. */
function processorMs(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

describe("secrets", () => {
  test.for([
    { name: "a bearer token", text: "GET /x with Authorization: Bearer s3cr3t.token-1 failed", secret: "s3cr3t" },
    { name: "a bearer token without the header", text: "sent bearer abcdef123456", secret: "abcdef123456" },
    { name: "basic credentials", text: "authorization: Basic dXNlcjpwYXNz", secret: "dXNlcjpwYXNz" },
    { name: "another scheme", text: 'headers {"authorization":"Token s3cr3t-1"}', secret: "s3cr3t" },
    { name: "another scheme without quotes", text: "authorization: ApiKey s3cr3t-1", secret: "s3cr3t" },
    { name: "a cookie", text: "set-cookie: session=s3cr3t; Path=/", secret: "s3cr3t" },
    { name: "a JWT", text: `token was ${JWT}, expired`, secret: "c2lnbmF0dXJl" },
    { name: "an encrypted JWT of five parts", text: `got ${JWT}.cGFydDQ.cGFydDU`, secret: "cGFydDU" },
    { name: "a private key", text: `cannot parse ${KEY} here`, secret: "MIIEow" },
    { name: "a private key that was cut off", text: KEY.slice(0, 80), secret: "MIIEow" },
    { name: "a private key on one line", text: JSON.stringify({ key: KEY }), secret: "MIIEow" },
    { name: "a password", text: "login failed: password=hunter2, user=me", secret: "hunter2" },
    { name: "a password in JSON", text: '{"password": "hunter2 with \\" blanks", "user":"me"}', secret: "blanks" },
    {
      name: "a password in JSON within JSON",
      text: JSON.stringify({ body: JSON.stringify({ password: "hunter2 with blanks" }) }),
      secret: "blanks",
    },
    { name: "a password in single quotes", text: "password: 'hunter2 with blanks'", secret: "blanks" },
    { name: "an environment variable", text: "PGPASSWORD=hunter2 psql", secret: "hunter2" },
    { name: "a camel-case key", text: "clientSecret: hunter2", secret: "hunter2" },
    { name: "a secret after a sentence like one of ours", text: "cannot watch it: secret: hunter2", secret: "hunter2" },
    { name: "an AWS secret key", text: "aws_secret_access_key = hunter2", secret: "hunter2" },
    { name: "an AWS secret key in JSON", text: '{"SecretAccessKey":"hunter2"}', secret: "hunter2" },
    { name: "an API key in a header", text: "x-api-key: hunter2", secret: "hunter2" },
    { name: "a token in a query", text: "GET https://h/p?access_token=hunter2&x=1", secret: "hunter2" },
    { name: "a passphrase", text: "passphrase=hunter2", secret: "hunter2" },
    { name: "a URL with credentials", text: "postgres://app:hunter2@db:5432/app", secret: "hunter2" },
    { name: "a URL without a user", text: "redis://:hunter2@cache:6379", secret: "hunter2" },
    { name: "a URL with @ in the password", text: "postgres://app:hun@ter2@db/app", secret: "ter2" },
    { name: "a URL with / in the password", text: "amqp://app:hun/ter2@mq", secret: "ter2" },
    {
      name: "a value that the API server refuses",
      text: 'Widget "a" is invalid: spec.password: Invalid value: "hunter2": must be longer',
      secret: "hunter2",
    },
    { name: "a GitHub token", text: `cannot clone with ${GITHUB}`, secret: GITHUB.slice(4) },
    { name: "long base64", text: `tls.key ${BLOB}`, secret: BLOB.slice(0, 20) },
    { name: "base64 under a key", text: '{"data":{"db-password":"aHVudGVyMg=="}}', secret: "aHVudGVyMg" },
  ])("$name goes", ({ text, secret }) => {
    expect(text).toContain(secret);
    expect(withoutSecrets(text)).not.toContain(secret);
    expect(withoutSecrets(text)).toContain("<redacted>");
    expect(withoutSecrets(withoutSecrets(text)), "twice is as good as once").toBe(withoutSecrets(text));
  });

  test.for([
    "connect ECONNREFUSED 10.0.0.1:443",
    "Secret default/db-credentials does not exist",
    'secrets "db-token" not found',
    'Widget "a" is invalid: spec.password: Required value',
    "spec.inputSecret: Required value",
    "cannot get Secret: connection refused",
    "cannot watch Secret: injected; allow list and watch of secrets to the operator's service account",
    "cannot list RegistryToken: socket hang up",
    "cannot get Secret default/api-token: the server is on fire",
    "the token is expired",
    "cannot read /etc/operator/my-credentials: they are wrong",
    "basic authentication failed",
    "Bearer token required",
    "cannot pull oci://registry:5000/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "GET http://10.0.0.1:8080/healthz: mail admin@example.com",
    "git@github.com:treadle/treadle.git",
    "spec.tokens: 3, spec.secretName: db, spec.passwordLength: 12",
    `step "read-token": do did not finish within 30 s`,
    "widgets.test.treadle.dev/a is broken, ask keyholder.example.com",
    "eyewitness.default.svc.cluster.local does not resolve",
    "at runPhase (/srv/app/node_modules/@treadle/reconcile/dist/internal/phase.js:45:12)",
  ])("%j stays as it is", (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test("what stands around a secret stays readable", () => {
    expect(withoutSecrets("postgres://app:hunter2@db:5432/app")).toBe("postgres://app:<redacted>@db:5432/app");
    expect(withoutSecrets("login failed: password=hunter2, user=me")).toBe("login failed: password=<redacted>, user=me");
    expect(withoutSecrets('spec.password: Invalid value: "x\\"y": must be longer')).toBe(
      "spec.password: Invalid value: <redacted>: must be longer",
    );
  });

  test("a name of any length before the word is part of the name", () => {
    expect(withoutSecrets(`${"a_".repeat(100)}password=hunter2`)).toBe(`${"a_".repeat(100)}password=<redacted>`);
  });

  test("a JWT is found after other letters of its row, which stay", () => {
    expect(withoutSecrets(`id-${JWT} x-eyJ.abc`)).toBe("id-<redacted> x-eyJ.abc");
  });

  // A text has 16 kB at most here: 100 of them take 50 ms, and took 700 ms to 30 s.
  test.for([
    { name: "long names in front of a word", text: `${"a-".repeat(20)}key`.repeat(400) },
    { name: "beginnings of a JWT in one word", text: "-eyJaaa".repeat(2_300) },
    { name: "blanks after a request id", text: `request id${" ".repeat(16_000)}` },
  ])("100 texts of $name cost little", ({ text }) => {
    const started = process.cpuUsage();
    for (let nth = 0; nth < 100; nth++) statusMessage(new Error(text + nth));
    expect(processorMs(started)).toBeLessThan(400);
  });

  // Untrusted text (an answer's body) may be long and built to be slow; 200 kB take milliseconds, a quadratic pattern minutes.
  test.for(["a-", "password", "://a:", "eyJaaaaaa", '\\"', "-----BEGIN KEY-----", "aA1", 'password=\\"', "cookie:", "x "])(
    "200 kB of %j are no trap",
    (piece) => {
      const text = piece.repeat(200_000 / piece.length);
      const started = process.cpuUsage();
      statusMessage(new Error(text));
      expect(processorMs(started)).toBeLessThan(2_000);
    },
  );
});

describe("what differs each time", () => {
  test.for([
    { text: "request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed", want: "request <id> failed" },
    { text: "at 2026-01-01T12:00:00.123Z and 2026-01-01 12:00:00+01:00", want: "at <time> and <time>" },
    { text: "read tcp 10.0.0.1:53214->10.0.0.2:443: reset", want: "read tcp 10.0.0.1->10.0.0.2:443: reset" },
    { text: "pointer 0xc000123456", want: "pointer <id>" },
    { text: "RequestID: ABCDEF12345, code: Throttled", want: "RequestID: <id>, code: Throttled" },
    { text: "one\n  two\r\n\tthree", want: "one two three" },
  ])("$text", ({ text, want }) => {
    expect(statusMessage(new Error(text))).toBe(want);
  });
});

/** Values that do harm to whoever looks at them. */
const hostile = {
  "an error whose message throws": Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("gotcha");
    },
  }),
  "an error whose message is no text": Object.assign(new Error("x"), { message: { deep: true } }),
  "an error whose code throws": Object.defineProperty(new Error("x"), "code", {
    get: () => {
      throw new Error("gotcha");
    },
  }),
  "an error whose name is no text": Object.assign(new Error("x"), { name: { toString: () => "Odd" } }),
  "an object without a prototype": Object.create(null) as object,
  "an object whose toString throws": {
    toString: () => {
      throw new Error("gotcha");
    },
  },
  "an object whose toString gives no text": { toString: () => 5n },
  "a symbol": Symbol("s"),
  "a bigint": 5n,
  null: null,
  undefined: undefined,
  "a function": () => undefined,
  "an AggregateError without errors": Object.assign(new AggregateError([], "x"), { errors: undefined }),
  "an AggregateError whose errors throw": Object.defineProperty(new AggregateError([], "x"), "errors", {
    get: () => {
      throw new Error("gotcha");
    },
  }),
  "a revoked proxy": (() => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  })(),
};

describe("whatever was thrown", () => {
  test.for(Object.keys(hostile))("%s has a message and a reason", (name) => {
    const thrown = hostile[name as keyof typeof hostile];
    expect(statusMessage(thrown)).toEqual(expect.any(String));
    expect(reasonOf(thrown)).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  });

  test("an AggregateError that holds itself ends", () => {
    const inner = new AggregateError([new Error("one")]);
    const outer = new AggregateError([inner, new Error("two")]);
    inner.errors.push(outer);
    expect(describeError(outer)).toContain("one");
    expect(reasonOf(outer)).toEqual(expect.any(String));
  });

  test("an error without a message is called by its name", () => {
    expect(describeError(new TypeError())).toBe("TypeError");
  });

  test("an AggregateError says what each of its errors says, its own message where it holds none", () => {
    const nested = new AggregateError([new AggregateError([new Error("a"), new Error("b")]), new Error("c")], "3 failures");
    expect(describeError(nested)).toBe("a; b; c");
    expect(errorsIn(nested)).toHaveLength(3);
    expect(describeError(new AggregateError([], "nothing worked"))).toBe("nothing worked");
  });
});

describe("the limit of a message", () => {
  test.for([
    { name: "one below", text: "x".repeat(MAX_ERROR_LENGTH - 1), isCut: false },
    { name: "just there", text: "x".repeat(MAX_ERROR_LENGTH), isCut: false },
    { name: "one above", text: "x".repeat(MAX_ERROR_LENGTH + 1), isCut: true },
    { name: "characters of two units", text: "🦉".repeat(MAX_ERROR_LENGTH), isCut: false },
    { name: "one character of two units too many", text: "🦉".repeat(MAX_ERROR_LENGTH + 1), isCut: true },
  ])("$name", ({ text, isCut }) => {
    const message = statusMessage(new Error(text));
    expect([...message].length).toBeLessThanOrEqual(MAX_ERROR_LENGTH);
    expect(message.endsWith("…")).toBe(isCut);
    expect(message.isWellFormed()).toBe(true);
  });

  // Never longer than asked; unchanged where it fits; a cut one is a beginning of the text; well-formed stays well-formed.
  test("truncate, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const cut = truncate(text, max);
        expect([...cut].length).toBeLessThanOrEqual(max);
        if ([...text].length <= max) expect(cut).toBe(text);
        else expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith("…")).toBe(true);
        if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("the reason", () => {
  const coded = (code: unknown): Error => Object.assign(new Error("x"), { code });
  test.for<[string, unknown, string]>([
    ["an engine code", coded("ERR_FOO_BAR"), "FooBar"],
    ["a single word in capitals", coded("ECONNRESET"), "ECONNRESET"],
    ["a single word in lower case", coded("timeout"), "Timeout"],
    ["snake case", coded("not_found"), "NotFound"],
    ["kebab case", coded("rate-limited"), "RateLimited"],
    ["words", coded("quota exceeded"), "QuotaExceeded"],
    ["CamelCase", coded("NoSuchBucket"), "NoSuchBucket"],
    ["dots", coded("AWS.SimpleQueueService.NonExistentQueue"), "AwsSimpleQueueServiceNonExistentQueue"],
    ["a path", coded("auth/user-not-found"), "AuthUserNotFound"],
    ["undici's", coded("UND_ERR_CONNECT_TIMEOUT"), "UndErrConnectTimeout"],
    ["a number", coded(5), "Error"],
    ["a SQLSTATE", Object.assign(new Error("x"), { code: "23505", name: "error" }), "Error"],
    ["an empty code", coded(""), "Error"],
    ["only the prefix", coded("ERR_"), "Error"],
    ["letters that no reason may have", coded("ÜBERLAUF!"), "Error"],
    ["no code", new RangeError("x"), "RangeError"],
    ["no error", "text", "Error"],
    ["a plain object with a code", { code: "ERR_X_Y" }, "XY"],
    ["a code too long", coded("A".repeat(2_000)), "Error"],
    ["an API error with a reason", new ApiError({ message: "x", status: 403, reason: "Forbidden" }), "Forbidden"],
    ["an API error without one", new ApiError({ message: "x", status: 403 }), "Forbidden"],
    ["a timeout of the engine", new ReconcileError("ERR_STEP_TIMEOUT", "x"), "StepTimeout"],
    ["a terminal error", new TerminalError("x"), "TerminalError"],
    ["a terminal error with a code", new TerminalError("x", { code: "ERR_BAD_SPEC" }), "BadSpec"],
    ["an error that says when", new RetryAfterError("x", 5), "RetryAfter"],
    ["several of one kind", new AggregateError([coded("ERR_A_B"), coded("ERR_A_B")]), "AB"],
    ["several kinds", new AggregateError([coded("ERR_A_B"), coded("ERR_C_D")]), "SeveralErrors"],
    ["none of several", new AggregateError([]), "AggregateError"],
  ])("of %s", ([, error, want]) => {
    expect(reasonOf(error)).toBe(want);
  });

  // A reason that breaks the pattern makes the API server refuse the whole status, and with it every other condition.
  test("is always one that Kubernetes takes", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (code, name) => {
        expect(reasonOf(Object.assign(new Error("x"), { code, name }))).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
      }),
    );
  });
});

describe("a text of a megabyte", () => {
  const long: Record<string, string> = {
    blanks: " ".repeat(1_000_000),
    "blanks and lines": " \n".repeat(500_000),
    "one word": "a".repeat(1_000_000),
    "a name of a secret": "password=".repeat(100_000),
    "quotes without an end": 'token="\\'.repeat(120_000),
    digits: "1.".repeat(500_000),
    backslashes: `token: \\"${"\\".repeat(1_000_000)}`,
  };
  test.for(Object.keys(long))("of %s is dealt with at once", (name) => {
    const started = process.cpuUsage();
    expect(statusMessage(new Error(long[name])).length).toBeLessThanOrEqual(MAX_ERROR_LENGTH);
    withoutSecrets(long[name] as string);
    // It takes some 10 ms; a pattern that goes over it again and again takes minutes.
    expect(processorMs(started)).toBeLessThan(1_000);
  });

  test("is cut between words, so that no half of a secret is left", () => {
    const text = `${"x".repeat(16_370)} ghp_${"a".repeat(36)}`;
    expect(withoutSecrets(text)).toBe(`${"x".repeat(16_370)}…`);
  });
});
