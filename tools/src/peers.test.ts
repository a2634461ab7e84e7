import { describe, expect, test } from "vitest";
import { compareResults, readReport, resultProblems } from "../peers/src/results.ts";

const spec = (LeafNodeText: string, State: string, more: object = {}): object => ({
  LeafNodeType: "It",
  LeafNodeText,
  ContainerHierarchyTexts: ["Client"],
  State,
  ...more,
});
const results = (...specs: readonly object[]) => readReport(JSON.stringify([{ SpecReports: specs }]));

describe("outside suites before both servers", () => {
  test("a report tells of specs that ran, and of those that did not pass why", () => {
    const read = results(
      spec("gets", "passed"),
      spec("lists", "failed", { Failure: { Message: "boom" } }),
      spec("waits", "pending"),
      spec("goes", "skipped"),
      { ...spec("", "passed"), LeafNodeType: "BeforeSuite" },
    );
    expect([...read]).toEqual([
      ["Client gets", "passed"],
      ["Client lists", "failed: boom"],
    ]);
    expect(() => readReport("{}")).toThrow(/no list/);
  });

  const real = results(spec("a", "passed"), spec("b", "passed"), spec("c", "failed"), spec("d", "passed"));
  const memory = results(spec("a", "passed"), spec("b", "failed"), spec("c", "passed"));
  const comparison = compareResults(real, memory);

  test("only what passes before the real one counts; what did not run in memory differs", () => {
    expect(comparison).toEqual({ agreed: ["Client a"], differ: ["Client b", "Client d"], uncounted: ["Client c"] });
  });

  test("a difference is a problem unless it is known, and so is a known one that is gone", () => {
    const known = (name: string) => ({ of: "s", name, because: "" });
    expect(resultProblems("s", comparison, [])).toHaveLength(2);
    expect(resultProblems("s", comparison, [known("Client b"), known("Client d*")])).toEqual([]);
    expect(resultProblems("s", comparison, [known("Client b"), known("Client d"), known("Client a")])).toEqual([
      's: "Client a" passes before both servers: take it from the list',
    ]);
    expect(resultProblems("s", { agreed: [], differ: [], uncounted: [] }, [])).toEqual(["s: no spec passed before both servers"]);
  });
});
