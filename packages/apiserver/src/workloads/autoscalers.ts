/**
 * The HorizontalPodAutoscaler controller: it looks at each autoscaler every 15 s, keeps the number of replicas between its
 * limits, and follows the metrics that a test reports (`workloads.metrics`). Without any, its conditions say so, as in a
 * cluster without metrics-server.
 */
import {
  formatTime,
  isSelectorError,
  jsonEqual,
  keyOf,
  type LabelRequirements,
  matchesLabels,
  parseLabelSelector,
} from "@treadle/apimachinery";
import { HorizontalPodAutoscaler, Pod } from "@treadle/apimachinery/kinds";
import { quantityNanos } from "../builtin/quantity.ts";
import { limited, type Past } from "./autoscaler-limits.ts";
import { propose, type Reading } from "./autoscaler-metrics.ts";
import { type Autoscaler, scaleTargets, type Target } from "./autoscaler-targets.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { RefusedError } from "./writer.ts";

const NAME = "horizontal-pod-autoscaler";
/** `--horizontal-pod-autoscaler-sync-period` of kube-controller-manager. */
const PERIOD_MS = 15_000;

interface Memory extends Past {
  readonly uid: string | undefined;
  dueMs: number;
  selector?: LabelRequirements;
}

type Status = NonNullable<HorizontalPodAutoscaler["status"]>;
type Conditions = NonNullable<Status["conditions"]>;

/** The conditions of an autoscaler, as one look at it changes them. */
class ConditionSet {
  #conditions: Conditions;
  readonly #now: string;

  constructor(conditions: Conditions, now: string) {
    this.#conditions = conditions;
    this.#now = now;
  }

  get all(): Conditions {
    return this.#conditions;
  }

  set(type: string, status: "True" | "False", reason: string, message: string): void {
    const before = this.#conditions.find((one) => one.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : this.#now;
    const condition = { type, status, reason, message, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
    this.#conditions =
      before === undefined ? [...this.#conditions, condition] : this.#conditions.map((one) => (one === before ? condition : one));
  }
}

/** A decision about the number of replicas. */
interface Decision {
  readonly replicas: number;
  /** Reason of a change. */
  readonly reason: string;
  readonly metrics: readonly object[];
}

/** Metrics that give no number of replicas. Their conditions are set. */
interface Undecided {
  readonly failure: string;
  readonly metrics: readonly object[];
}

export function autoscalers({ clock, objects, events, registry, behaviours, as }: Context): Controller {
  const write = as(NAME);
  const recorder = events.recorder(NAME);
  const targets = scaleTargets(registry, write);
  const memories = new Map<string, Memory>();
  return {
    name: NAME,
    kind: HorizontalPodAutoscaler,
    // Pods are only read.
    watches: [watch(Pod, () => [])],
    async sync(key) {
      const found = objects.get(HorizontalPodAutoscaler, key);
      const memory = memories.get(key);
      const nowMs = clock.now();
      if (!hasSpec(found)) return void memories.delete(key);
      if (memory?.uid !== found.metadata.uid || memory === undefined) {
        memories.set(key, { uid: found.metadata.uid, dueMs: nowMs + PERIOD_MS, recommendations: [], changes: [] });
        return PERIOD_MS;
      }
      if (nowMs < memory.dueMs) return memory.dueMs - nowMs;
      memory.dueMs = nowMs + PERIOD_MS;
      await look(found, memory);
      return PERIOD_MS;
    },
  };

  async function look(autoscaler: Autoscaler, memory: Memory): Promise<void> {
    const conditions = new ConditionSet(autoscaler.status?.conditions ?? [], formatTime(clock.now()));
    const target = await targets.find(autoscaler);
    if (typeof target === "string") {
      warn(autoscaler, "FailedGetScale", target);
      conditions.set(
        "AbleToScale",
        "False",
        "FailedGetScale",
        `the HPA controller was unable to get the target's current scale: ${target}`,
      );
      return tell(autoscaler, { ...autoscaler.status, conditions: conditions.all });
    }
    conditions.set("AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale");
    const current = target.replicas;
    if (memory.recommendations.length === 0) memory.recommendations = [{ replicas: current, atMs: clock.now() }];
    const decided = decide(autoscaler, { target, memory, conditions });
    const before = autoscaler.status;
    const kept = { currentReplicas: current, desiredReplicas: before?.desiredReplicas ?? 0, lastScaleTime: before?.lastScaleTime };
    if ("failure" in decided) {
      await tell(autoscaler, { ...kept, currentMetrics: listed(decided.metrics), conditions: conditions.all });
      warn(autoscaler, "FailedComputeMetricsReplicas", decided.failure);
      return;
    }
    const { replicas, reason, metrics } = decided;
    const status = { ...kept, currentMetrics: listed(metrics), desiredReplicas: replicas };
    if (replicas === current) return tell(autoscaler, { ...status, conditions: conditions.all });
    try {
      await targets.scale(target, replicas);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const { message } = error;
      warn(autoscaler, "FailedRescale", `New size: ${replicas}; reason: ${reason}; error: ${message}`);
      conditions.set("AbleToScale", "False", "FailedUpdateScale", `the HPA controller was unable to update the target scale: ${message}`);
      return tell(autoscaler, { ...kept, currentMetrics: listed(metrics), conditions: conditions.all });
    }
    conditions.set("AbleToScale", "True", "SucceededRescale", `the HPA controller was able to update the target scale to ${replicas}`);
    recorder(HorizontalPodAutoscaler, autoscaler, { reason: "SuccessfulRescale", message: `New size: ${replicas}; reason: ${reason}` });
    if (autoscaler.spec.behavior !== undefined) {
      const recent = memory.changes.filter(({ atMs }) => clock.now() - atMs < MAX_PERIOD_MS);
      memory.changes = [...recent, { by: replicas - current, atMs: clock.now() }];
    }
    await tell(autoscaler, { ...status, lastScaleTime: formatTime(clock.now()), conditions: conditions.all });
  }

  function decide(
    autoscaler: Autoscaler,
    { target, memory, conditions }: { readonly target: Target; readonly memory: Memory; readonly conditions: ConditionSet },
  ): Decision | Undecided {
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    const current = target.replicas;
    if (current === 0) {
      conditions.set("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
      return { replicas: 0, reason: "", metrics: [] };
    }
    if (current > max) return { replicas: max, reason: "Current number of replicas above Spec.MaxReplicas", metrics: [] };
    if (current < min) return { replicas: min, reason: "Current number of replicas below Spec.MinReplicas", metrics: [] };
    const pods = podsOf(autoscaler, { target, memory, conditions });
    if (typeof pods === "string") return { failure: pods, metrics: [] };
    const asked = ask(autoscaler, readingOf(autoscaler, pods, current), conditions);
    if ("failure" in asked) return asked;
    const { replicas, stabilized, isLimited, limit } = limited(asked.replicas, { current, min, max, behavior }, memory, clock.now());
    conditions.set("AbleToScale", "True", ...stabilized);
    conditions.set("ScalingLimited", isLimited ? "True" : "False", ...limit);
    const reason = asked.replicas > current ? `${asked.reason} above target` : asked.replicas < current ? "All metrics below target" : "";
    return { ...asked, replicas, reason };
  }

  /** Returns the pods of the target, or why there are none to be scaled. */
  function podsOf(
    autoscaler: Autoscaler,
    { target: { selector }, memory, conditions }: { readonly target: Target; readonly memory: Memory; readonly conditions: ConditionSet },
  ): readonly Pod[] | string {
    const requirements = selectorOf(selector);
    if ("problem" in requirements) {
      const { reason, problem, message } = requirements;
      warn(autoscaler, reason, problem);
      conditions.set("ScalingActive", "False", "InvalidSelector", message);
      return problem;
    }
    memory.selector = requirements;
    const { namespace = "" } = autoscaler.metadata;
    const pods = objects.list(Pod, namespace).filter(({ metadata }) => matchesLabels(requirements, metadata.labels));
    const rivals = objects.list(HorizontalPodAutoscaler, namespace).filter(({ metadata }) => {
      const other = memories.get(keyOf(metadata))?.selector;
      return other !== undefined && pods.some((pod) => matchesLabels(other, pod.metadata.labels));
    });
    if (rivals.length < 2) return pods;
    const names = rivals.map(({ metadata }) => keyOf(metadata)).toSorted();
    const message = `pods by selector ${selector} are controlled by multiple HPAs: [${names.join(" ")}]`;
    warn(autoscaler, "AmbiguousSelector", message);
    conditions.set("ScalingActive", "False", "AmbiguousSelector", message);
    return message;
  }

  function readingOf({ metadata, spec }: Autoscaler, pods: readonly Pod[], replicas: number): Reading {
    const tolerance = (text: string | undefined): number => (text === undefined ? TOLERANCE : Number(quantityNanos(text)) / 1e9);
    return {
      namespace: metadata.namespace ?? "",
      replicas,
      pods,
      nowMs: clock.now(),
      hasMetrics: behaviours.hasMetrics,
      isMeasured: (pod) => behaviours.isMeasured(pod),
      useOf: (pod, resource, container) => behaviours.useOf(pod, resource, container),
      tolerance: { up: tolerance(spec.behavior?.scaleUp?.tolerance), down: tolerance(spec.behavior?.scaleDown?.tolerance) },
    };
  }

  /** Returns the highest number of replicas that a metric asks for. */
  function ask(autoscaler: Autoscaler, reading: Reading, conditions: ConditionSet): Decision | Undecided {
    const specs = autoscaler.spec.metrics ?? [];
    const answers = specs.map((metric) => propose(metric, reading));
    const failures = answers.filter((answer) => "summary" in answer);
    for (const { reason, cause } of failures) warn(autoscaler, reason, cause);
    const proposals = answers.filter((answer) => "status" in answer);
    const [highest] = proposals.toSorted((a, b) => b.replicas - a.replicas);
    const metrics = answers.map((answer) => ("status" in answer ? answer.status : { type: "" }));
    const [first] = failures;
    const summary = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first?.summary ?? ""}`;
    // Metrics that cannot be read might ask for more.
    if (highest === undefined || (first !== undefined && highest.replicas < reading.replicas)) {
      if (first !== undefined)
        conditions.set("ScalingActive", "False", first.reason, `the HPA was unable to compute the replica count: ${first.cause}`);
      return { failure: summary, metrics };
    }
    const found = `the HPA was able to successfully calculate a replica count from ${highest.name}`;
    conditions.set("ScalingActive", "True", "ValidMetricFound", found);
    return { replicas: highest.replicas, reason: highest.name, metrics };
  }

  function warn(autoscaler: Autoscaler, reason: string, message: string): void {
    recorder(HorizontalPodAutoscaler, autoscaler, { type: "Warning", reason, message });
  }

  async function tell(autoscaler: Autoscaler, status: object): Promise<void> {
    const wanted = JSON.parse(JSON.stringify(status)) as Status; // without what is undefined
    if (jsonEqual(plain(wanted), plain(autoscaler.status))) return;
    await write.updateStatus(HorizontalPodAutoscaler, { ...autoscaler, status: wanted } as HorizontalPodAutoscaler);
  }
}

/** `--horizontal-pod-autoscaler-tolerance` of kube-controller-manager. */
const TOLERANCE = 0.1;
/** The longest period of a policy. */
const MAX_PERIOD_MS = 1_800_000;

function hasSpec(found: HorizontalPodAutoscaler | undefined): found is Autoscaler {
  return found?.spec !== undefined;
}

/** Reads the selector of a scale, which a custom resource may set to any text. */
function selectorOf(text: string): LabelRequirements | { readonly reason: string; readonly problem: string; readonly message: string } {
  const problem = "selector is required";
  if (text === "") return { reason: "SelectorRequired", problem, message: "the HPA target's scale is missing a selector" };
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!isSelectorError(error)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    return { reason: "InvalidSelector", problem: message, message };
  }
}

/** Go writes a list without items as null. */
function listed(items: readonly object[]): readonly object[] | null {
  return items.length === 0 ? null : items;
}

/** Returns the status without what Go treats as absent. */
function plain(status: Status | undefined): object {
  const isAbsent = (value: unknown): boolean => value === null || value === 0 || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => !isAbsent(value)));
}
