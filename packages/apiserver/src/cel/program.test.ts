/** Random expressions: a valid one runs within its budget, and an invalid one gives an error text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BudgetError } from "./budget.ts";
import { compileProgram } from "./program.ts";
import { plain, type Type } from "./types.ts";
import { CelError, List } from "./values.ts";

const variables: ReadonlyMap<string, Type> = new Map([["self", { type: "list", item: plain("int") } satisfies Type]]);

describe("compileProgram", () => {
  // Invariant: for any text the result is a program or an error text; nothing is thrown.
  test("never throws for any text", () => {
    const parts = [
      "self",
      "x",
      ".all(x, ",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "'a'",
      "1",
      " + ",
      " && ",
      " ? ",
      " : ",
      ".map(",
      ", ",
      "!",
      "-",
      "\\",
      "\n",
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((chosen) => chosen.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (source) => {
        expect(["string", "object"]).toContain(typeof compileProgram(source, variables));
      }),
      { numRuns: 500 },
    );
  });

  test("refuses an expression that is nested too deeply", () => {
    expect(typeof compileProgram(`${"(".repeat(3000)}true${")".repeat(3000)}`, variables)).toBe("string");
    expect(typeof compileProgram(`${"!(".repeat(3000)}true${")".repeat(3000)}`, variables)).toBe("string");
  });
});

test("a run ends when its budget is used up", () => {
  const program = compileProgram("self.all(x, self.all(y, self.all(z, x + y + z >= 0)))", variables);
  if (typeof program === "string") throw new Error(program);
  const self = new List(Array.from({ length: 300 }, (_, i) => BigInt(i)));
  expect(() => program.run({ self }, { remaining: 1_000_000 })).toThrow(BudgetError);
});

test("integers of CEL have 64 bits", () => {
  const program = compileProgram("self[0] + 1 > 0", variables);
  if (typeof program === "string") throw new Error(program);
  expect(() => program.run({ self: new List([9_223_372_036_854_775_807n]) }, { remaining: 1000 })).toThrow(CelError);
});
