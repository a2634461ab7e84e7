import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Widget } from "../../test/fixtures.ts";
import { all, anyKind, step } from "../step.ts";
import { conditions } from "../steps/conditions.ts";
import { isAnyKind, leavesOf, runtimeOf, type StepRuntime } from "./step-runtime.ts";

const untyped = (value: unknown): never => value as never;
const runtime = (value: unknown): StepRuntime => runtimeOf(value) as StepRuntime;

describe("a step", () => {
  test("shows its name and nothing else, and cannot be changed", () => {
    const made = step(Widget, { name: "a", do() {} });
    expect(Object.keys(made)).toEqual(["name"]);
    expect(JSON.stringify(made)).toBe('{"name":"a"}');
    expect(Object.isFrozen(made)).toBe(true);
    expect(Object.isFrozen(runtime(made))).toBe(true);
  });

  test("has a default for everything it did not say", () => {
    expect(runtime(step(Widget, { name: "a" }))).toEqual({
      name: "a",
      kind: Widget,
      conditions: [],
      needs: [],
      optionalNeeds: new Set(),
      givers: [],
      providers: [],
      reads: {},
      owns: [],
      optionalOwns: [],
      backoff: undefined,
      cleanupChecksKinds: false,
      permissions: [],
      events: [],
      state: undefined,
      writes: [],
      finalizer: "before-do",
      runsDry: true,
      timeoutMs: undefined,
      gate: undefined,
      do: undefined,
      cleanup: undefined,
      post: undefined,
      cleanupReads: {},
      refersFrom: undefined,
      memory: undefined,
      parts: undefined,
      configures: {},
      uses: new Map(),
    });
  });

  test("declares conditions in the short and the long form", () => {
    const made = step(Widget, { name: "a", conditions: ["A", { type: "B", ready: "counts" }, { type: "C", ready: "ignored" }] });
    expect(runtime(made).conditions).toEqual([
      { type: "A", counts: true },
      { type: "B", counts: true },
      { type: "C", counts: false },
    ]);
  });

  test("may be written with methods that use this", () => {
    const definition = {
      name: "a",
      greeting: "hello",
      do(): never {
        return this.greeting as never;
      },
    };
    expect(runtime(step(Widget, definition)).do?.({})).toBe("hello");
  });

  test("keeps its state schema and its needs", () => {
    const state = z.object({ n: z.number().optional() });
    const first = step(Widget, { name: "first", state, do() {} });
    const second = step(Widget, { name: "second", needs: [first], do() {} });
    expect(runtime(second).needs).toEqual([runtime(first)]);
    expect(runtime(first).state).toBe(state);
  });

  test("of another copy of the package is known by its brand", () => {
    const foreign = Object.defineProperty({ name: "a" }, Symbol.for("treadle.reconcile.Step"), {
      value: runtime(step(Widget, { name: "a" })),
    });
    expect(runtimeOf(foreign)?.name).toBe("a");
  });

  test.for([undefined, null, 5, "a", {}, { name: "a", do() {} }, () => undefined, []])("%j is none", (value) => {
    expect(runtimeOf(value)).toBeUndefined();
  });
});

describe("an invalid definition of untyped code is refused at once", () => {
  test.for<[string, unknown, RegExp]>([
    ["nothing", undefined, /the definition needs a name/],
    ["null", null, /the definition needs a name/],
    ["no name", { do() {} }, /the definition needs a name/],
    ["a name that is not a text", { name: 5 }, /the definition needs a name/],
    ["a phase that is not a function", { name: "a", do: "later" }, /step "a": do must be a function/],
    ["a phase that is null", { name: "a", post: null }, /step "a": post must be a function/],
    ["a need that is not a step", { name: "a", needs: [{ name: "b" }] }, /step "a": needs must list steps made by step\(\)/],
  ])("%s", ([, definition, message]) => {
    expect(() => step(Widget, untyped(definition))).toThrow(TypeError);
    expect(() => step(Widget, untyped(definition))).toThrow(message);
  });

  test("all() takes steps only", () => {
    expect(() => all("g", untyped([{ name: "a", do() {} }]))).toThrow('all("g"): its parts must be steps made by step()');
  });
});

describe("groups", () => {
  const a = step(Widget, { name: "a", do() {} });
  const b = step(Widget, { name: "b", do() {} });
  const c = step(anyKind<object>(), { name: "c", do() {} });

  test("leaves are the parts in list order, the groups left out, whatever the nesting", () => {
    const list = [conditions(), all("g", [a, all("h", [b])]), c].map(runtime);
    expect(leavesOf(list).map(({ name }) => name)).toEqual(["conditions", "a", "b", "c"]);
    expect(leavesOf([])).toEqual([]);
  });

  test("a group has no phases and no declarations of its own", () => {
    const group = runtime(all("g", [a, b]));
    expect(group).toMatchObject({ name: "g", conditions: [], reads: {}, owns: [], state: undefined, do: undefined, gate: undefined });
    expect(group.parts?.steps).toEqual([runtime(a), runtime(b)]);
  });

  test("anyKind() is distinguished from a kind", () => {
    expect([isAnyKind(anyKind<object>()), isAnyKind(Widget)]).toEqual([true, false]);
  });
});
