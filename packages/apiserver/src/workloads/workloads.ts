/** The controls of the simulated workloads that tests use. */
import type { Behaviours, Mishap, PodProblem, PodSelection, ResourceUse, Selection, UseSelection } from "./behaviours.ts";
import type { Settings } from "./options.ts";

/**
 * Controls the simulated workloads. No containers run; objects get the status that they would have in a cluster. Use it to
 * inject failures.
 */
export interface Workloads {
  /** Faults of pods. */
  readonly pods: {
    /** Gives the problem to the selected pods, existing and new ones. Without a selection, to all pods. */
    fail(problem: PodProblem, selection?: PodSelection): Mishap;
  };
  /** Faults of Deployments. */
  readonly deployments: {
    /** Keeps new pods of the selected Deployments from becoming ready, so that a rollout misses its deadline. Without a selection, of all Deployments. */
    stall(selection?: Selection): Mishap;
  };
  /** Metrics of pods. */
  readonly metrics: {
    /**
     * Reports how much the selected pods use, existing and new ones, as metrics-server does: `report({ cpu: "250m" })`. With a
     * container it is the use of this container. HorizontalPodAutoscalers look at it every 15 s. The last report counts.
     * @returns the report; `recover()` withdraws it
     */
    report(use: ResourceUse, selection?: UseSelection): Mishap;
  };
  /** Returns the time at which the simulation acts next without any change, in milliseconds of the server's clock. `undefined`: never. */
  nextDue(): number | undefined;
  /** Longest time of one step in the life of a pod (start, run, stop), in milliseconds. It is always shorter than any back-off. */
  readonly stepMs: number;
}

/** Makes the controls from the parts of the simulation. */
export function workloadsOf(behaviours: Behaviours, { settings, nextDue }: Timing): Workloads {
  const { startSeconds, runSeconds, stopSeconds } = settings;
  return {
    pods: { fail: (problem, selection) => behaviours.fail(problem, selection) },
    deployments: { stall: (selection) => behaviours.stall(selection) },
    metrics: { report: (use, selection) => behaviours.use(use, selection) },
    nextDue,
    stepMs: Math.min(MAX_STEP_MS, Math.max(startSeconds, runSeconds, stopSeconds) * 1000),
  };
}

/** A little less than the first back-off of a container, which is 10 s. */
const MAX_STEP_MS = 9_000;

/** The parts of the simulation that know the time. */
export interface Timing {
  readonly settings: Settings;
  readonly nextDue: () => number | undefined;
}
