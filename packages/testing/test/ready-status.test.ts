/** `makeReady` and `readyStatus`: objects become ready where no controller runs. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import * as kinds from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { fakeWorld, readyStatus } from "../src/index.ts";
import { rw } from "./rw.ts";

const { DaemonSet, Deployment, HorizontalPodAutoscaler, Ingress, Job, PersistentVolumeClaim, Pod, ReplicaSet, Service, StatefulSet } =
  kinds;

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } };
const selected = { selector: { matchLabels: labels }, template };

const GIVEN: readonly { readonly kind: Kind; readonly spec: object }[] = [
  { kind: Deployment, spec: { replicas: 3, progressDeadlineSeconds: 600, ...selected } },
  { kind: StatefulSet, spec: { replicas: 3, serviceName: "web", ...selected } },
  { kind: DaemonSet, spec: selected },
  { kind: ReplicaSet, spec: selected },
  { kind: Pod, spec: { containers: [{ name: "main", image: "nginx" }] } },
  { kind: Job, spec: { completions: 2, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
  { kind: Service, spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] } },
  { kind: Ingress, spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
  {
    kind: PersistentVolumeClaim,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  {
    kind: HorizontalPodAutoscaler,
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  },
];

test.for(GIVEN)("a $kind.kind that is made ready is Ready, and was not before", async ({ kind, spec }) => {
  const world = fakeWorld(rw, { kinds: [kind] });
  const created = await world.create(kind, { metadata: { name: "web" }, spec } as never); // an object of the kind
  expect(health(created).type).toBe("Pending");
  const made = await world.makeReady(kind, "web");
  expect(health(made)).toMatchObject({ type: "Ready" });
  expect(health(await world.get(kind, "web"))).toMatchObject({ type: "Ready" });
});

test("a custom resource that is made ready gets the condition Ready, and keeps its other conditions", () => {
  const { apiVersion, kind, metadata }: KubernetesObject = {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name: "a", generation: 3 },
  };
  const status = {
    url: "x",
    observedGeneration: 2,
    conditions: [
      { type: "Ready", status: "False" },
      { type: "Painted", status: "False" },
    ],
  };
  const object = { apiVersion, kind, metadata, status };
  expect(readyStatus(object, { nowMs: Date.parse("2026-01-01T00:00:00Z") })).toEqual({
    url: "x",
    observedGeneration: 3,
    conditions: [
      { type: "Painted", status: "False" },
      { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 3 },
    ],
  });
});

test("an object that is being deleted cannot be made ready, and the error has the reason", async () => {
  const world = fakeWorld(rw, { kinds: [Deployment] });
  await world.create(Deployment, { metadata: { name: "web", finalizers: ["example.dev/keep"] }, spec: selected });
  await world.delete(Deployment, "web");
  await expect(world.makeReady(Deployment, "web")).rejects.toThrow(
    "fakeWorld.makeReady: cannot make Deployment web ready: it is Pending (Deleting): it is being deleted: it waits for example.dev/keep",
  );
});
