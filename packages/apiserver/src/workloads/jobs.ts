/**
 * The Job controller: runs as many pods at a time as the spec allows until enough of them succeeded or too many failed, and
 * reports them in the status. A finalizer keeps each pod until it is counted, so each is counted exactly once.
 */
import { formatTime, jsonEqual, type KubernetesObject, keyOf } from "@treadle/apimachinery";
import { Job, Pod } from "@treadle/apimachinery/kinds";
import { claim } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { count, type Counted } from "./job-count.ts";
import { missingPods } from "./job-plan.ts";
import { isTerminating, isTracked, TRACKING } from "./job-pods.ts";
import { conditionOf, deadlineMs, finish, isTrue, judge, type Verdict } from "./job-verdict.ts";
import { controllerOf, controllersIn } from "./objects.ts";
import { podControl } from "./pod-events.ts";
import { byWorth, isActive, isReady } from "./pods.ts";

type Status = NonNullable<Job["status"]>;

export function jobs(context: Context): Controller {
  const { clock, objects, events, as } = context;
  const write = as("job-controller");
  const record = events.recorder("job-controller");
  const control = podControl(write, record, Job);
  const owners = controllersIn(Job);
  return {
    name: "job-controller",
    kind: Job,
    watches: [watch(Pod, (pod, previous) => [...owners(pod, previous), ...orphanOf(pod)])],
    async sync(key) {
      const job = objects.get(Job, key);
      if (job?.spec === undefined || job.metadata.deletionTimestamp !== undefined) {
        await letGoOf(key, job);
        return undefined;
      }
      const selector = job.spec.selector ?? {};
      const pods = await claim(objects, write, { as: Job, owner: job, selector, kind: Pod, isAdoptable: isActive });
      if (finish(job) === undefined) return await goOn(key, job, pods);
      for (const pod of pods) await release(pod);
      return undefined;
    },
  };

  async function goOn(key: string, job: Job, pods: readonly Pod[]): Promise<number | undefined> {
    const counted = count(job, pods);
    if (counted.hasNews) await tell(job, { ...job.status, ...counted.noted });
    for (const pod of counted.done) await release(pod);
    const nowMs = clock.now();
    const verdict = judge(job, pods, counted, nowMs);
    const base = { ...job.status, ...counted.final };
    let dueMs: number | undefined;
    let conditions: readonly object[] = job.status?.conditions ?? [];
    const { suspend } = job.spec ?? {};
    if (verdict !== undefined) {
      conditions = withTarget(job, verdict, nowMs);
      // Reported before the pods are deleted, as by the real controller, so that watchers learn of it first.
      if (pods.some(isActive)) await tell(current(key, job), { ...base, ...numbers(pods), conditions });
      for (const pod of pods.filter(isActive)) await control.delete(job, pod);
    } else if (suspend === true) {
      conditions = withSuspended(job, "True", nowMs);
      if (!isTrue(job, "Suspended")) record(Job, job, { reason: "Suspended", message: "Job suspended" });
      for (const pod of pods.filter(isActive)) await remove(job, pod);
    } else {
      if (isTrue(job, "Suspended")) {
        conditions = withSuspended(job, "False", nowMs);
        record(Job, job, { reason: "Resumed", message: "Job resumed" });
      }
      dueMs = await fill(job, pods, counted, nowMs);
    }
    const left = objects.controlled(Pod, job);
    const isOver = verdict !== undefined && !left.some((pod) => isActive(pod) || isTerminating(pod) || isTracked(pod));
    const isStopped = suspend === true && verdict === undefined;
    const startTime = isStopped ? undefined : (job.status?.startTime ?? formatTime(nowMs));
    const status = { ...base, ...numbers(left), conditions, startTime };
    const now = current(key, job);
    await tell(now, isOver ? { ...status, ...ended(status.conditions, verdict, nowMs) } : status);
    if (isOver) noteEnd(now, verdict);
    const limitMs = verdict === undefined ? deadlineMs(current(key, job)) : undefined;
    const waits = [dueMs, limitMs].filter((ms) => ms !== undefined);
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits) - nowMs);
  }

  function noteEnd(job: Job, { type, reason, message }: Verdict): void {
    if (type === "Complete") record(Job, job, { reason: "Completed", message: "Job completed" });
    else record(Job, job, { type: "Warning", reason, message });
  }

  /** Creates missing pods and deletes surplus ones. Returns when more pods may be created. */
  async function fill(job: Job, pods: readonly Pod[], counted: Counted, nowMs: number): Promise<number | undefined> {
    const plan = missingPods(job, pods, counted, nowMs);
    const order = byWorth(new Map());
    for (const pod of pods.filter(isActive).toSorted(order).slice(0, plan.surplus)) await remove(job, pod);
    for (const draft of plan.drafts) await control.create(job, draft);
    return plan.laterMs;
  }

  /** Deletes a pod that must not be counted, because it did not end itself. */
  async function remove(job: Job, pod: Pod): Promise<void> {
    await release(pod);
    await control.delete(job, pod);
  }

  async function release(pod: Pod): Promise<void> {
    const now = objects.get(Pod, keyOf(pod.metadata));
    if (now === undefined || now.metadata.uid !== pod.metadata.uid || !isTracked(now)) return;
    const finalizers = (now.metadata.finalizers ?? []).filter((one) => one !== TRACKING);
    await write.patch(Pod, now, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
  }

  /** Removes the finalizers of a deleted Job's pods, which are no longer counted. */
  async function letGoOf(key: string, job: Job | undefined): Promise<void> {
    const [namespace = "", name] = key.split("/");
    for (const pod of objects.list(Pod, namespace)) {
      const controller = controllerOf(pod);
      const isOwn = controller === undefined ? orphanOf(pod).includes(key) : controller.kind === Job.kind && controller.name === name;
      if (isOwn && isTracked(pod) && (job === undefined || controller?.uid === job.metadata.uid)) await release(pod);
    }
  }

  /** Returns the stored Job, or the given one when it no longer exists: writes to it are refused. */
  function current(key: string, job: Job): Job {
    const now = objects.get(Job, key);
    return now !== undefined && now.metadata.uid === job.metadata.uid ? now : job;
  }

  async function tell(job: Job, status: object): Promise<void> {
    const wanted = JSON.parse(JSON.stringify(status)) as Status; // without what is undefined
    if (!jsonEqual(wanted, job.status)) await write.updateStatus(Job, { ...job, status: wanted } as Job);
  }
}

/** Returns the key of the Job that a pod without a controller was created for. */
function orphanOf(pod: KubernetesObject): readonly string[] {
  const name = pod.metadata.labels?.["batch.kubernetes.io/job-name"];
  return name === undefined || controllerOf(pod) !== undefined ? [] : [`${pod.metadata.namespace ?? ""}/${name}`];
}

function numbers(pods: readonly Pod[]): object {
  const active = pods.filter(isActive);
  return {
    active: active.length === 0 ? undefined : active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
  };
}

const TARGETS = { Complete: "SuccessCriteriaMet", Failed: "FailureTarget" } as const;

function withTarget(job: Job, { type, reason, message }: Verdict, nowMs: number): readonly object[] {
  const target = TARGETS[type];
  if (isTrue(job, target)) return job.status?.conditions ?? [];
  return [...(job.status?.conditions ?? []), condition(target, "True", { reason, message }, nowMs)];
}

function ended(conditions: readonly object[], { type, reason, message }: Verdict, nowMs: number): object {
  const last = condition(type, "True", { reason, message }, nowMs);
  return { conditions: [...conditions, last], ...(type === "Complete" ? { completionTime: formatTime(nowMs) } : {}) };
}

function withSuspended(job: Job, status: "True" | "False", nowMs: number): readonly object[] {
  const before = job.status?.conditions ?? [];
  if (conditionOf(job, "Suspended")?.status === status) return before;
  const why = status === "True" ? { reason: "JobSuspended", message: "Job suspended" } : { reason: "JobResumed", message: "Job resumed" };
  return [...before.filter(({ type }) => type !== "Suspended"), condition("Suspended", status, why, nowMs)];
}

function condition(type: string, status: string, why: { readonly reason: string; readonly message: string }, nowMs: number): object {
  const now = formatTime(nowMs);
  return { type, status, ...why, lastProbeTime: now, lastTransitionTime: now };
}
