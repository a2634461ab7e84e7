import type { RunObject, RunReport } from "@treadle/dependents/unstable/run";
import { expect, test } from "vitest";
import { Verdict } from "./verdict.ts";

const PASS = {
  outcome: { type: "wait", step: "objects", reason: "waits" },
  requeue: { type: "none" },
  isTerminal: false,
  phases: [],
  writes: 0,
} as const;
const OWNER = { apiVersion: "releases.treadle.dev/v1alpha1", kind: "Release", metadata: { name: "web" } };

function object(given: Partial<RunObject> & { readonly type?: string; readonly reason?: string }): RunObject {
  const { type = "Pending", reason = "NotAvailable", ...rest } = given;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "web",
    wave: 0,
    isInstance: false,
    phase: "Updating",
    state: { type, reason, message: "" },
    isReady: type === "Ready",
    isAwaited: true,
    operation: { type: "unchanged" },
    error: undefined,
    ...rest,
  };
}

function report(reason: string, objects: readonly RunObject[], more: Partial<RunReport> = {}): RunReport {
  const progress = { reason, message: "the message", objects, leaving: [], wave: 0, waves: [0] };
  return { progress, condition: undefined, owner: OWNER, result: PASS, ...more };
}

const waiting = { waits: true, isTimeOver: false };

test("a run with all objects ready has ended", () => {
  expect(new Verdict().of(report("Ready", [object({ type: "Ready" })]), waiting)).toEqual({ type: "ready" });
});

test("a run goes on while an object makes progress, also if another one has failed", () => {
  const verdict = new Verdict();
  const objects = [object({ type: "Failed" }), object({ name: "other" })];
  for (let i = 0; i < 10; i++) expect(verdict.of(report("Error", objects), waiting)).toBeUndefined();
});

test("a run fails when the failure stays and all other objects are ready or wait", () => {
  const verdict = new Verdict();
  const stuck = report("Error", [object({ type: "Failed" }), object({ phase: "Waiting", reason: "WaitingForWave" })]);
  expect([1, 2, 3, 4].map(() => verdict.of(stuck, waiting)?.type)).toEqual([undefined, undefined, undefined, "failed"]);
});

test("objects that cannot be a set fail the run at once", () => {
  const failed = { ...PASS, outcome: { ...PASS.outcome, reason: "two objects" }, waitReason: "Error" };
  expect(new Verdict().of({ ...report("", []), progress: undefined, result: failed }, waiting)).toEqual({
    type: "failed",
    message: "two objects",
  });
});

test("the time ends a run that makes progress", () => {
  expect(new Verdict().of(report("Processing", [object({})]), { waits: true, isTimeOver: true })).toEqual({ type: "timeout" });
});

test("without waiting, a run ends when each object is written", () => {
  const limits = { waits: false, isTimeOver: false };
  expect(new Verdict().of(report("Processing", [object({})]), limits)).toEqual({ type: "applied" });
  expect(new Verdict().of(report("Processing", [object({ phase: "Waiting" })]), limits)).toBeUndefined();
});
