/** Hints: what the controller of an object reports, although its kind does not tell. */
import { describe, expect, test } from "vitest";
import { health } from "./health.ts";
import type { HealthHint } from "./hint.ts";

const widget = (status: object | undefined, generation: number | undefined = 2): object => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  metadata: { name: "w", ...(generation === undefined ? {} : { generation }) },
  spec: {},
  ...(status === undefined ? {} : { status }),
});
const condition = (type: string, status: string, more: object = {}): object => ({ type, status, ...more });

test.for<{ name: string; status: object | undefined; hint: HealthHint; want: string; message?: string }>([
  { name: "no status, and no hint", status: undefined, hint: {}, want: "Ready Ready" },
  {
    name: "no status, and a controller that reports the generation",
    status: undefined,
    hint: { hasObservedGeneration: true },
    want: "Pending GenerationNotObserved",
    message: "its controller has not seen generation 2 yet: it reports on none",
  },
  {
    name: "the generation in the condition Ready",
    status: { conditions: [condition("Ready", "True", { observedGeneration: 2 })] },
    hint: { hasObservedGeneration: true },
    want: "Ready Ready",
  },
  {
    name: "an earlier generation in the condition Ready",
    status: { conditions: [condition("Ready", "True", { observedGeneration: 1 })] },
    hint: { hasObservedGeneration: true },
    want: "Pending GenerationNotObserved",
  },
  {
    name: "the status has the generation, and the condition Ready an earlier one",
    status: { observedGeneration: 2, conditions: [condition("Ready", "True")] },
    hint: { hasObservedGeneration: true },
    want: "Ready Ready",
  },
  {
    name: "no condition Ready, and a controller that sets it",
    status: { observedGeneration: 2 },
    hint: { hasReadyCondition: true },
    want: "Pending NotReady",
    message: "its condition Ready is missing",
  },
  {
    name: "a condition Ready, and a controller that sets it",
    status: { conditions: [condition("Ready", "True")] },
    hint: { hasReadyCondition: true },
    want: "Ready Ready",
  },
  {
    name: "a named condition that is missing",
    status: { conditions: [condition("A", "True")] },
    hint: { conditions: ["A", "B"] },
    want: "Pending ConditionMissing",
    message: "its condition B is missing",
  },
  {
    name: "a named condition that is not True",
    status: { conditions: [condition("A", "False", { reason: "Waiting", message: "not yet" })] },
    hint: { conditions: ["A"] },
    want: "Pending Waiting",
    message: "not yet",
  },
  {
    name: "a named condition about an earlier generation",
    status: { conditions: [condition("A", "True", { observedGeneration: 1 })] },
    hint: { conditions: ["A"] },
    want: "Pending GenerationNotObserved",
  },
  {
    name: "all named conditions are True",
    status: { conditions: [condition("A", "True"), condition("B", "True")] },
    hint: { conditions: ["A", "B"] },
    want: "Ready Ready",
  },
  {
    name: "a failure, which a named condition does not hide",
    status: { conditions: [condition("Stalled", "True", { reason: "Broken" })] },
    hint: { conditions: ["A"] },
    want: "Failed Broken",
  },
])("$name: $want", ({ status, hint, want, message }) => {
  const { type, reason, message: said } = health(widget(status), { hint });
  expect(`${type} ${reason}`).toBe(want);
  if (message !== undefined) expect(said).toBe(message);
});

describe("kinds with a rule", () => {
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { generation: 1 },
    spec: {},
    status: { conditions: [condition("Complete", "True")] },
  };

  test("do not need the condition Ready", () => {
    expect(health(job, { hint: { hasReadyCondition: true } }).type).toBe("Ready");
  });

  test("need the named conditions besides their own", () => {
    expect(health(job, { hint: { conditions: ["Exported"] } })).toMatchObject({ type: "Pending", reason: "ConditionMissing" });
  });
});

test("an object of a kind without generations does not wait for an observed one", () => {
  const { metadata: _, ...rest } = widget(undefined) as { metadata: object };
  expect(health({ ...rest, metadata: { name: "w" } }, { hint: { hasObservedGeneration: true } }).type).toBe("Ready");
});

test.for([null, 1, "text", [], { conditions: "A" }, { conditions: [1] }, { hasReadyCondition: "yes" }])(
  "a hint of another type says nothing: %j",
  (hint) => {
    expect(health(widget(undefined), { hint: hint as never }).type).toBe("Ready");
  },
);
