import { ApiError } from "@treadle/apimachinery";
import { RetryAfterError, TerminalError } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { holds, requireGates } from "./gates.ts";

const yes = (): boolean => true;
const no = (): boolean => false;
const unknown = (): undefined => undefined;
const boom = (): never => {
  throw new Error("boom");
};
const WHERE = `step "web": when`;

describe("holds", () => {
  test.for([
    { name: "no gates hold", gates: undefined, want: true },
    { name: "an empty list holds", gates: [], want: true },
    { name: "a gate that returns true holds", gates: yes, want: true },
    { name: "a gate that returns false does not hold", gates: no, want: false },
    { name: "a gate that does not know does not hold", gates: unknown, want: false },
    { name: "a list holds if all its gates hold", gates: [yes, yes], want: true },
    { name: "a list does not hold if one gate does not know", gates: [yes, unknown], want: false },
    { name: "gates after one that does not hold are not asked", gates: [no, boom], want: false },
  ])("$name", ({ gates, want }, { expect }) => {
    expect(holds(gates, [], WHERE)).toBe(want);
  });

  test("gates get the arguments", () => {
    expect(holds((a: string, b: number) => a === "x" && b === 3, ["x", 3], WHERE)).toBe(true);
  });

  test.for([
    { name: "a promise", gate: async () => true, want: "returned a promise" },
    { name: "a promise that fails later", gate: async () => Promise.reject(new Error("later")), want: "returned a promise" },
    { name: "a text", gate: () => "secret", want: "returned a string" },
    { name: "null", gate: () => null, want: "returned null" },
    { name: "a number", gate: () => 1, want: "returned a number" },
    { name: "a list", gate: () => [], want: "returned a list" },
  ])("a gate that returns $name is a mistake, and the error does not show the value", ({ gate, want }, { expect }) => {
    expect(() => holds(gate as never, [], WHERE)).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_STEP",
        message: `step "web": when ${want}, but must return true, false or undefined: compute the answer from its arguments`,
      }),
    );
  });

  test("the error of a gate keeps its cause and its code", () => {
    expect(() => holds(boom, [], WHERE)).toThrow(
      expect.objectContaining({
        message: `step "web": when threw: boom`,
        code: "Error",
        cause: expect.objectContaining({ message: "boom" }),
      }),
    );
  });

  test("a gate that throws a text is a mistake", () => {
    const gate = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- the mistake under test
      throw "secret";
    };
    expect(() => holds(gate, [], WHERE)).toThrow(`step "web": when threw a string, not an error`);
  });

  test.for([
    new TerminalError("stop"),
    new RetryAfterError("later", 5),
    new ApiError({ status: 404, reason: "NotFound", message: "not there" }),
  ])("an error that chooses the retry is not changed", (error, { expect }) => {
    const gate = (): never => {
      throw error;
    };
    expect(() => holds(gate, [], WHERE)).toThrow(error);
  });
});

test("gates that are no functions are refused", () => {
  for (const gates of [true, "yes", [yes, true], null])
    expect(() => requireGates(gates, WHERE)).toThrow(`${WHERE} must be a function, or a list`);
  for (const gates of [undefined, yes, [yes], []]) requireGates(gates, WHERE);
});
