/** The objects of the benchmarks: a custom kind and ConfigMaps of about 1 KB, written by create or by apply. */
import type { CustomResourceDefinitionInput } from "@treadle/apimachinery";

export interface Workload {
  readonly name: string;
  /** Path of the collection. */
  readonly path: string;
  readonly objectOf: (i: number, value: number) => object;
}

export interface RawRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export const WIDGETS: CustomResourceDefinitionInput = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.bench.treadle.dev" },
  spec: {
    group: "bench.treadle.dev",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 0 },
                  text: { type: "string" },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, value: { type: "string", maxLength: 200 } },
                    },
                  },
                },
              },
              status: { type: "object", properties: { ready: { type: "boolean" } } },
            },
          },
        },
      },
    ],
  },
};

const labels = { app: "bench", "app.kubernetes.io/name": "bench" };

export const configMaps: Workload = {
  name: "ConfigMap",
  path: "/api/v1/namespaces/default/configmaps",
  objectOf: (i, value) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `bench-${i}`, namespace: "default", labels },
    data: { value: String(value), text: "x".repeat(400), more: "y".repeat(380) },
  }),
};

/** A custom kind with a list-map of six items, which an apply merges one by one. */
export const widgets: Workload = {
  name: "custom kind",
  path: "/apis/bench.treadle.dev/v1/namespaces/default/widgets",
  objectOf: (i, value) => ({
    apiVersion: "bench.treadle.dev/v1",
    kind: "Widget",
    metadata: { name: `bench-${i}`, namespace: "default", labels },
    spec: {
      size: value,
      text: "x".repeat(400),
      parts: Array.from({ length: 6 }, (_, k) => ({ name: `part-${k}`, value: "y".repeat(40) })),
    },
  }),
};

export const pods: Workload = {
  name: "Pod",
  path: "/api/v1/namespaces/default/pods",
  objectOf: (i) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `bench-${i}`, namespace: "default", labels },
    spec: { containers: [{ name: "main", image: "example.com/main:1", env: [{ name: "TEXT", value: "x".repeat(300) }] }] },
  }),
};

export function createOf({ path, objectOf }: Workload, i: number): RawRequest {
  return { method: "POST", path, contentType: "application/json", body: JSON.stringify(objectOf(i, i)) };
}

/** Returns an apply that changes one field; `objects` objects take turns. */
export function applyOf({ path, objectOf }: Workload, i: number, objects: number): RawRequest {
  const name = i % objects;
  return {
    method: "PATCH",
    path: `${path}/bench-${name}?fieldManager=bench&force=true`,
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(objectOf(name, i)),
  };
}
