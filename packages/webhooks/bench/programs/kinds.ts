/** The kind and the webhooks of the benchmarks. */
import { defineResource, type UntypedObject } from "@treadle/apimachinery";
import { z } from "zod";
import { type Webhooks, webhooks } from "../../src/index.ts";

const line = z.object({ name: z.string(), text: z.string() });

export const Site = defineResource({
  group: "bench.treadle.dev",
  kind: "Site",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1), lines: z.array(line) }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), lines: z.array(line) }) },
  },
});

export const site: Webhooks = webhooks(Site, {
  problems: ({ spec }) => (spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
  convert: {
    v1alpha1: {
      up: ({ spec: { domain, lines } }) => ({ spec: { host: domain, replicas: 1, lines } }),
      down: ({ spec: { host, lines } }) => ({ spec: { domain: host, lines } }),
    },
  },
});

/** A Site of about so many bytes as JSON. */
export function siteOf(version: "v1" | "v1alpha1", name: string, bytes: number): UntypedObject {
  const lines = Array.from({ length: Math.floor((bytes - 500) / 100) }, (_, at) => ({ name: `line-${at}`, text: "x".repeat(70) }));
  return {
    apiVersion: `bench.treadle.dev/${version}`,
    kind: "Site",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
    },
    spec: { [version === "v1" ? "host" : "domain"]: "a.example.com", lines },
  };
}

export function admissionReview(uid: string, object: UntypedObject): object {
  const { apiVersion, kind, metadata } = object;
  const [group, version] = apiVersion.split("/");
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { group, version, kind },
      resource: { group, version, resource: "sites" },
      requestKind: { group, version, kind },
      requestResource: { group, version, resource: "sites" },
      name: metadata.name,
      namespace: metadata.namespace,
      operation: "CREATE",
      userInfo: { username: "bench", groups: ["system:authenticated"] },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}
