/** Rows of pods (`printPod` of Kubernetes). The status that kubectl shows follows from the containers. */
import type { JsonObject } from "../internal/json.ts";
import { age, orNone } from "./format.ts";
import type { Cells, Printing } from "./printer.ts";
import { at, booleanAt, hasCondition, listAt, numberAt, objectAt, textAt } from "../internal/read.ts";

/** Returns the conditions of a row, which mark finished pods. */
export function podConditions(pod: JsonObject): readonly object[] | undefined {
  const phase = textAt(pod, "status", "phase");
  const message = phase === "Succeeded" ? "The pod has completed successfully." : phase === "Failed" ? "The pod failed." : undefined;
  return message === undefined ? undefined : [{ type: "Completed", status: "True", reason: phase, message }];
}

export function podCells(pod: JsonObject, { name, age: created, nowMs }: Printing): Cells {
  const sidecars = new Set(
    listAt(pod, "spec", "initContainers")
      .filter((one) => one["restartPolicy"] === "Always")
      .map((one) => textAt(one, "name")),
  );
  const init = initState(pod, sidecars);
  const isInitialized = init.reason === undefined || hasCondition(pod, "Initialized");
  const main = isInitialized ? mainState(pod, init.reason ?? phaseReason(pod)) : undefined;
  const restarts = main === undefined ? init.restarts : main.restarts + init.sidecarRestarts;
  const last = main === undefined ? init.lastRestart : later(main.lastRestart, init.lastSidecarRestart);
  const ready = init.ready + (main?.ready ?? 0);
  const total = listAt(pod, "spec", "containers").length + sidecars.size;
  const reason = departing(pod) ?? main?.reason ?? init.reason ?? phaseReason(pod);
  return [
    name,
    `${ready}/${total}`,
    reason,
    restarts !== 0 && last !== "" ? `${restarts} (${age(last, nowMs)} ago)` : String(restarts),
    created,
    orNone(textAt(listAt(pod, "status", "podIPs")[0], "ip")),
    orNone(textAt(pod, "spec", "nodeName")),
    orNone(textAt(pod, "status", "nominatedNodeName")),
    readinessGates(pod),
  ];
}

function phaseReason(pod: JsonObject): string {
  const isGated = listAt(pod, "status", "conditions").some((one) => one["type"] === "PodScheduled" && one["reason"] === "SchedulingGated");
  return isGated ? "SchedulingGated" : textAt(pod, "status", "reason") || textAt(pod, "status", "phase");
}

/** Returns the status of a pod that is being deleted, unless it is finished. */
function departing(pod: JsonObject): string | undefined {
  if (at(pod, "metadata", "deletionTimestamp") === undefined) return undefined;
  if (textAt(pod, "status", "reason") === "NodeLost") return "Unknown";
  return ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase")) ? undefined : "Terminating";
}

interface InitState {
  /** Reason why the pod is not initialized yet. */
  readonly reason: string | undefined;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestart: string;
  readonly sidecarRestarts: number;
  readonly lastSidecarRestart: string;
}

function initState(pod: JsonObject, sidecars: ReadonlySet<string>): InitState {
  const state = { ready: 0, restarts: 0, lastRestart: "", sidecarRestarts: 0, lastSidecarRestart: "" };
  const total = listAt(pod, "spec", "initContainers").length;
  for (const [index, status] of listAt(pod, "status", "initContainerStatuses").entries()) {
    const isSidecar = sidecars.has(textAt(status, "name"));
    const finished = finishedAt(status);
    state.restarts += numberAt(status, "restartCount");
    state.lastRestart = later(state.lastRestart, finished);
    if (isSidecar) {
      state.sidecarRestarts += numberAt(status, "restartCount");
      state.lastSidecarRestart = later(state.lastSidecarRestart, finished);
    }
    const terminated = at(status, "state", "terminated");
    if (terminated !== undefined && numberAt(terminated, "exitCode") === 0) continue;
    if (isSidecar && booleanAt(status, "started")) {
      if (booleanAt(status, "ready")) state.ready++;
      continue;
    }
    const waiting = textAt(status, "state", "waiting", "reason");
    if (terminated !== undefined) return { ...state, reason: `Init:${endOf(terminated)}` };
    if (waiting !== "" && waiting !== "PodInitializing") return { ...state, reason: `Init:${waiting}` };
    return { ...state, reason: `Init:${index}/${total}` };
  }
  return { ...state, reason: undefined };
}

function mainState(
  pod: JsonObject,
  before: string,
): { readonly reason: string; readonly ready: number; readonly restarts: number; readonly lastRestart: string } {
  let [reason, failure, isRunning] = [before, "", false];
  let [ready, restarts, lastRestart] = [0, 0, ""];
  for (const status of listAt(pod, "status", "containerStatuses").toReversed()) {
    restarts += numberAt(status, "restartCount");
    lastRestart = later(lastRestart, finishedAt(status));
    const waiting = textAt(status, "state", "waiting", "reason");
    const terminated = at(status, "state", "terminated");
    if (waiting !== "") reason = waiting;
    else if (terminated !== undefined) {
      reason = endOf(terminated);
      if (numberAt(terminated, "exitCode") !== 0) failure = reason;
    } else if (booleanAt(status, "ready") && at(status, "state", "running") !== undefined) {
      isRunning = true;
      ready++;
    }
  }
  // The pod is not complete while another container runs.
  if (reason === "Completed") {
    if (isRunning && hasCondition(pod, "Ready")) reason = "Running";
    else if (failure !== "") reason = failure;
    else if (isRunning) reason = "NotReady";
  }
  return { reason, ready, restarts, lastRestart };
}

function endOf(terminated: unknown): string {
  const signal = numberAt(terminated, "signal");
  return textAt(terminated, "reason") || (signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode")}` : `Signal:${signal}`);
}

function finishedAt(status: JsonObject): string {
  return textAt(objectAt(status, "lastState", "terminated"), "finishedAt");
}

/** Returns the later of two times. Each may be absent. */
function later(a: string, b: string): string {
  return a === "" || (b !== "" && Date.parse(b) > Date.parse(a)) ? b : a;
}

function readinessGates(pod: JsonObject): string {
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  return `${gates.filter((gate) => hasCondition(pod, textAt(gate, "conditionType"))).length}/${gates.length}`;
}
