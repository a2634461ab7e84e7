import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTypeMessages, compare, errorsOf, expectationsOf } from "./type-messages.ts";

const expected = (line: number, text: string) => ({ file: "a.ts", line, at: line - 1, text });
const found = (line: number, message: string) => ({ file: "a.ts", line, message });

test("finds every announced message of a real program", { timeout: 60_000 }, async () => {
  const fixture = join(import.meta.dirname, "..", "fixtures", "type-messages", "tsconfig.json");
  expect(await checkTypeMessages(fixture)).toEqual({ problems: [], matched: 4 });
});

test("names the tsconfig that cannot be read", { timeout: 60_000 }, async () => {
  await expect(checkTypeMessages(join(import.meta.dirname, "..", "..", "tsconfig.check-missing.json"))).rejects.toThrow(
    /cannot read .*tsconfig\.check-missing\.json/,
  );
});

test.for([
  {
    name: "is content with an error that contains the text",
    given: [expected(2, "needs x")],
    errors: [found(2, "TS1: step needs   x here")],
    want: [],
  },
  {
    name: "reports an error that is missing",
    given: [expected(2, "needs x")],
    errors: [],
    want: ["a.ts:1: wanted: needs x\n  line 2 says: line compiles"],
  },
  {
    name: "reports another wording once",
    given: [expected(2, "needs x")],
    errors: [found(2, "TS1: needs y")],
    want: ["a.ts:1: wanted: needs x\n  line 2 says: TS1: needs y"],
  },
  {
    name: "reports an error that nobody announced",
    given: [],
    errors: [found(3, "TS1: needs x")],
    want: ["a.ts:3: error that no // @error announces: TS1: needs x"],
  },
  {
    name: "needs an error for each of two comments of a line",
    given: [expected(2, "needs"), expected(2, "needs")],
    errors: [found(2, "TS1: needs x")],
    want: ["a.ts:1: wanted: needs\n  line 2 says: line compiles"],
  },
  {
    name: "does not take the error of another line",
    given: [expected(2, "needs")],
    errors: [found(3, "TS1: needs")],
    want: ["a.ts:1: wanted: needs\n  line 2 says: line compiles", "a.ts:3: error that no // @error announces: TS1: needs"],
  },
])("$name", ({ given, errors, want }) => {
  const { missing, unannounced } = compare(given, errors);
  expect([...missing, ...unannounced]).toEqual(want);
});

test("binds a comment to the next line of code", () => {
  const text = "// @error one\n\n// why\ncode();\n  // @error two\n  // @error three\n  more();\n";
  expect(expectationsOf("a.ts", text).map(({ at, line, text: announced }) => [at, line, announced])).toEqual([
    [1, 4, "one"],
    [5, 7, "two"],
    [6, 7, "three"],
  ]);
});

test("joins the chain of reasons of an error, and keeps errors without a place", () => {
  const output = "src/a.ts(2,5): error TS2345: Argument is wrong.\n  Because of\n    this.\nerror TS5012: no such file\nFound 2 errors.\n";
  expect(errorsOf(output)).toEqual([
    { file: "src/a.ts", line: 2, message: "TS2345: Argument is wrong. Because of this." },
    { file: "", line: 0, message: "TS5012: no such file" },
  ]);
});
