/** The simulated workloads as tests see them. */
import type { Behaviours, Mishap, PodProblem, PodSelection, Selection } from "./behaviours.ts";
import type { Settings } from "./options.ts";

/** What runs in a server with `workloads`: nothing does, but objects look as if it did; and what is to go wrong. */
export interface Workloads {
  readonly pods: {
    /** The pods of the selection have the problem from now on, those to come included. @defaultValue all pods */
    fail(problem: PodProblem, selection?: PodSelection): Mishap;
  };
  readonly deployments: {
    /** New pods of these Deployments do not become ready, so that a rollout misses its deadline. @defaultValue all Deployments */
    stall(selection?: Selection): Mishap;
  };
  /** When the simulation acts next though nothing changes, in milliseconds of the server's clock; undefined: it does not. */
  nextDue(): number | undefined;
  /** The longest that one step in the life of a pod takes: to start, to run, or to end. Less than any back-off, so that it tells them apart. */
  readonly stepMs: number;
}

export function workloadsOf(behaviours: Behaviours, { settings, nextDue }: Timing): Workloads {
  const { startSeconds, runSeconds, stopSeconds } = settings;
  return {
    pods: { fail: (problem, selection) => behaviours.fail(problem, selection) },
    deployments: { stall: (selection) => behaviours.stall(selection) },
    nextDue,
    stepMs: Math.min(MAX_STEP_MS, Math.max(startSeconds, runSeconds, stopSeconds) * 1000),
  };
}

/** The first back-off of a container is 10 s. */
const MAX_STEP_MS = 9_000;

export interface Timing {
  readonly settings: Settings;
  readonly nextDue: () => number | undefined;
}
