import "../src/matchers.ts";
import { expect, test } from "vitest";

const ready = {
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 2,
};
const object = { metadata: { name: "a", generation: 2 }, status: { conditions: [ready] } };

test("matchers distinguish results and outcomes", () => {
  expect({ type: "continue", vars: { a: 1 } }).toContinue({ a: 1 });
  expect({ type: "done" }).toContinue();
  expect({ type: "wait", reason: "not yet", afterMs: 5 }).toWait("not yet", 5);
  expect({ type: "wait", reason: "not yet" }).toWait(/yet$/);
  expect({ type: "stop", reason: "enough" }).toStop("enough");
  expect({ type: "stop", reason: "enough" }).not.toWait();
  expect({ type: "continue", vars: { a: 1 } }).not.toContinue({ a: 2 });
});

test.for([
  { name: "the wrong reason", run: () => expect({ type: "wait", reason: "a" }).toWait("b"), says: 'expected wait "b", but got wait "a"' },
  { name: "another result", run: () => expect({ type: "stop", reason: "a" }).toContinue(), says: 'to continue, but got stop "a"' },
  { name: "a failure", run: () => expect({ type: "failed", error: new Error("boom") }).toContinue(), says: "but got failed: Error: boom" },
  { name: "a promise", run: () => expect(Promise.resolve()).toWait(), says: "a promise: await it" },
  {
    name: "wrong vars",
    run: () => expect({ type: "continue", vars: { a: 1 } }).toContinue({ a: 2 }),
    says: 'expected vars {"a":2}, but got {"a":1}',
  },
  { name: "no such condition", run: () => expect(object).toHaveCondition("Input"), says: "there are only: Ready=True (Ready)" },
  { name: "a condition that differs", run: () => expect(object).toHaveCondition("Ready", "False"), says: "but it is Ready=True" },
  { name: "not ready", run: () => expect({ status: {} }).toBeReady(), says: "conditions are: (none)" },
  {
    name: "ready of an older generation",
    run: () => expect({ ...object, metadata: { name: "a", generation: 3 } }).toBeReady(),
    says: "for generation 2; the object has generation 3",
  },
])("a failed matcher reports the actual value: $name", ({ run, says }) => {
  expect(run).toThrow(says);
});

test("matchers find conditions in objects and lists", () => {
  expect(object).toHaveCondition("Ready", { status: "True", reason: /^R/, observedGeneration: 2 });
  expect([ready]).toHaveCondition("Ready");
  expect(object).toBeReady();
  expect(object).not.toHaveCondition("Ready", { message: "x" });
});

const notAwaited = { name: "a promise", received: Promise.resolve(object), says: "a promise: await it" };
const values = [
  notAwaited,
  { name: "undefined", received: undefined, says: "but got undefined" },
  { name: "null", received: null, says: "but got null" },
  { name: "a string", received: "ready", says: 'but got "ready"' },
];

test.for(values)("an unsuitable value fails toBeReady() and not.toBeReady(): $name", ({ received, says }) => {
  for (const expected of [expect(received), expect(received).not]) {
    expect(() => expected.toBeReady()).toThrow(says);
    expect(() => expected.toHaveCondition("Ready", "True")).toThrow(says);
  }
});

test.for([...values, { name: "an object", received: object, says: 'but got {"metadata"' }])(
  "what is no result fails both ways: $name",
  ({ received, says }) => {
    for (const expected of [expect(received), expect(received).not]) {
      expect(() => expected.toContinue()).toThrow(says);
      expect(() => expected.toWait()).toThrow(says);
      expect(() => expected.toStop()).toThrow(says);
    }
  },
);

test("a matcher works with `resolves` of a promise", async () => {
  await expect(Promise.resolve(object)).resolves.toBeReady();
  await expect(Promise.resolve({ status: {} })).resolves.not.toBeReady();
});
