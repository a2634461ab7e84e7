/**
 * A small stand-in for scheduler and kubelet: one node, on which every pod runs at once and is ready; pods of a Job
 * succeed; a pod that is deleted is gone. No container ever starts. So the real controllers of workloads bring Deployments
 * to readiness and Jobs to completion.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isConflict, isNotFound, type KubernetesObject } from "@treadle/apimachinery";
import { Node, Pod } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";

const NODE = "stand-in";
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
      await client.patch(Node, { name: NODE }, { type: "merge", body: { status: nodeStatus() } }, { subresource: "status" });
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

/** One step of a pod's life. That it changed or went in between is no matter: the next look sees it. */
async function attend(client: Client, pod: Pod): Promise<void> {
  const { metadata } = pod as KubernetesObject;
  const { spec, status } = pod;
  try {
    if (metadata.deletionTimestamp !== undefined) await client.delete(Pod, metadata, { gracePeriodSeconds: 0 });
    else if (!spec?.nodeName) await bind(client, metadata);
    else if (status?.phase === undefined || status.phase === "Pending")
      await client.patch(Pod, metadata, { type: "merge", body: { status: podStatus(pod) } }, { subresource: "status" });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function bind(client: Client, { name, namespace = "" }: KubernetesObject["metadata"]): Promise<void> {
  const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { apiVersion: "v1", kind: "Node", name: NODE } };
  const headers = { "content-type": "application/json", accept: "application/json" };
  await client.raw({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, headers, body: JSON.stringify(body) });
}

function podStatus({ metadata, spec }: Pod): object {
  const now = new Date().toISOString();
  const isJob = metadata?.ownerReferences?.some(({ kind }) => kind === "Job") === true;
  const state = isJob
    ? { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } }
    : { running: { startedAt: now } };
  const ready = isJob ? { status: "False", reason: "PodCompleted" } : { status: "True" };
  return {
    phase: isJob ? "Succeeded" : "Running",
    startTime: now,
    podIP: "127.0.0.1",
    podIPs: [{ ip: "127.0.0.1" }],
    conditions: [
      { type: "PodScheduled", status: "True", lastTransitionTime: now },
      { type: "Initialized", status: "True", lastTransitionTime: now },
      ...["ContainersReady", "Ready"].map((type) => ({ type, ...ready, lastTransitionTime: now })),
    ],
    containerStatuses: (spec?.containers ?? []).map(({ name, image }) => ({
      name,
      image: image ?? "",
      imageID: "",
      ready: !isJob,
      started: !isJob,
      restartCount: 0,
      state,
    })),
  };
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
