import { describe, expect, test } from "vitest";
import { createLogger, type LogOptions } from "./log.ts";

function logged(options: LogOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: "debug", env: {}, ...options, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { log, lines };
}

test("a line is JSON with level, time and text", () => {
  const { log, lines } = logged();
  log.warn({ controller: "widgets" }, "careful");
  expect(lines).toEqual([{ level: "warn", time: expect.stringMatching(/^\d{4}-.*Z$/), controller: "widgets", msg: "careful" }]);
});

test.for([
  { name: "the default is info", options: {}, want: ["info", "warn", "error"] },
  { name: "the environment sets it", options: { env: { LOG_LEVEL: "error" } }, want: ["error"] },
  {
    name: "TREADLE_LOG_LEVEL before LOG_LEVEL",
    options: { env: { LOG_LEVEL: "error", TREADLE_LOG_LEVEL: "WARN" } },
    want: ["warn", "error"],
  },
  { name: "an empty variable is none", options: { env: { TREADLE_LOG_LEVEL: "" } }, want: ["info", "warn", "error"] },
  { name: "the option before all", options: { level: "silent" as const, env: { LOG_LEVEL: "debug" } }, want: [] },
])("level: $name", ({ options, want }, { expect }) => {
  const lines: { level: string }[] = [];
  const log = createLogger({ env: {}, ...options, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  for (const level of ["debug", "info", "warn", "error"] as const) log[level]({}, "x");
  expect(lines.map(({ level }) => level)).toEqual(want);
});

test("an unknown level is refused by name", () => {
  expect(() => createLogger({ env: { LOG_LEVEL: "loud" } })).toThrow(/"loud".*trace, debug, info/);
});

describe("the form of the lines", () => {
  const text = (options: LogOptions): string => {
    let written = "";
    const log = createLogger({ ...options, destination: { write: (line) => void (written += line) } });
    log.info(
      {
        controller: "widgets",
        kind: "Widget",
        object: "ns/a",
        reconcileID: "1",
        change: "updated",
        paths: ["status.seen"],
        cause: "start",
      },
      "updated Widget ns/a: status.seen",
    );
    log.error({ kind: "Widget", object: "ns/a", error: "no route, token=abcdefgh", stack: "    at work (a.ts:1:2)" }, "pass failed");
    return written;
  };

  test("pretty is text without the fields that the text names, and without colours where there is no terminal", () => {
    const lines = text({ env: { TREADLE_LOG_FORMAT: "pretty" } }).replace(/\d\d:\d\d:\d\d\.\d{3}/g, "TIME");
    expect(lines).toBe(
      "TIME INFO  updated Widget ns/a: status.seen  cause=start\n" +
        'TIME ERROR Widget ns/a: pass failed  error="no route, token=<redacted>"\n    at work (a.ts:1:2)\n',
    );
  });

  const pretty = (write: (log: ReturnType<typeof createLogger>) => void): string => {
    let written = "";
    write(createLogger({ env: {}, format: "pretty", destination: { write: (line) => void (written += line) } }));
    return written.replace(/\d\d:\d\d:\d\d\.\d{3}/g, "TIME");
  };

  test("pretty shows every field of a step's line, and hides those that the text of a change names", () => {
    const fields = { status: 503, reason: "busy", message: "later", paths: ["/a"], change: "x", of: "y", condition: "z" };
    expect(pretty((log) => log.info({ controller: "widgets", step: "call", ...fields }, "answered"))).toBe(
      'TIME INFO  answered  step=call status=503 reason=busy message=later paths=["/a"] change=x of=y condition=z\n',
    );
    const change = { controller: "widgets", condition: "Ready", status: "True", reason: "Ready", message: "" };
    expect(pretty((log) => log.info(change, "Ready is True (Ready)"))).toBe("TIME INFO  Ready is True (Ready)\n");
  });

  test("pretty escapes control characters of texts, fields, names and stacks", () => {
    const evil = "a\u001b[2Jb\u009b\r\nTIME";
    const text = pretty((log) => log.info({ kind: "Widget", object: evil, [evil]: evil, stack: `at x\n${evil}` }, evil));
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(text.split("\n")).toHaveLength(5);
    expect(text).toContain("a\\u001b[2Jb\\u009b\\r\\nTIME");
  });

  test("the option wins over the environment, and JSON is the default without a terminal", () => {
    expect(text({ env: {} })).toMatch(/^\{/);
    expect(text({ env: { TREADLE_LOG_FORMAT: "pretty" }, format: "json" })).toMatch(/^\{/);
  });

  test("an unknown form is refused by name", () => {
    expect(() => createLogger({ env: { TREADLE_LOG_FORMAT: "xml" } })).toThrow(/"xml".*pretty, json/);
  });
});

describe("hidden in a line", () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"data":"aHVudGVyMg=="}', note: "fine" } },
    data: { password: "aHVudGVyMg==" },
    stringData: { key: "hunter2" },
  };
  test("the data of a Secret, at any depth, but not its name", () => {
    const { log, lines } = logged();
    log.info({ secret, list: [{ object: secret }], error: Object.assign(new Error("x"), { cause: { secret } }) }, "x");
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(lines[0]).toMatchObject({ secret: { metadata: { name: "s", annotations: { note: "fine" } }, data: "[redacted]" } });
  });

  test.for(["password", "token", "clientSecret", "api-key", "API_KEY", "authorization", "db.password", "accessKey"])(
    "the value of %s",
    (name, { expect }) => {
      const { log, lines } = logged();
      log.info({ options: { [name]: "hunter2" } }, "x");
      expect(JSON.stringify(lines)).not.toContain("hunter2");
    },
  );

  test("names stay", () => {
    const { log, lines } = logged();
    log.info({ inputSecret: { name: "s" }, secretName: "s", tokens: 3, kind: "Secret" }, "x");
    expect(lines[0]).toMatchObject({ inputSecret: { name: "s" }, secretName: "s", tokens: 3, kind: "Secret" });
  });
});

test("errors are written with code, cause and parts; what cannot be written does not throw", () => {
  const { log, lines } = logged();
  const circle: Record<string, unknown> = { big: 1n };
  circle["self"] = circle;
  const error = new AggregateError([new TypeError("a")], "several", { cause: Object.assign(new Error("c"), { code: "E_C" }) });
  log.error({ error, circle }, "x");
  expect(lines[0]).toMatchObject({
    error: { name: "AggregateError", message: "several", errors: [{ name: "TypeError" }], cause: { code: "E_C" } },
    circle: { big: "1" },
  });
});

describe("texts reveal no secrets", () => {
  const boom = new Error("login failed: password=hunter2", { cause: new Error("postgres://app:hunter2@db/app") });
  test.for([
    { name: "the message and the stack of an error, and its cause", data: { error: boom }, text: "x" },
    { name: "an error that is the data itself", data: boom, text: "x" },
    { name: "a text in the data", data: { reason: "token: hunter2" }, text: "x" },
    { name: "the text of the line", data: {}, text: "cannot log in with Authorization: Bearer hunter2hunter2" },
    { name: "what toJSON gives", data: { given: { toJSON: () => ({ password: "hunter2" }) } }, text: "x" },
    { name: "what toJSON gives to a name", data: { password: { toJSON: () => "hunter2" } }, text: "x" },
    { name: "a name that a status would hide, too", data: { PGPASSWORD: "hunter2", passphrase: "hunter2" }, text: "x" },
  ])("$name", ({ data, text }, { expect }) => {
    const { log, lines } = logged();
    log.error(data, text);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  test("a number that is a password", () => {
    const { log, lines } = logged();
    log.info({ password: 48_151_623, retries: 3 }, "x");
    expect(lines[0]).toMatchObject({ password: "[redacted]", retries: 3 });
  });

  test("half a token at the cut of a long text", () => {
    const { log, lines } = logged();
    log.info({ text: `${"word ".repeat(3_275)}ghp_abcdefghijklmnopqrstuvwx` }, "x");
    expect(lines[0]).toMatchObject({ text: expect.stringMatching(/word… \[16403 characters\]$/) as string });
  });

  test("names, places in the code and digests stay", () => {
    const { log, lines } = logged();
    const data = { image: "oci://host:5000/app@sha256:0123456789abcdef", reason: "Secret in does not exist", error: new Error("x") };
    log.info(data, "pass finished");
    expect(lines[0]).toMatchObject({ image: data.image, reason: data.reason, msg: "pass finished" });
    expect((lines[0] as { error: { stack: string } }).error.stack).toContain("log.test.ts");
  });
});

describe("no logged value throws or takes long", () => {
  const throwing = (): never => {
    throw new Error("do not look");
  };
  test.for([
    {
      name: "a getter that throws",
      value: {
        ok: 1,
        get bad(): number {
          return throwing();
        },
      },
      want: { ok: 1, bad: "[unreadable]" },
    },
    { name: "a toJSON that throws", value: { toJSON: throwing }, want: "[unreadable]" },
    {
      name: "a toJSON that gives itself",
      value: {
        a: 1,
        toJSON() {
          return this;
        },
      },
      want: { a: 1 },
    },
    {
      name: "a proxy that throws",
      value: new Proxy({}, { ownKeys: throwing, get: throwing, has: throwing, getPrototypeOf: throwing }),
      want: "[unreadable]",
    },
    { name: "a revoked proxy", value: revoked(), want: "[unreadable]" },
    { name: "bytes", value: { body: new Uint8Array(1_000_000) }, want: { body: "[1000000 bytes]" } },
  ])("$name", ({ value, want }, { expect }) => {
    const { log, lines } = logged();
    log.info({ value }, "x");
    expect(lines[0]).toMatchObject({ value: want });
  });

  test.for([
    { name: "a text alone", data: "hello", text: undefined, want: { msg: "hello" } },
    { name: "nothing", data: undefined, text: undefined, want: { msg: "" } },
    { name: "a number", data: 5, text: 6, want: { value: 5, msg: "6" } },
    { name: "a list", data: [1], text: "x", want: { value: [1], msg: "x" } },
    { name: "a revoked proxy", data: revoked(), text: revoked(), want: { value: "[unreadable]", msg: "[unreadable]" } },
  ])("arguments of other types: $name", ({ data, text, want }, { expect }) => {
    const { log, lines } = logged();
    log.info(data as object, text as string);
    expect(lines[0]).toEqual({ level: "info", time: expect.any(String), ...want });
  });

  test("a circular object is replaced by a word, and one that occurs twice is written twice", () => {
    const { log, lines } = logged();
    const shared = { name: "s" };
    const circle: Record<string, unknown> = { first: shared, second: shared };
    circle["self"] = circle;
    log.info({ circle }, "x");
    expect(lines[0]).toMatchObject({ circle: { first: shared, second: shared, self: "[circular]" } });
  });

  test("objects that all refer to each other make a line of bounded length", () => {
    const { log, lines } = logged();
    const nodes: Record<string, unknown>[] = Array.from({ length: 30 }, () => ({}));
    for (const node of nodes) nodes.forEach((other, i) => (node[`n${i}`] = other));
    log.info({ nodes, list: Array(100_000).fill(1) }, "x");
    const length = JSON.stringify(lines).length;
    expect(length).toBeLessThan(500_000);
    expect(JSON.stringify(lines)).toContain("[too much");
  });

  test("an endless text is cut", () => {
    const { log, lines } = logged();
    log.info({ text: "a b ".repeat(1_000_000) }, "x");
    expect(JSON.stringify(lines).length).toBeLessThan(20_000);
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
