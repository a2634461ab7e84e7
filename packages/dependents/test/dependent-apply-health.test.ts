/** When a dependent is ready without a `readyWhen`: as `health()` says. One story for each kind that holds up later steps. */
import "@treadle/testing/matchers";
import { kind as kindOf, type Kind, metadataOnly } from "@treadle/apimachinery";
import * as kinds from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentApply, type DependentStep } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { entries, page, said, Site, site } from "./sites.ts";

const { ConfigMap, CustomResourceDefinition, DaemonSet, Deployment, HorizontalPodAutoscaler, Ingress, Job, PersistentVolumeClaim } = kinds;
const { PersistentVolume, Pod, ReplicaSet, Secret, Service, StatefulSet } = kinds;

const labels = { app: "web" };
const containers = [{ name: "main", image: "nginx" }];
const template = { metadata: { labels }, spec: { containers } };
const selected = { selector: { matchLabels: labels }, template };

interface Given {
  readonly name: string;
  readonly kind: Kind;
  readonly spec: object;
  /** Reason of the entry while the object is not ready. */
  readonly reason: string;
}

const WAITING: readonly Given[] = [
  { name: "Deployment", kind: Deployment, spec: { replicas: 2, ...selected }, reason: "GenerationNotObserved" },
  { name: "StatefulSet", kind: StatefulSet, spec: { replicas: 2, serviceName: "web", ...selected }, reason: "GenerationNotObserved" },
  { name: "DaemonSet", kind: DaemonSet, spec: selected, reason: "GenerationNotObserved" },
  { name: "ReplicaSet", kind: ReplicaSet, spec: selected, reason: "GenerationNotObserved" },
  { name: "Pod", kind: Pod, spec: { containers }, reason: "NotStarted" },
  { name: "Job", kind: Job, spec: { template: { spec: { containers, restartPolicy: "Never" } } }, reason: "NotStarted" },
  {
    name: "Service of type LoadBalancer",
    kind: Service,
    spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] },
    reason: "NoAddress",
  },
  { name: "Ingress", kind: Ingress, spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } }, reason: "NoAddress" },
  {
    name: "HorizontalPodAutoscaler",
    kind: HorizontalPodAutoscaler,
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    reason: "NotActive",
  },
  {
    name: "PersistentVolume",
    kind: PersistentVolume,
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
    reason: "NotAvailable",
  },
];

/** A handler with the object, and then a ConfigMap that is created when the object is ready. */
function worldWith(kind: Kind, desired: object, options: object = {}): FakeWorld {
  const first = dependentApply(Site, { name: "first", kind, objectName: "web", desired, ...options } as never) as DependentStep<Site>;
  return fakeWorld(handler(Site).step(conditions()).step(first).step(page()).build(), { objects: [site()], kinds: [kind] });
}

const isNext = async (world: FakeWorld): Promise<boolean> => (await world.get(ConfigMap, "a-page")) !== undefined;

describe("a later step", () => {
  test.for(WAITING)("waits for a $name until it is ready", async ({ kind, spec, reason }) => {
    const world = worldWith(kind, { spec });
    await world.settled();
    expect(await said(world)).toEqual([`first Pending/${reason}`]);
    expect(await isNext(world)).toBe(false);
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "Unknown", reason });

    await world.makeReady(kind, "web");
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
    expect(await isNext(world)).toBe(true);
    expect(await world.get(Site, "a")).toBeReady();
  });

  test.for(WAITING)("does not wait for a $name with readyWhen: () => true, as before health()", async ({ kind, spec }) => {
    const world = worldWith(kind, { spec }, { readyWhen: () => true });
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
  });

  test("waits for a CustomResourceDefinition until its kind is served", async () => {
    const names = { plural: "things", kind: "Thing" };
    const schema = { openAPIV3Schema: { type: "object" as const } };
    const spec = { group: "other.dev", scope: "Namespaced", names, versions: [{ name: "v1", served: true, storage: true, schema }] };
    const world = worldWith(CustomResourceDefinition, { spec }, { objectName: "things.other.dev" });
    await world.settled();
    // The server establishes it by itself.
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
  });

  test("does not wait for a claim that is not bound: the pod that binds it may come later", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const world = worldWith(PersistentVolumeClaim, { spec });
    await world.settled();
    expect(await said(world)).toEqual(["first Ready/Unbound", "page Ready"]);
    expect(await world.get(Site, "a")).toBeReady();
    await world.makeReady(PersistentVolumeClaim, "web");
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
    await world.updateStatus(PersistentVolumeClaim, "web", (claim) => void (claim.status = { phase: "Lost" }));
    await world.settled();
    expect(await said(world)).toContain("first Failed/Lost");
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "Lost", message: /no longer exists/ });
  });

  test.for([
    { kind: Service, desired: { spec: { ports: [{ port: 80 }] } } },
    { kind: Secret, desired: { stringData: { password: "secret" } } },
    { kind: ConfigMap, desired: { data: { text: "x" } } },
  ])("does not wait for a $kind.kind that exists", async ({ kind, desired }) => {
    const world = worldWith(kind, desired);
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
  });

  test("does not wait for an object whose step reads its metadata only", async () => {
    const world = worldWith(metadataOnly(Deployment), {}, { created: false, updated: false, desired: undefined });
    await world.create(Deployment, { metadata: { name: "web" }, spec: selected });
    await world.settled();
    expect(await said(world)).toEqual(["first Ready", "page Ready"]);
  });
});

const Widget = kindOf({ group: "other.dev", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" });

test("a custom resource without a status is ready, and afterwards its condition Ready decides", async () => {
  const world = worldWith(Widget, { spec: { size: 1 } });
  await world.settled();
  expect(await said(world)).toEqual(["first Ready", "page Ready"]);
  const setReady = async (status: string): Promise<void> => {
    await world.updateStatus(Widget, "web", (object) => {
      const condition = { type: "Ready", status, reason: "DiskFull", message: "the disk is full" };
      (object as { status?: unknown }).status = { conditions: [condition] };
    });
    await world.settled();
  };
  await setReady("False");
  expect(await entries(world)).toMatchObject([{ step: "first", type: "Pending", reason: "DiskFull", message: "the disk is full" }, {}]);
  await setReady("True");
  expect(await said(world)).toEqual(["first Ready", "page Ready"]);
});

test("a Job that failed makes its entry Failed and the owner not Ready, and the step goes on when it is replaced", async () => {
  const world = worldWith(Job, { spec: { template: { spec: { containers, restartPolicy: "Never" } } } });
  await world.settled();
  await world.updateStatus(Job, "web", (job) => {
    const failed = { status: "True", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
    const conditionsOfJob = ["FailureTarget", "Failed"].map((type) => ({ type, ...failed }));
    job.status = { startTime: "2026-01-01T00:00:00Z" as never, failed: 7, conditions: conditionsOfJob };
  });
  await world.settled();
  expect(await entries(world)).toMatchObject([
    { step: "first", type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" },
  ]);
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "BackoffLimitExceeded" });
  // The step waits for a change of the Job, and for nothing else: no failure, and no short backoff.
  expect(world.dueIn("a")).toBe(600_000);

  await world.delete(Job, "web");
  await world.settled();
  await world.makeReady(Job, "web");
  await world.settled();
  expect(await said(world)).toEqual(["first Ready", "page Ready"]);
});

test("an object that is not ready is judged in each pass, without a request", async () => {
  const world = worldWith(Deployment, { spec: selected });
  await world.settled();
  world.requests.clear();
  for (let i = 0; i < 3; i++) await world.pass("a");
  expect(world.requests.length).toBe(0);
  expect(await said(world)).toEqual(["first Pending/GenerationNotObserved"]);
});

test("a new version of a Deployment holds up later steps until it is rolled out", async () => {
  const web = dependentApply(Site, {
    name: "first",
    kind: Deployment,
    objectName: "web",
    desired: ({ spec }) => ({
      spec: { ...selected, template: { ...template, spec: { containers: [{ name: "main", image: spec.text }] } } },
    }),
  });
  const world = fakeWorld(handler(Site).step(conditions()).step(web).step(page()).build(), { objects: [site()] });
  await world.settled();
  await world.makeReady(Deployment, "web");
  await world.settled();
  expect(await world.get(Site, "a")).toBeReady();

  await world.update(Site, "a", ({ spec }) => void (spec.text = "v2"));
  await world.settled();
  expect(await entries(world)).toMatchObject([
    {
      type: "Pending",
      reason: "GenerationNotObserved",
      message: "its controller has not seen generation 2 yet: it reports on generation 1",
    },
    {},
  ]);
  expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  await world.makeReady(Deployment, "web");
  await world.settled();
  expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "v2" });
});
