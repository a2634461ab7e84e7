/** Compares this server with the recorded answers of a kube-apiserver (`golden.json`). */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import { runCases, type Verdicts } from "./run-cases.ts";

const golden = JSON.parse(readFileSync(new URL("golden.json", import.meta.url), "utf8")) as Verdicts;
const server = createApiServer();
const given = await runCases(server.transport(), "m");
await server.close();

describe("rules pass, fail and report errors as on the real server", () => {
  const cases = Object.entries(golden.groups).flatMap(([group, values]) =>
    values.map(({ value, failed }, i) => ({
      name: `${group}: ${JSON.stringify(value)}`,
      want: failed,
      got: given.groups[group]?.[i]?.failed,
    })),
  );
  test.for(cases)("$name", ({ want, got }) => {
    expect(got).toEqual(want);
  });

  test("each case is recorded", () => {
    expect(Object.keys(golden.groups)).toEqual(Object.keys(given.groups));
    expect(golden.refused).toHaveLength(given.refused.length);
  });
});

/** Removes syntax errors, which come from another parser: their positions may differ, and their texts do. */
function withoutSyntax(text: string): string {
  return text.replace(/ERROR: <input>:\d+:\d+: Syntax error[^]*$/, "Syntax error");
}

describe("a CRD with invalid rules is refused as by the real server", () => {
  test.for(golden.refused.map((want, i) => ({ rule: JSON.stringify(want.rule), want: want.causes, got: given.refused[i]?.causes })))(
    "$rule",
    ({ want, got }) => {
      const plain = (causes: typeof want) => causes.map(([reason, field, message]) => [reason, field, withoutSyntax(message)]);
      expect(plain(got ?? [])).toEqual(plain(want));
    },
  );
});
