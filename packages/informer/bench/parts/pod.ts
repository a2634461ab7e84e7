/** Pods like those of a cluster, for benchmarks. */
import type { UntypedObject } from "@treadle/apimachinery";

/** About 5 KB of JSON, of which two entries of managedFields are a third. */
export function pod(i: number): UntypedObject {
  const fields = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`f:field-${n}`, { ".": {}, "f:name": {}, "f:value": {} }]));
  const env = Array.from({ length: 20 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `the value number ${n} of pod ${i}` }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${i}`,
      namespace: `ns-${i % 50}`,
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(1_000_000 + i),
      labels: { app: `app-${i % 100}`, tier: "backend", "pod-template-hash": `hash${i % 500}` },
      annotations: { "example.dev/checksum": `${i}`.repeat(8), "example.dev/note": "x".repeat(400) },
      managedFields: [1, 2].map((n) => ({
        manager: `manager-${n}`,
        operation: "Update" as const,
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: fields,
      })),
    },
    spec: {
      containers: [1, 2].map((n) => ({
        name: `c${n}`,
        image: `registry.example.dev/image-${i % 30}:v1`,
        env: n === 1 ? env : env.slice(0, 8),
      })),
    },
    status: {
      phase: "Running",
      podIP: `10.0.${i >> 8}.${i & 255}`,
      conditions: ["Ready", "Initialized"].map((type) => ({ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" })),
    },
  };
}
