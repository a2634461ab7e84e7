/** The life of a container: it waits, runs, exits, and restarts by the restart policy. Pure: the time is an argument. */
import type { PodProblem } from "./behaviours.ts";

/** A container of a pod's spec. */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly type: "init" | "sidecar" | "main";
  /** Time from running to ready, in milliseconds. */
  readonly readyAfterMs: number;
}

export interface Terminated {
  readonly type: "terminated";
  readonly reason: string;
  readonly exitCode: number;
  readonly startedMs: number;
  readonly finishedMs: number;
}

export type ContainerState =
  | { readonly type: "waiting"; readonly reason: string; readonly message?: string /** Of a back-off. */; readonly untilMs?: number }
  | { readonly type: "running"; readonly sinceMs: number }
  | Terminated;

export interface ContainerLife {
  readonly spec: ContainerSpec;
  readonly state: ContainerState;
  /** End of the previous run. */
  readonly last?: Terminated;
  readonly restarts: number;
  /** Whether it has been ready since its first start. */
  readonly wasReady: boolean;
}

export interface Circumstances {
  readonly nowMs: number;
  readonly restartPolicy: string;
  /** Injected problem. */
  readonly problem: PodProblem | undefined;
  /** Time after which it exits with 0, in milliseconds. Absent: never. */
  readonly exitsAfterMs: number | undefined;
}

/** Returns the current life, or the same value when nothing changed. */
export function live(life: ContainerLife, now: Circumstances): ContainerLife {
  let current = life;
  for (let next = step(current, now); next !== undefined; next = step(current, now)) current = next;
  const isReady = current.wasReady || isReadyNow(current, now);
  return isReady === current.wasReady ? current : { ...current, wasReady: isReady };
}

/** Returns the time of the next change by time alone. */
export function nextChange({ state, spec }: ContainerLife, { nowMs, exitsAfterMs }: Circumstances): number | undefined {
  if (state.type === "waiting") return state.untilMs;
  if (state.type !== "running") return undefined;
  const times = [state.sinceMs + spec.readyAfterMs, ...(exitsAfterMs === undefined ? [] : [state.sinceMs + exitsAfterMs])];
  const due = times.filter((ms) => ms > nowMs);
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Reports whether the readiness probe would succeed, which makes the container ready. */
export function isReadyNow({ state, spec }: ContainerLife, { nowMs, problem }: Circumstances): boolean {
  return state.type === "running" && problem !== "NotReady" && nowMs >= state.sinceMs + spec.readyAfterMs;
}

/** Reports whether the readiness probe has failed. */
export function isUnhealthy({ state, spec }: ContainerLife, { nowMs, problem }: Circumstances): boolean {
  return state.type === "running" && problem === "NotReady" && nowMs >= state.sinceMs + spec.readyAfterMs;
}

/** Reports whether the container has exited and will not restart. */
export function isOver(life: ContainerLife, restartPolicy: string): life is ContainerLife & { readonly state: Terminated } {
  return life.state.type === "terminated" && !isRestarted(life.state, life.spec, restartPolicy);
}

/** Returns the life after the next change at this time, if any. */
function step(life: ContainerLife, now: Circumstances): ContainerLife | undefined {
  const { state, spec } = life;
  switch (state.type) {
    case "waiting":
      return start(life, now);
    case "running": {
      const exit = exitOf(life, now);
      if (exit === undefined || now.nowMs < exit.atMs) return undefined;
      const { reason, exitCode } = exit;
      return { ...life, state: { type: "terminated", reason, exitCode, startedMs: state.sinceMs, finishedMs: now.nowMs } };
    }
    case "terminated": {
      if (!isRestarted(state, spec, now.restartPolicy)) return undefined;
      if (life.restarts === 0) return { ...life, restarts: 1, last: state, state: { type: "running", sinceMs: now.nowMs } };
      const backOffMs = Math.min(FIRST_BACK_OFF_MS * 2 ** (life.restarts - 1), MAX_BACK_OFF_MS);
      const message = `back-off ${duration(backOffMs)} restarting failed container=${spec.name}`;
      return { ...life, last: state, state: { type: "waiting", reason: "CrashLoopBackOff", message, untilMs: now.nowMs + backOffMs } };
    }
  }
}

/** kubelet `MaxContainerBackOff` and its first value, in milliseconds. */
const FIRST_BACK_OFF_MS = 10_000;
const MAX_BACK_OFF_MS = 300_000;

function start(life: ContainerLife, { nowMs, problem }: Circumstances): ContainerLife | undefined {
  const state = life.state as Extract<ContainerState, { readonly type: "waiting" }>; // asked before
  const isBackOff = state.untilMs !== undefined;
  // When the reason no longer exists, the container does not wait for the back-off.
  if (isBackOff && problem !== undefined && nowMs < (state.untilMs ?? 0)) return undefined;
  const message = problem === undefined ? undefined : textOf(problem)?.(life.spec.image);
  if (typeof problem === "string" && message !== undefined) {
    if (state.reason === problem) return undefined;
    return { ...life, state: { type: "waiting", reason: problem, message } };
  }
  return { ...life, restarts: life.restarts + (isBackOff ? 1 : 0), state: { type: "running", sinceMs: nowMs } };
}

function textOf(problem: PodProblem): ((image: string) => string) | undefined {
  return typeof problem === "string" ? WAITING[problem] : undefined;
}

/** Messages of a kubelet for containers that cannot start. */
const WAITING: Partial<Record<string, (image: string) => string>> = {
  ErrImagePull: (image) => `failed to pull and unpack image "${image}": not found`,
  ImagePullBackOff: (image) => `Back-off pulling image "${image}"`,
  InvalidImageName: (image) =>
    `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`,
  CreateContainerConfigError: () => "the configuration of the container cannot be made",
  CreateContainerError: () => "the container cannot be made",
};

function wantedExit(problem: PodProblem | undefined): Omit<Exit, "atMs"> | undefined {
  if (typeof problem !== "object") return problem === undefined ? undefined : EXITS[problem];
  return { reason: problem.exitCode === 0 ? "Completed" : "Error", exitCode: problem.exitCode };
}

const EXITS: Partial<Record<string, Omit<Exit, "atMs">>> = {
  CrashLoopBackOff: { reason: "Error", exitCode: 1 },
  Error: { reason: "Error", exitCode: 1 },
  OOMKilled: { reason: "OOMKilled", exitCode: 137 },
  Completed: { reason: "Completed", exitCode: 0 },
};

interface Exit {
  readonly reason: string;
  readonly exitCode: number;
  readonly atMs: number;
}

function exitOf({ state, spec }: ContainerLife, { problem, exitsAfterMs, nowMs }: Circumstances): Exit | undefined {
  if (state.type !== "running") return undefined;
  const wanted = wantedExit(problem);
  if (wanted !== undefined) return { ...wanted, atMs: nowMs };
  if (spec.type === "init") return { reason: "Completed", exitCode: 0, atMs: nowMs };
  if (exitsAfterMs === undefined || spec.type === "sidecar" || problem === "Hangs") return undefined;
  return { reason: "Completed", exitCode: 0, atMs: state.sinceMs + exitsAfterMs };
}

function isRestarted({ exitCode }: Terminated, { type }: ContainerSpec, restartPolicy: string): boolean {
  if (type === "sidecar") return true;
  if (restartPolicy === "Never") return false;
  return exitCode !== 0 || (restartPolicy === "Always" && type === "main");
}

/** Formats a duration in whole seconds as Go does. */
function duration(ms: number): string {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
