/** Manifests as tools write them: no write, event or status in steady state. After a restart one write may find out what the server stores. */
import { defineResource } from "@treadle/apimachinery";
import { startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Manifest } from "../../src/index.ts";
import { KINDS, Platform, platform, platforms } from "./platforms.ts";
import { CronJob, DaemonSet, StatefulSet } from "@treadle/apimachinery/kinds";
import { ClusterRole, Role, RoleBinding, ServiceAccount } from "@treadle/apimachinery/kinds";

const pod = {
  metadata: { creationTimestamp: null, labels: { app: "x" }, annotations: null },
  spec: {
    volumes: null,
    containers: [
      {
        name: "c",
        image: "busybox",
        resources: {},
        env: [
          { name: "A", value: "" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP", name: "u" }],
        securityContext: null,
        livenessProbe: { httpGet: { path: "/", port: "u" } },
      },
    ],
    securityContext: {},
    nodeSelector: null,
    tolerations: [],
  },
};

const manifests: Record<string, object> = {
  "a ConfigMap with null": {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "m1", creationTimestamp: null, labels: null },
    data: { a: "1", b: null },
    binaryData: null,
  },
  "an empty ConfigMap": { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m2" }, data: {}, immutable: false },
  "a ConfigMap with prototype keys": {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "m3" },
    data: { constructor: "1", toString: "2" },
  },
  "a Secret": { apiVersion: "v1", kind: "Secret", metadata: { name: "s1" }, stringData: { a: "x" }, data: null, type: "Opaque" },
  "a Secret with base64 of another form": { apiVersion: "v1", kind: "Secret", metadata: { name: "s2" }, data: { a: "eA==\n" } },
  "a Service with null": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "v1" },
    spec: { clusterIP: "None", ports: [{ name: "a", port: 80, targetPort: null }], selector: null, type: "" },
    status: { loadBalancer: {} },
  },
  "a Service with two ports of one number": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "v2" },
    spec: {
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80, protocol: "UDP" },
      ],
    },
  },
  "a Deployment of kubebuilder": {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d1", creationTimestamp: null },
    spec: { replicas: 0, selector: { matchLabels: { app: "x" } }, strategy: {}, template: pod },
    status: {},
  },
  "a Deployment with quantities": {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d2" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "x" } },
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            { name: "c", image: "b", resources: { limits: { cpu: 1, memory: "1024Mi" }, requests: { cpu: "1000m", memory: 1073741824 } } },
          ],
        },
      },
    },
  },
  "a Role": { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: null },
  "a ClusterRole that is aggregated": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "breaker-agg" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "breaker/x": "1" } }] },
    rules: [],
  },
  "a ServiceAccount": { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "sa" }, secrets: [], imagePullSecrets: null },
  "a CronJob": {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "cj" },
    spec: {
      schedule: "0 0 1 1 *",
      suspend: true,
      jobTemplate: {
        metadata: { creationTimestamp: null },
        spec: {
          template: {
            metadata: { creationTimestamp: null },
            spec: { restartPolicy: "Never", containers: [{ name: "c", image: "b", resources: {} }] },
          },
        },
      },
    },
  },
  "a StatefulSet with claims": {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "ss" },
    spec: {
      replicas: 0,
      serviceName: "v1",
      selector: { matchLabels: { app: "x" } },
      template: pod,
      volumeClaimTemplates: [
        {
          metadata: { name: "d", creationTimestamp: null },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
          status: {},
        },
      ],
    },
  },
  "a CRD of controller-gen": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "brokens.broken.dev", creationTimestamp: null },
    spec: {
      group: "broken.dev",
      names: { kind: "Broken", plural: "brokens" },
      scope: "Namespaced",
      preserveUnknownFields: false,
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: null,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "string", default: "x" } } } },
            },
          },
        },
      ],
    },
    status: { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: null },
  },
  "a Namespace": { apiVersion: "v1", kind: "Namespace", metadata: { name: "breaker-ns", labels: { a: "" } }, spec: {} },
};

const kinds = [...KINDS, Role, ClusterRole, RoleBinding, ServiceAccount, CronJob, StatefulSet, DaemonSet];
const Broken = defineResource({ group: "broken.dev", version: "v1", kind: "Broken", scope: "Namespaced", spec: z.object({}) });
const permissions = [{ kind: Broken, verbs: ["list"] as const }];

describe("a manifest", () => {
  test.for(
    Object.keys(manifests).flatMap(
      (name) =>
        [
          [name, "apply"],
          [name, "replace"],
        ] as const,
    ),
  )("%s: is not written in steady state, and at most once after a restart (%s)", { tags: ["memory"] }, async ([name, update]) => {
    const make = () =>
      platforms({
        objects: () => [structuredClone(manifests[name]) as Manifest],
        kinds,
        permissions,
        replaces: true,
        defaults: { update },
      });
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(make());
    await cluster.settled();
    cluster.requests.clear();
    for (let i = 0; i < 3; i++) {
      await cluster.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/touched": String(i) }));
      await cluster.settled();
    }
    const writes = () =>
      cluster.requests.writes.filter(({ resource, subresource }) => resource !== "platforms" || subresource === "status");
    const steady = writes().map((r) => `${r.verb} ${r.resource} ${r.subresource ?? ""}`);
    await first.stop();
    cluster.requests.clear();
    await cluster.start(make());
    await cluster.settled();
    const restarted = writes().map((r) => `${r.verb} ${r.resource} ${r.subresource ?? ""}`);
    expect({ steady, restarted: restarted.length <= 2 ? [] : restarted }).toEqual({ steady: [], restarted: [] });
    await cluster.delete(Platform, "a");
    cluster.requests.clear();
    await cluster.settled({ horizonMs: 30_000 });
    expect(await cluster.get(Platform, "a")).toBeUndefined();
  });
});
