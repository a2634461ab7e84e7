import { expect, test } from "vitest";
import { holds } from "../gates.ts";
import { version } from "./version.ts";

test.for([
  { of: "1.9.0", range: "<2", want: true },
  { of: "2.0.0", range: "<2", want: false },
  { of: "v2.3.4", range: ">=2 <3", want: true },
  { of: "2.0.0+build.7", range: "2.0.0", want: true },
  { of: "1.0.0", range: "<1 || >=1.0.0", want: true },
  { of: "0.0.0", range: "*", want: true },
  // A pre-release counts as the release that it precedes.
  { of: "2.0.0-rc.1", range: "<2", want: false },
  { of: "2.0.0-rc.1", range: "<2.0.0", want: false },
  { of: "2.0.0-rc.1", range: ">=2", want: true },
  { of: "2.0.0-rc.1", range: "^2.0.0", want: true },
  { of: "2.0.0-rc.1", range: "^1.0.0", want: false },
  { of: "2.0.0-rc.1", range: "1.x", want: false },
  { of: "2.0.0-rc.1", range: "2.0.0", want: true },
  { of: "2.0.0-rc.1", range: "1 - 2", want: true },
  { of: "2.0.0-rc.1", range: "*", want: true },
  // A bound that names a pre-release is compared exactly.
  { of: "2.0.0-rc.1", range: ">=2.0.0-rc.1", want: true },
  { of: "2.0.0-beta.1", range: ">=2.0.0-rc.1", want: false },
  { of: "2.0.0", range: ">=2.0.0-rc.1", want: true },
  { of: "2.1.0-alpha.1", range: ">=2.0.0-rc.1 <3", want: true },
  { of: "3.0.0-alpha.1", range: ">=2.0.0-rc.1 <3", want: false },
  { of: "2.0.0-rc.2", range: "<2.0.0-rc.2", want: false },
  { of: "2.0.0-rc.1", range: "<2.0.0-rc.2", want: true },
  { of: "2.0.0-rc.2", range: "2.0.0-rc.1", want: false },
  // What is no version is not known.
  { of: "latest", range: "*", want: undefined },
  { of: "1.2", range: "*", want: undefined },
  { of: "", range: "*", want: undefined },
  { of: undefined, range: "*", want: undefined },
])("$of in $range is $want", ({ of, range, want }, { expect }) => {
  expect(version((text: string | undefined) => text, range)(of)).toBe(want);
});

test.for(["latest", "", " ", "two", ">=1.2 <", undefined, 2])(
  "%s is not a range, which is reported when the gate is made",
  (range, { expect }) => {
    expect(() => version(() => "1.0.0", range as never)).toThrow(
      `version: ${JSON.stringify(range)} is not a range of versions: write it as npm does, such as ">=1.2 <2"`,
    );
  },
);

test("a function that returns no text is a mistake", () => {
  expect(() => version(() => 2 as never, "*")(undefined)).toThrow("the function returned a number, but must return a version as text");
  const gate = version((async () => Promise.reject(new Error("later"))) as never, "*");
  expect(() => holds(gate, [undefined], "when")).toThrow(
    "when threw: version: the function returned a promise, but must return a version as text",
  );
  expect(() => version("1.0.0" as never, "*")).toThrow("the first argument must be a function");
});
