/** Faults that tests inject into the simulated workloads, until they recover them. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Pod } from "@treadle/apimachinery/kinds";
import { addQuantities, canonicalQuantity } from "../builtin/quantity.ts";
import { requireKnown } from "./options.ts";

/** A problem of a simulated pod, named as in the status of a real pod. */
export type PodProblem =
  /** The scheduler finds no node. Affects pods that have no node yet. */
  | "Unschedulable"
  /** The containers cannot start. Affects containers that do not run yet. */
  | "ErrImagePull"
  | "ImagePullBackOff"
  | "InvalidImageName"
  | "CreateContainerConfigError"
  | "CreateContainerError"
  /** The containers run and are not ready. */
  | "NotReady"
  /**
   * The containers exit: `CrashLoopBackOff` and `Error` with 1, `OOMKilled` with 137, `Completed` with 0, or with the given
   * exit code. Whether they restart depends on the `restartPolicy`.
   */
  | "CrashLoopBackOff"
  | "Error"
  | "OOMKilled"
  | "Completed"
  | { readonly exitCode: number }
  /** The containers of a Job do not exit after `runSeconds`. */
  | "Hangs"
  /** A deleted pod does not end before its grace period is over. */
  | "IgnoresTermination";

/** Selects the objects that match all given fields. An empty selection selects every object of the kind. */
export interface Selection {
  /** Namespace of the objects. @defaultValue all namespaces */
  readonly namespace?: string;
  /** Name of the object. @defaultValue all names */
  readonly name?: string;
  /** Labels that the objects must have. @defaultValue any labels */
  readonly matchLabels?: Readonly<Record<string, string>>;
}

/** Selects pods, and containers of these pods. */
export interface PodSelection extends Selection {
  /** Name of a container or an init container. @defaultValue all containers except init containers */
  readonly container?: string;
  /** Image of the containers. @defaultValue all images */
  readonly image?: string;
}

/** Selects pods, or containers of these pods. */
export interface UseSelection extends Selection {
  /** Name of a container. @defaultValue the whole pod */
  readonly container?: string;
}

/** Amounts by resource, as quantities: `{ cpu: "250m", memory: "64Mi" }`. */
export type ResourceUse = Readonly<Record<string, string>>;

/** A fault that a test injected into the simulated workloads. `using` recovers it at the end of a block. */
export interface Mishap extends Disposable {
  /** Removes the fault. A container that waits for its back-off is started at once. Idempotent. */
  recover(): void;
}

/** The injected faults, as the simulated controllers see them. */
export class Behaviours {
  readonly #changed: () => void;
  readonly #pods = new Set<{ readonly problem: PodProblem; readonly selection: PodSelection }>();
  readonly #stalled = new Set<Selection>();
  readonly #uses = new Set<{ readonly use: ResourceUse; readonly selection: UseSelection }>();

  /** @param changed is called after each change of the faults */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /**
   * Gives the problem to the selected pods, existing and new ones.
   * @throws RangeError for an unknown problem or an unknown field of the selection
   */
  fail(problem: PodProblem, selection: PodSelection = {}): Mishap {
    checkProblem(problem);
    requireKnown("workloads.pods.fail", selection, [...SELECTION, "container", "image"]);
    return this.#with(this.#pods, { problem, selection });
  }

  /** Reports the use of the selected pods or containers to autoscalers. @throws RangeError for an unknown field or a wrong quantity */
  use(use: ResourceUse, selection: UseSelection = {}): Mishap {
    requireKnown("workloads.metrics.report", selection, [...SELECTION, "container"]);
    for (const [resource, amount] of Object.entries(use)) checkQuantity(resource, amount);
    return this.#with(this.#uses, { use, selection });
  }

  /** Whether there are any metrics. */
  get hasMetrics(): boolean {
    return this.#uses.size > 0;
  }

  /** Whether the use of a pod or of one of its containers was reported. */
  isMeasured(pod: Pod): boolean {
    return [...this.#uses].some(({ selection }) => isSelected(pod, selection));
  }

  /** Returns the use of a pod, or of one of its containers. The last report counts. */
  useOf(pod: Pod, resource: string, container: string | undefined): string | undefined {
    const reports = [...this.#uses].filter(({ use, selection }) => use[resource] !== undefined && isSelected(pod, selection));
    const last = (only: string | undefined): string | undefined =>
      reports.findLast(({ selection }) => selection.container === only)?.use[resource];
    if (container !== undefined) return last(container);
    const containers = (pod.spec?.containers ?? []).map(({ name }) => last(name));
    const parts = containers.filter((amount) => amount !== undefined);
    return parts.length > 0 && parts.length === containers.length ? parts.reduce(addQuantities) : last(undefined);
  }

  /** Keeps new pods of the selected Deployments from becoming ready. @throws RangeError for an unknown field of the selection */
  stall(selection: Selection = {}): Mishap {
    requireKnown("workloads.deployments.stall", selection, SELECTION);
    return this.#with(this.#stalled, selection);
  }

  isPod(problem: "Unschedulable" | "IgnoresTermination", pod: Pod): boolean {
    return [...this.#pods].some((one) => one.problem === problem && isSelected(pod, one.selection));
  }

  /** Returns the problem of a container. The last injected fault counts. */
  ofContainer(pod: Pod, container: ContainerNames): PodProblem | undefined {
    const found = [...this.#pods].filter(({ problem, selection }) => !OF_PODS.has(problem) && isMeant(pod, container, selection));
    return found.at(-1)?.problem;
  }

  isStalled(object: KubernetesObject): boolean {
    return [...this.#stalled].some((selection) => isSelected(object, selection));
  }

  #with<T>(all: Set<T>, one: T): Mishap {
    all.add(one);
    this.#changed();
    const recover = (): void => {
      if (all.delete(one)) this.#changed();
    };
    return { recover, [Symbol.dispose]: recover };
  }
}

export interface ContainerNames {
  readonly name: string;
  readonly image?: string | undefined;
  readonly isInit: boolean;
}

/** Problems of the pod, not of a container. */
const OF_PODS: ReadonlySet<PodProblem> = new Set(["Unschedulable", "IgnoresTermination"]);

const SELECTION: readonly string[] = ["namespace", "name", "matchLabels"] satisfies (keyof Selection)[];

function isSelected({ metadata }: KubernetesObject, { namespace, name, matchLabels = {} }: Selection): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  if (name !== undefined && metadata.name !== name) return false;
  return Object.entries(matchLabels).every(([label, value]) => metadata.labels?.[label] === value);
}

function isMeant(pod: Pod, one: ContainerNames, selection: PodSelection): boolean {
  if (!isSelected(pod, selection)) return false;
  if (selection.image !== undefined && selection.image !== one.image) return false;
  return selection.container === undefined ? !one.isInit || selection.image !== undefined : selection.container === one.name;
}

function checkQuantity(resource: string, amount: string): void {
  try {
    canonicalQuantity(amount);
  } catch (error) {
    throw new RangeError(`workloads.metrics.report: ${resource} is ${JSON.stringify(amount)}; use a quantity such as 250m or 64Mi`, {
      cause: error,
    });
  }
}

/** Checks the problem. With an unknown problem no pod would fail, and the test would wait forever. */
function checkProblem(problem: unknown): void {
  if (typeof problem === "string" && PROBLEMS.has(problem)) return;
  const code = typeof problem === "object" && problem !== null && "exitCode" in problem ? problem.exitCode : undefined;
  if (Number.isInteger(code) && Number(code) >= 0 && Number(code) <= 255) return;
  const known = `${[...PROBLEMS].join(", ")}, or { exitCode: 0 to 255 }`;
  throw new RangeError(`workloads: cannot make pods fail with ${JSON.stringify(problem)}: use one of ${known}`);
}

const PROBLEMS: ReadonlySet<string> = new Set([
  "Unschedulable",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "NotReady",
  "CrashLoopBackOff",
  "Error",
  "OOMKilled",
  "Completed",
  "Hangs",
  "IgnoresTermination",
] satisfies PodProblem[]);
