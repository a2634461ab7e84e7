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

describe("what must not be in a line", () => {
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

  test("names of things stay", () => {
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
