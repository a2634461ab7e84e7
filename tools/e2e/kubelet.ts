/**
 * A small stand-in for scheduler and kubelet: one node, on which every pod runs at once and is ready; pods of a Job
 * succeed; a pod that is deleted is gone. No container ever starts. So the real controllers of workloads bring Deployments
 * to readiness and Jobs to completion.
 *
 * A pod that is to behave otherwise has the label {@link BEHAVIOUR}: `not-ready`, it runs and is never ready; `runs`, it runs
 * and is ready even when it is a Job's; `exit-N`, its containers have ended with N. Nodes with that label are looked after too.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isConflict, isNotFound, type KubernetesObject } from "@treadle/apimachinery";
import { Node, Pod } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";

const NODE = "stand-in";
const BEHAVIOUR = "treadle.dev/stand-in";
const POLL_MS = 200;
/** The node lifecycle controller gives a silent node 50 s. */
const HEARTBEAT_MS = 10_000;

/** Makes the node and looks after pods until it is disposed of. */
export async function startKubelet(client: Client, log: (line: string) => void): Promise<AsyncDisposable> {
  await client.create(Node, { metadata: { name: NODE } });
  const ended = new AbortController();
  let beatenAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    if (performance.now() - beatenAt > HEARTBEAT_MS) {
      const others = await client.list(Node, { labelSelector: BEHAVIOUR });
      for (const name of [NODE, ...others.items.map(({ metadata }) => metadata?.name ?? "")]) await beat(client, name);
      beatenAt = performance.now();
    }
    const { items } = await client.list(Pod);
    await Promise.all(items.map((pod) => attend(client, pod)));
  };
  const loop = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await look().catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
      await delay(POLL_MS, undefined, { signal: ended.signal }).catch(() => undefined); // The end.
    }
  };
  const looping = loop();
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await looping;
    },
  };
}

async function beat(client: Client, name: string): Promise<void> {
  try {
    await client.patch(Node, { name }, { type: "merge", body: { status: nodeStatus() } }, { subresource: "status" });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** One step of a pod's life. That it changed or went in between is no matter: the next look sees it. */
async function attend(client: Client, pod: Pod): Promise<void> {
  const { metadata } = pod as KubernetesObject;
  const { spec, status } = pod;
  try {
    if (metadata.deletionTimestamp !== undefined) await client.delete(Pod, metadata, { gracePeriodSeconds: 0 });
    else if (!spec?.nodeName) await bind(client, metadata, nodeOf(pod));
    else if (status?.phase === undefined || status.phase === "Pending")
      await client.patch(Pod, metadata, { type: "merge", body: { status: podStatus(pod) } }, { subresource: "status" });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Pods of a DaemonSet say which node they are for. */
function nodeOf({ spec }: Pod): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = terms.flatMap(({ matchFields = [] }) => matchFields.filter(({ key }) => key === "metadata.name"));
  return names[0]?.values?.[0] ?? NODE;
}

async function bind(client: Client, { name, namespace = "" }: KubernetesObject["metadata"], node: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { apiVersion: "v1", kind: "Node", name: node } };
  const headers = { "content-type": "application/json", accept: "application/json" };
  await client.raw({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, headers, body: JSON.stringify(body) });
}

function podStatus({ metadata, spec }: Pod): object {
  const now = new Date().toISOString();
  const ip = addressOf(metadata?.uid ?? "");
  const behaviour = metadata?.labels?.[BEHAVIOUR];
  const isJob = metadata?.ownerReferences?.some(({ kind }) => kind === "Job") === true;
  const exitCode =
    behaviour?.startsWith("exit-") === true ? Number(behaviour.slice("exit-".length)) : isJob && behaviour === undefined ? 0 : undefined;
  const hasEnded = exitCode !== undefined;
  const isReady = !hasEnded && behaviour !== "not-ready";
  const state = hasEnded
    ? { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: now, finishedAt: now } }
    : { running: { startedAt: now } };
  const ready = isReady
    ? { status: "True" }
    : hasEnded
      ? { status: "False", reason: exitCode === 0 ? "PodCompleted" : "PodFailed" }
      : { status: "False", reason: "ContainersNotReady", message: "the stand-in was told that it is never ready" };
  return {
    phase: !hasEnded ? "Running" : exitCode === 0 ? "Succeeded" : "Failed",
    startTime: now,
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [
      { type: "PodScheduled", status: "True", lastTransitionTime: now },
      { type: "Initialized", status: "True", lastTransitionTime: now },
      ...["ContainersReady", "Ready"].map((type) => ({ type, ...ready, lastTransitionTime: now })),
    ],
    containerStatuses: (spec?.containers ?? []).map(({ name, image }) => ({
      name,
      image: image ?? "",
      imageID: "",
      ready: isReady,
      started: !hasEnded,
      restartCount: 0,
      state,
    })),
  };
}

/** Nobody listens there. An address of this machine would not do: endpoints may not be on a loopback interface. */
function addressOf(uid: string): string {
  return `10.244.${Number.parseInt(uid.slice(0, 2), 16)}.${Number.parseInt(uid.slice(2, 4), 16)}`;
}

function nodeStatus(): object {
  const now = new Date().toISOString();
  const resources = { cpu: "64", memory: "256Gi", pods: "1000" };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [{ type: "Ready", status: "True", reason: "StandIn", message: "", lastHeartbeatTime: now, lastTransitionTime: now }],
  };
}
