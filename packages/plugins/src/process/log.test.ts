import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { memoryLog } from "../../test/programs.ts";
import { MAX_LINE_BYTES, MAX_LINES, pluginLog } from "./log.ts";

function logOf(...chunks: (string | Uint8Array)[]) {
  const clock = fakeClock();
  const { log, lines } = memoryLog();
  const plugin = pluginLog({ log, clock, hide: (text) => text });
  const write = plugin.stream();
  for (const chunk of chunks) write(Buffer.from(chunk));
  return { clock, lines, plugin, write };
}

test.for([
  {
    name: "hclog text",
    given: "2024-01-02T15:04:05.123Z [WARN]  pg: slow: ms=5",
    want: { level: "warn", text: "pg: slow: ms=5", data: {} },
  },
  { name: "hclog text of another zone", given: "2024-01-02T15:04:05.123+0100 [TRACE] x", want: { level: "debug", text: "x", data: {} } },
  { name: "a level alone", given: "[ERROR] broken", want: { level: "error", text: "broken", data: {} } },
  {
    name: "hclog JSON",
    given: `{"@level":"error","@message":"broken","@module":"pg","@timestamp":"2024","n":1}`,
    want: { level: "error", text: "pg: broken", data: { fields: `{"n":1}` } },
  },
  { name: "hclog JSON without fields", given: `{"@level":"off","@message":"m"}`, want: { level: "info", text: "m", data: {} } },
  {
    name: "hclog JSON with the name of a property of objects as its level",
    given: `{"@level":"constructor","@message":"m"}`,
    want: { level: "info", text: "m", data: {} },
  },
  {
    name: "hclog JSON with a prototype as its level",
    given: `{"@level":"__proto__","@message":"m"}`,
    want: { level: "info", text: "m", data: {} },
  },
  { name: "other JSON", given: `{"level":"error"}`, want: { level: "info", text: `{"level":"error"}`, data: {} } },
  { name: "broken JSON", given: "{x", want: { level: "info", text: "{x", data: {} } },
  { name: "a panic", given: "panic: boom", want: { level: "error", text: "panic: boom", data: {} } },
  { name: "another line", given: "hello", want: { level: "info", text: "hello", data: {} } },
  { name: "control characters", given: "a\u001b[31mb\u0007", want: { level: "info", text: "a\\u001b[31mb\\u0007", data: {} } },
  { name: "a secret", given: "[INFO] password=hunter2", want: { level: "info", text: "password=<redacted>", data: {} } },
])("$name is logged by its level", ({ given, want }) => {
  expect(logOf(`${given}\r\n`).lines).toEqual([want]);
});

test("a line in parts is one line, with its characters whole", () => {
  const bytes = Buffer.from("grün\n");
  expect(logOf(bytes.subarray(0, 3), bytes.subarray(3)).lines.map(({ text }) => text)).toEqual(["grün"]);
});

test("the parts of two streams are not mixed", () => {
  const { plugin, lines, write } = logOf("err ");
  plugin.stream()(Buffer.from("out\n"));
  write(Buffer.from("or\n"));
  expect(lines.map(({ text }) => text)).toEqual(["out", "err or"]);
});

test("an empty line is not logged, and an unfinished one at the end is", () => {
  const { plugin, lines } = logOf("\n\n", "last");
  plugin.end();
  expect(lines.map(({ text }) => text)).toEqual(["last"]);
});

test("a long line is cut, and the cut is reported once a minute", async () => {
  const { clock, lines } = logOf("x".repeat(MAX_LINE_BYTES), "y".repeat(1e6), "\nnext\n");
  expect(lines.map(({ text }) => text)).toEqual([`${"x".repeat(MAX_LINE_BYTES)}…`, "next"]);
  await clock.advance(60_000);
  expect(lines.at(-1)).toMatchObject({ level: "warn", data: { dropped: 0, cut: 1 } });
  expect(clock.nextDue()).toBeUndefined();
});

test("lines over the limit of a second are dropped and counted, and the next second has a new limit", async () => {
  const { clock, lines, write } = logOf("line\n".repeat(MAX_LINES + 5));
  expect(lines).toHaveLength(MAX_LINES);
  await clock.advance(1_000);
  write(Buffer.from("later\n"));
  expect(lines.at(-1)?.text).toBe("later");
  await clock.advance(59_000);
  expect(lines.at(-1)).toMatchObject({ level: "warn", data: { dropped: 5, cut: 0 } });
});

test("the limit holds for all streams of a plugin", () => {
  const { plugin, lines } = logOf("line\n".repeat(MAX_LINES));
  plugin.stream()(Buffer.from("one more\n"));
  expect(lines).toHaveLength(MAX_LINES);
  plugin.end();
  expect(lines.at(-1)).toMatchObject({ data: { dropped: 1, cut: 0 } });
});

test("a plugin that logs within the limits sets no timer", () => {
  const { clock } = logOf("line\n".repeat(10));
  expect(clock.nextDue()).toBeUndefined();
});
