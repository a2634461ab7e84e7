import type { RunObject, RunProgress } from "@treadle/dependents/unstable/run";
import { expect, test } from "vitest";
import { progressLine, progressText } from "./progress.ts";

function object(name: string, type: string, given: Partial<RunObject> = {}): RunObject {
  const state = { type, reason: "NotAvailable", message: type === "Ready" ? "" : "0 of 1 replicas are available" };
  const identity = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name };
  return {
    ...identity,
    wave: 0,
    isInstance: false,
    phase: "Updating",
    state,
    isReady: type === "Ready",
    isAwaited: true,
    operation: { type: "unchanged" },
    error: undefined,
    ...given,
  };
}

function progress(objects: readonly RunObject[], more: Partial<RunProgress> = {}): RunProgress {
  return { reason: "Processing", message: "", objects, leaving: [], wave: 1, waves: [0, 1], ...more };
}

test("the text has the wave, the totals and the worst object", () => {
  const text = progressText(progress([object("a", "Ready"), object("b", "Pending"), object("c", "Failed")]));
  expect(text).toBe("wave 2 of 2, 1 of 3 ready: Deployment shop/c: 0 of 1 replicas are available");
});

test("with one wave its number is left out, and objects to remove are named when all others are ready", () => {
  const leaving = [
    { apiVersion: "v1", kind: "Service", name: "x", type: "Pending", reason: "Deleting", message: "Service shop/x is being deleted" },
  ];
  expect(progressText(progress([object("a", "Ready")], { waves: [0], wave: 0, leaving }))).toBe(
    "1 of 1 ready, 1 object to remove: Service shop/x is being deleted",
  );
});

test("in a pipe a line is written for each change only; on a terminal the line is rewritten and fits", () => {
  const written: string[] = [];
  const [one, two] = [progress([object("a", "Pending")]), progress([object("a", "Ready")])];
  const inPipe = progressLine({ err: (text) => void written.push(text), columns: undefined, nowMs: () => 0 });
  for (const each of [one, one, two]) inPipe.update(each);
  expect(written).toEqual(["wave 2 of 2, 0 of 1 ready: Deployment shop/a: 0 of 1 replicas are available\n", "wave 2 of 2, 1 of 1 ready\n"]);
  written.length = 0;
  const onTerminal = progressLine({ err: (text) => void written.push(text), columns: 40, nowMs: () => 0 });
  onTerminal.update(one);
  onTerminal.end();
  expect(written[0]?.replace("\r\u001B[K", "").length).toBeLessThanOrEqual(40);
  expect(written.at(-1)).toBe("\r\u001B[K");
});
