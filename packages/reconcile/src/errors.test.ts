import { describe, expect, test } from "vitest";
import {
  BuildError,
  isReconcileError,
  isRetryAfterError,
  isTerminalError,
  ReconcileError,
  RetryAfterError,
  TerminalError,
} from "./errors.ts";

const cause = new Error("cause");

describe("errors", () => {
  test("are Errors with name, code, message, cause and a stack", () => {
    const all = [
      new ReconcileError("ERR_STEP_FAILED", "m", { step: "s", cause }),
      new TerminalError("m", { code: "ERR_BAD", cause }),
      new RetryAfterError("m", 5, { code: "ERR_BUSY", cause }),
    ];
    for (const error of all) {
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ message: "m", cause });
      expect(error.stack).toContain(`${error.name}: m`);
    }
    expect(all.map(({ name, code }) => `${name} ${code}`)).toEqual([
      "ReconcileError ERR_STEP_FAILED",
      "TerminalError ERR_BAD",
      "RetryAfterError ERR_BUSY",
    ]);
    expect((all[0] as ReconcileError).step).toBe("s");
    expect((all[2] as RetryAfterError).retryAfterMs).toBe(5);
  });

  test("have no cause where none was given", () => {
    for (const error of [new ReconcileError("ERR_REVOKED", "m"), new TerminalError("m"), new RetryAfterError("m", 5)]) {
      expect(Object.hasOwn(error, "cause")).toBe(false);
    }
    expect([new TerminalError("m").code, new RetryAfterError("m", 0).code]).toEqual(["TerminalError", "RetryAfter"]);
  });

  test("guards know their own, subclasses, and those of another copy of the package; the brand is not shown", () => {
    class Mine extends TerminalError {
      override readonly name = "Mine";
    }
    const copy = Object.defineProperty(new Error("x"), Symbol.for("treadle.reconcile.RetryAfterError"), { value: true });
    expect([isTerminalError(new Mine("x")), isRetryAfterError(copy), isReconcileError(new ReconcileError("ERR_NOT_STORED", "x"))]).toEqual([
      true,
      true,
      true,
    ]);
    expect(Object.keys(new TerminalError("x")).toSorted()).toEqual(["code", "name"]);
  });

  test.for([undefined, null, "TerminalError", 5, {}, new Error("x"), Object.create(null), () => undefined])("guards refuse %s", (value) => {
    expect([isTerminalError(value), isRetryAfterError(value), isReconcileError(value)]).toEqual([false, false, false]);
  });

  test("guards do not take one for another", () => {
    expect(isTerminalError(new RetryAfterError("x", 1))).toBe(false);
    expect(isRetryAfterError(new TerminalError("x"))).toBe(false);
  });

  test.for([Number.NaN, -1, Number.POSITIVE_INFINITY, undefined])("a RetryAfterError in %s ms is refused", (ms) => {
    expect(() => new RetryAfterError("x", ms as number)).toThrow(TypeError);
  });

  test("a BuildError shows every problem on a separate line", () => {
    const error = new BuildError("widgets", ["one", "two"]);
    expect(error.problems).toEqual(["one", "two"]);
    expect(error.message.split("\n")).toEqual(['cannot build handler "widgets":', "  - one", "  - two"]);
  });
});
