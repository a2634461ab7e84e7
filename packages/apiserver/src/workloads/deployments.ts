/** The Deployment controller: a ReplicaSet for each template, rollouts with both strategies, and the status. */
import { jsonEqual, keyOf } from "@treadle/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@treadle/apimachinery/kinds";
import { adoptersIn, claim, controllerReference } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { RefusedError } from "./writer.ts";
import {
  countedStatus,
  deadlineMs,
  type DeploymentStatus,
  type Finding,
  hasDeadline,
  isComplete,
  progressing,
  rolloutStatus,
  withCondition,
} from "./deployment-status.ts";
import type { Occurrence, Recorder } from "./events.ts";
import { controllersIn } from "./objects.ts";
import { annotated, replicasOf } from "./replica-counts.ts";
import { HASH_LABEL, nextRevision, REVISION, revisionAnnotations, revisionsOf, scaleAnnotations, templateHash } from "./revisions.ts";
import { currentReplicas, isScaled, planRecreate, planRolling, planScale, type Revisions, type Scaling } from "./rollout.ts";

export function deployments(context: Context): Controller {
  const { objects } = context;
  const record = context.events.recorder("deployment-controller");
  const owners = controllersIn(Deployment);
  const adopters = adoptersIn((namespace) => objects.list(Deployment, namespace));
  // Only the deletion of a pod matters here: a Recreate rollout waits for it.
  const ownersOfPod = (pod: Pod): readonly string[] =>
    controllersIn(ReplicaSet)(pod, undefined).flatMap((key) => {
      const set = objects.get(ReplicaSet, key);
      return set === undefined ? [] : owners(set, undefined);
    });
  return {
    name: "deployment-controller",
    kind: Deployment,
    watches: [
      watch(ReplicaSet, (set, previous) => [...owners(set, previous), ...adopters(set)]),
      watch(Pod, (pod) => (objects.get(Pod, keyOf(pod.metadata)) === undefined ? ownersOfPod(pod) : [])),
    ],
    async sync(key) {
      const deployment = objects.get(Deployment, key);
      if (deployment?.spec === undefined) return undefined;
      return await new Sync(context, deployment, record).run();
    },
  };
}

/** One sync of one Deployment. */
class Sync {
  readonly #context: Context;
  readonly #write: ReturnType<Context["as"]>;
  readonly #recorder: Recorder;
  #deployment: Deployment;

  constructor(context: Context, deployment: Deployment, recorder: Recorder) {
    this.#recorder = recorder;
    this.#context = context;
    this.#write = context.as("deployment-controller");
    this.#deployment = deployment;
  }

  async run(): Promise<number | undefined> {
    const { metadata, spec } = this.#deployment;
    const selector = spec?.selector ?? {};
    const sets = await claim(this.#context.objects, this.#write, { as: Deployment, owner: this.#deployment, selector, kind: ReplicaSet });
    const revisions = revisionsOf(this.#deployment, sets);
    if (metadata.deletionTimestamp !== undefined) return await this.#tell(this.#counted(revisions));
    await this.#notePause();
    if (spec?.paused === true || isScaled(this.#deployment, revisions)) return await this.#scale(await this.#number(revisions));
    return spec?.strategy?.type === "Recreate" ? await this.#recreate(revisions) : await this.#roll(revisions);
  }

  /** Scales the sets to the desired number without continuing the rollout. */
  async #scale(revisions: Revisions): Promise<number | undefined> {
    await this.#perform(planScale(this.#deployment, revisions));
    if (this.#deployment.spec?.paused === true) await this.#forget(revisions.old);
    return await this.#tell(this.#counted(revisions));
  }

  async #roll(revisions: Revisions): Promise<number | undefined> {
    const { current, old } = await this.#withCurrent(revisions);
    if (current === undefined) return undefined;
    const plan = planRolling(this.#deployment, current, old);
    await this.#perform(plan);
    if (plan.length === 0 && this.#isComplete()) await this.#forget(old);
    return await this.#tell(rolloutStatus(this.#deployment, { current, old }, this.#nowMs));
  }

  async #recreate(given: Revisions): Promise<number | undefined> {
    const known = await this.#number(given);
    const down = planRecreate(known.old);
    await this.#perform(down);
    if (down.length > 0 || this.#runsOld(known)) return await this.#tell(rolloutStatus(this.#deployment, known, this.#nowMs));
    const { current, old } = known.current === undefined ? await this.#withCurrent(known) : known;
    if (current === undefined) return undefined;
    await this.#perform(
      replicasOf(current) === replicasOf(this.#deployment) ? [] : [{ set: current, replicas: replicasOf(this.#deployment) }],
    );
    if (this.#isComplete()) await this.#forget(old);
    return await this.#tell(rolloutStatus(this.#deployment, { current, old }, this.#nowMs));
  }

  /** Reports whether pods of other templates exist, including those that are being deleted. */
  #runsOld({ old }: Revisions): boolean {
    return old.some((set) => {
      const pods = this.#context.objects.controlled(Pod, set);
      return (set.status?.replicas ?? 0) > 0 || pods.some(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
    });
  }

  /** Reports the start and the end of a pause, during which no deadline runs. */
  async #notePause(): Promise<void> {
    const condition = progressing(this.#deployment);
    if (!hasDeadline(this.#deployment) || condition?.reason === "ProgressDeadlineExceeded") return;
    const isNoted = condition?.reason === "DeploymentPaused";
    const isPaused = this.#deployment.spec?.paused === true;
    if (isNoted === isPaused) return;
    const [reason, message] = isPaused ? ["DeploymentPaused", "Deployment is paused"] : ["DeploymentResumed", "Deployment is resumed"];
    await this.#note({ type: "Progressing", status: "Unknown", reason, message }, undefined);
  }

  /** Returns the revisions with a set for the current template, which is created if it is missing. */
  async #withCurrent(revisions: Revisions): Promise<Revisions> {
    if (revisions.current !== undefined) return await this.#number(revisions);
    const deployment = this.#deployment;
    const { metadata, spec } = deployment;
    const hash = templateHash(spec?.template ?? {}, deployment.status?.collisionCount);
    const labels = { ...spec?.template.metadata?.labels, [HASH_LABEL]: hash };
    const revision = nextRevision(revisions.old);
    const draft = {
      metadata: {
        name: `${metadata.name}-${hash}`,
        labels,
        annotations: { ...revisionAnnotations(deployment, undefined, revision), ...scaleAnnotations(deployment) },
        ownerReferences: [controllerReference(Deployment, deployment)],
      },
      spec: {
        replicas: currentReplicas(deployment, undefined, revisions.old),
        minReadySeconds: spec?.minReadySeconds,
        selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [HASH_LABEL]: hash } },
        template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
      },
    };
    try {
      const current = await this.#write.create(ReplicaSet, metadata.namespace, draft);
      const replicas = replicasOf(current);
      if (replicas > 0)
        this.#record({ reason: "ScalingReplicaSet", message: `Scaled up replica set ${current.metadata.name} from 0 to ${replicas}` });
      const message = `Created new replica set "${current.metadata.name}"`;
      await this.#note(
        hasDeadline(deployment) ? { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message } : undefined,
        revision,
      );
      return { ...revisions, current };
    } catch (error) {
      if (error instanceof RefusedError) await this.#noteRefusal(error, draft.metadata.name);
      throw error;
    }
  }

  async #noteRefusal(error: RefusedError, name: string): Promise<void> {
    const { status } = this.#deployment;
    // The name belongs to another template or another owner, so the next one has another hash.
    if (error.reason === "AlreadyExists") return void (await this.#tell({ ...status, collisionCount: (status?.collisionCount ?? 0) + 1 }));
    if (error.isOfEndingNamespace) return;
    const finding = { reason: "ReplicaSetCreateError", message: `Failed to create new replica set "${name}": ${error.message}` };
    if (hasDeadline(this.#deployment)) await this.#note({ type: "Progressing", status: "False", ...finding }, undefined);
    this.#record({ type: "Warning", ...finding });
  }

  /** Gives the current set its number and annotations, and then the Deployment the number. */
  async #number(revisions: Revisions): Promise<Revisions> {
    const { current, old } = revisions;
    if (current === undefined) return revisions;
    const annotations = revisionAnnotations(this.#deployment, current, nextRevision(old));
    const minReadySeconds = this.#deployment.spec?.minReadySeconds;
    if (!jsonEqual(annotations, current.metadata.annotations ?? {}) || (minReadySeconds ?? 0) !== (current.spec?.minReadySeconds ?? 0)) {
      const draft = { ...current, metadata: { ...current.metadata, annotations }, spec: { ...current.spec, minReadySeconds } };
      return { ...revisions, current: await this.#write.update(ReplicaSet, draft) };
    }
    const isFound = hasDeadline(this.#deployment) && progressing(this.#deployment) === undefined;
    const message = `Found new replica set "${current.metadata.name}"`;
    await this.#note(
      isFound ? { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message } : undefined,
      annotated(current, REVISION),
    );
    return revisions;
  }

  /** Writes a condition and the number of the revision to the Deployment, unless they are there. */
  async #note(finding: Finding | undefined, revision: number | undefined): Promise<void> {
    const { metadata, status } = this.#deployment;
    const before = status?.conditions ?? [];
    const conditions = finding === undefined ? before : withCondition(before, finding, this.#nowMs);
    const isNumbered = revision === undefined || metadata.annotations?.[REVISION] === String(revision);
    if (conditions === before && isNumbered) return;
    const annotations = revision === undefined ? metadata.annotations : { ...metadata.annotations, [REVISION]: String(revision) };
    const draft = { ...this.#deployment, metadata: { ...metadata, annotations }, status: { ...status, conditions } };
    this.#deployment = await this.#write.updateStatus(Deployment, draft as Deployment);
  }

  async #perform(plan: readonly Scaling[]): Promise<void> {
    for (const { set, replicas } of plan) {
      const annotations = { ...set.metadata.annotations, ...scaleAnnotations(this.#deployment) };
      if (replicas === replicasOf(set) && jsonEqual(annotations, set.metadata.annotations)) continue;
      const draft = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } };
      await this.#write.update(ReplicaSet, draft);
      const before = replicasOf(set);
      const change = `Scaled ${before < replicas ? "up" : "down"} replica set ${set.metadata.name} from ${before} to ${replicas}`;
      if (replicas !== before) this.#record({ reason: "ScalingReplicaSet", message: change });
    }
  }

  #record(occurrence: Occurrence): void {
    this.#recorder(Deployment, this.#deployment, occurrence);
  }

  /** Deletes the oldest revisions without pods beyond the limit. */
  async #forget(old: readonly ReplicaSet[]): Promise<void> {
    const limit = this.#deployment.spec?.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return;
    const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const sorted = alive.toSorted((a, b) => (annotated(a, REVISION) ?? 0) - (annotated(b, REVISION) ?? 0));
    for (const set of sorted.slice(0, Math.max(0, alive.length - limit))) {
      const { metadata, status } = set;
      const isEmpty =
        replicasOf(set) === 0 && (status?.replicas ?? 0) === 0 && (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
      if (isEmpty) await this.#write.delete(ReplicaSet, set);
    }
  }

  /** Writes the status if it differs, and returns when the deadline ends. */
  async #tell(status: DeploymentStatus): Promise<number | undefined> {
    if (!jsonEqual(status, this.#deployment.status))
      this.#deployment = await this.#write.updateStatus(Deployment, { ...this.#deployment, status } as Deployment);
    const dueMs = deadlineMs(this.#deployment, status);
    // The deadline has ended when its time is past. Times are in whole seconds.
    return dueMs === undefined || this.#deployment.spec?.paused === true ? undefined : dueMs + 1000 - this.#nowMs;
  }

  #counted(revisions: Revisions): DeploymentStatus {
    return countedStatus(this.#deployment, revisions, this.#nowMs);
  }

  #isComplete(): boolean {
    return isComplete(this.#deployment, this.#deployment.status ?? {});
  }

  get #nowMs(): number {
    return this.#context.clock.now();
  }
}
