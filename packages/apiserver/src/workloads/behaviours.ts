/** What tests want to go wrong in the simulation, until they take it back. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Pod } from "@treadle/apimachinery/kinds";
import { requireKnown } from "./options.ts";

/** What may be wrong with a pod, in the words that its status has for it. */
export type PodProblem =
  /** No node takes it. Of pods that have none yet. */
  | "Unschedulable"
  /** Its containers cannot start. Of containers that do not run yet. */
  | "ErrImagePull"
  | "ImagePullBackOff"
  | "InvalidImageName"
  | "CreateContainerConfigError"
  | "CreateContainerError"
  /** Its containers run and do not become ready, or are no longer. */
  | "NotReady"
  /** Its containers exit: with 1 (`CrashLoopBackOff` and `Error` are the same), 137, 0, or what is said. What follows is as its `restartPolicy` says. */
  | "CrashLoopBackOff"
  | "Error"
  | "OOMKilled"
  | "Completed"
  | { readonly exitCode: number }
  /** Its containers run on where they would exit: those of Jobs do after `runSeconds`. */
  | "Hangs"
  /** It does not end when it is deleted, before its grace period is over. */
  | "IgnoresTermination";

/** Which objects are meant: those that fit all that is given. */
export interface Selection {
  readonly namespace?: string;
  readonly name?: string;
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface PodSelection extends Selection {
  /** Only this container, or init container. @defaultValue all but init containers */
  readonly container?: string;
  /** Only containers of this image. */
  readonly image?: string;
}

/** Something that a test made go wrong. */
export interface Mishap extends Disposable {
  /** From now on it is as if it had never been: what waits to be tried again is tried at once. Idempotent. */
  recover(): void;
}

/** What goes wrong, for those who do it. */
export class Behaviours {
  readonly #changed: () => void;
  readonly #pods = new Set<{ readonly problem: PodProblem; readonly selection: PodSelection }>();
  readonly #stalled = new Set<Selection>();

  /** @param changed is called when the answers below may be others than before */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /**
   * The pods of the selection have the problem, those to come included. @defaultValue all
   * @throws RangeError for a problem that is none, and for a selection by what there is not
   */
  fail(problem: PodProblem, selection: PodSelection = {}): Mishap {
    checkProblem(problem);
    requireKnown("workloads.pods.fail", selection, [...SELECTION, "container", "image"]);
    return this.#with(this.#pods, { problem, selection });
  }

  /** The pods of these Deployments do not become ready, so that they miss their deadlines. @defaultValue all @throws RangeError as above */
  stall(selection: Selection = {}): Mishap {
    requireKnown("workloads.deployments.stall", selection, SELECTION);
    return this.#with(this.#stalled, selection);
  }

  isPod(problem: "Unschedulable" | "IgnoresTermination", pod: Pod): boolean {
    return [...this.#pods].some((one) => one.problem === problem && isSelected(pod, one.selection));
  }

  /** What is wrong with one container; what came last counts. */
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

/** What concerns no single container. */
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

/** What nobody looks for would leave every pod well, and a test would wait for a failure that never comes. */
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
