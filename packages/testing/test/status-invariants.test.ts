import type { Condition, KubernetesObject } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { checkStatus, statusProblems } from "../src/index.ts";
import { conditions, handler } from "@treadle/reconcile";
import { RW, rw } from "./rw.ts";

const condition = (given: Partial<Condition> = {}): Condition => ({
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-01-02T00:00:00Z",
  observedGeneration: 2,
  ...given,
});
const object = (conditions: readonly Condition[], status: object = {}): KubernetesObject =>
  ({
    apiVersion: "examples.treadle.dev/v1beta1",
    kind: "RWExternal",
    metadata: { name: "a", namespace: "b", generation: 2, creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { observedGeneration: 2, ...status, conditions },
  }) as KubernetesObject;
const ours = [condition(), condition({ type: "InputReady", reason: "InputReady" }), condition({ type: "OutputReady", reason: "X" })];
const nowMs = Date.UTC(2026, 0, 3);

test("a status of the engine breaks no invariant", () => {
  expect(statusProblems(object(ours), { handler: rw, nowMs })).toEqual([]);
  expect(statusProblems({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } })).toEqual([]);
  expect(statusProblems(object([]))).toEqual([]);
});

test.for([
  { code: "TREADLE0001", given: object(ours.slice(1)) },
  { code: "TREADLE0002", given: object(ours, { observedGeneration: 3 }) },
  { code: "TREADLE0002", given: object([condition({ observedGeneration: 3 }), ...ours.slice(1)], { observedGeneration: undefined }) },
  { code: "TREADLE0003", given: object([...ours, condition({ type: "InputReady", reason: "Again" })]) },
  { code: "TREADLE0004", given: object([condition({ reason: "not camel" }), ...ours.slice(1)]) },
  { code: "TREADLE0004", given: object([condition({ reason: "" }), ...ours.slice(1)]) },
  { code: "TREADLE0005", given: object([condition({ lastTransitionTime: "2026-01-04T00:00:00Z" }), ...ours.slice(1)]) },
  { code: "TREADLE0005", given: object([condition({ lastTransitionTime: "yesterday" }), ...ours.slice(1)]) },
  { code: "TREADLE0005", given: object([condition({ lastTransitionTime: "2025-12-31T00:00:00Z" }), ...ours.slice(1)]) },
  {
    code: "TREADLE0006",
    given: object([condition(), condition({ type: "InputReady", status: "Unknown", reason: "X" }), ...ours.slice(2)]),
  },
  { code: "TREADLE0006", given: object([condition()]) },
  { code: "TREADLE0007", given: object(ours, { observedGeneration: 1 }) },
  { code: "TREADLE0008", given: object(ours, { observedGeneration: undefined }) },
  { code: "TREADLE0010", given: object(ours, { dependents: [null, { step: "web", type: "Ready" }, { step: "db", type: "Pending" }] }) },
])("a status that breaks $code is found", ({ code, given }) => {
  expect(statusProblems(given, { handler: rw, nowMs }).map((problem) => problem.code)).toContain(code);
});

test("Reconciling and Stalled of a handler that keeps them contradict neither each other nor Ready", () => {
  const kept = handler(RW)
    .step(conditions({ kstatus: true }))
    .build();
  const of = (...types: readonly (readonly [string, Condition["status"]])[]): readonly string[] =>
    statusProblems(object(types.map(([type, status]) => condition({ type, status }))), { handler: kept, nowMs }).map(
      ({ code, message }) => `${code} ${message}`,
    );
  expect(of(["Ready", "True"])).toEqual([]);
  expect(of(["Ready", "Unknown"], ["Reconciling", "True"])).toEqual([]);
  expect(of(["Ready", "True"], ["Reconciling", "True"])).toEqual(["TREADLE0009 Reconciling is set, though Ready is True"]);
  expect(of(["Ready", "False"], ["Stalled", "False"])).toEqual(["TREADLE0009 Stalled is False, but is kept only while it is True"]);
  expect(of(["Ready", "False"], ["Stalled", "True"], ["Reconciling", "True"])).toEqual([
    "TREADLE0009 Reconciling and Stalled are both set",
  ]);
});

test("entries of another handler, and entries with a custom type, break no invariant", () => {
  const dependents = [
    { step: "web", handler: "other.example.dev", type: "Failed" },
    { step: "web", type: "Degraded" },
  ];
  expect(statusProblems(object(ours, { dependents }), { handler: rw, nowMs })).toEqual([]);
});

test("without a handler Ready is expected, and no condition counts", () => {
  expect(statusProblems(object([condition(), condition({ type: "X", status: "False", reason: "X" })]))).toEqual([]);
  expect(statusProblems(object([condition({ type: "X" })])).map(({ code }) => code)).toEqual(["TREADLE0001"]);
});

test("the error of checkStatus() names the object and every problem", () => {
  expect(() => checkStatus(object(ours.slice(1), { observedGeneration: 9 }), { handler: rw })).toThrow(
    /RWExternal b\/a[\s\S]*TREADLE0001[\s\S]*TREADLE0002/,
  );
});
