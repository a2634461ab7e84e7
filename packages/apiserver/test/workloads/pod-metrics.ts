/**
 * Metrics of pods on a real control plane without metrics-server: a CRD with the kind that the controllers read. They list its
 * objects as they would list those of metrics-server.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import type { Json } from "../conformance/session.ts";
import type { Theatre } from "./play.ts";

const GROUP = "metrics.k8s.io";
const VERSION = "v1beta1";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ATTEMPTS = 100;
const PAUSE_MS = 100;

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `pods.${GROUP}`, annotations: { "api-approved.kubernetes.io": "unapproved, for tests" } },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "pods", kind: "PodMetrics" },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Runs `play` in a cluster with metrics. Afterwards it has none again. */
export async function withMetrics(transport: Transport, play: () => Promise<void>): Promise<void> {
  await send(transport, "POST", DEFINITIONS, definition);
  try {
    for (let attempt = 0; attempt < ATTEMPTS && (await send(transport, "GET", `/apis/${GROUP}/${VERSION}/pods`)) !== 200; attempt++)
      await delay(PAUSE_MS);
    await play();
  } finally {
    await send(transport, "DELETE", `${DEFINITIONS}/${definition.metadata.name}`);
  }
}

/** Returns a function that replaces the metrics of pods. */
export function reporter(transport: Transport): Theatre["report"] {
  return async (pods, use) => {
    for (const { metadata, spec } of pods) {
      const { name, namespace, labels } = metadata;
      const path = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/pods`;
      await send(transport, "DELETE", `${path}/${name}`);
      await send(transport, "POST", path, {
        apiVersion: `${GROUP}/${VERSION}`,
        kind: "PodMetrics",
        metadata: { name, namespace, labels },
        timestamp: new Date().toISOString(),
        window: "0s",
        // The use of the pod is that of its first container.
        containers: (spec.containers as Json[]).slice(0, 1).map((container) => ({ name: container["name"], usage: use })),
      });
    }
  };
}

async function send(transport: Transport, method: ApiRequest["method"], path: string, body?: object): Promise<number> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const { status } = await transport.request({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return status;
}
