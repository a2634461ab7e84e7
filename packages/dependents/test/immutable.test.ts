/** Desired changes of fields that the server does not let change: the five fields of the built-in kinds, with each policy. */
import "@treadle/testing/matchers";
import { defineResource, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { Deployment, Job, PersistentVolumeClaim, RoleBinding, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, type DependentEntry, dependentsOf, type OnImmutable } from "../src/index.ts";

const Plant = defineResource({
  group: "immutable.example.dev",
  version: "v1",
  kind: "Plant",
  scope: "Namespaced",
  spec: z.object({
    variant: z.string().default("one"),
    claims: z.enum(["Retain", "Delete"]).default("Retain"),
    broken: z.boolean().default(false),
  }),
  status: z.object({}),
  dependents: true,
  stepState: true,
});
type Spec = { readonly variant: string; readonly claims: "Retain" | "Delete"; readonly broken: boolean };

const pods = (labels: Record<string, string>, image = "example.dev/app:1") => ({
  metadata: { labels },
  spec: { containers: [{ name: "app", image }] },
});
const task = (image: string) => ({ spec: { restartPolicy: "Never", containers: [{ name: "task", image }] } });

interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly path: string;
  readonly desired: (spec: Spec) => object;
  readonly valueOf: (live: never) => unknown;
  readonly values: readonly [unknown, unknown];
}

const FIELDS: readonly Case[] = [
  {
    name: "the template of a Job",
    kind: Job,
    path: "spec.template",
    desired: ({ variant }) => ({ spec: { template: task(`example.dev/task:${variant}`) } }),
    valueOf: (live: Job) => live.spec?.template.spec?.containers[0]?.image,
    values: ["example.dev/task:one", "example.dev/task:two"],
  },
  {
    name: "the volumeClaimTemplates of a StatefulSet",
    kind: StatefulSet,
    path: "spec.volumeClaimTemplates",
    desired: ({ variant, claims }) => ({
      spec: {
        replicas: 1,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: pods({ app: "db" }),
        persistentVolumeClaimRetentionPolicy: { whenDeleted: claims, whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: variant === "one" ? "1Gi" : "2Gi" } } },
          },
        ],
      },
    }),
    valueOf: (live: StatefulSet) => live.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"],
    values: ["1Gi", "2Gi"],
  },
  {
    name: "the roleRef of a RoleBinding",
    kind: RoleBinding,
    path: "roleRef",
    desired: ({ variant }) => ({ roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: variant } }),
    valueOf: (live: RoleBinding) => live.roleRef.name,
    values: ["one", "two"],
  },
  {
    name: "the selector of a Deployment",
    kind: Deployment,
    path: "spec.selector",
    desired: ({ variant }) => ({
      spec: { replicas: 0, selector: { matchLabels: { [variant]: "web" } }, template: pods({ one: "web", two: "web" }) },
    }),
    valueOf: (live: Deployment) => Object.keys(live.spec?.selector.matchLabels ?? {})[0],
    values: ["one", "two"],
  },
  {
    name: "the clusterIP of a Service",
    kind: Service,
    path: "spec.clusterIP",
    desired: ({ variant }) => ({
      spec: {
        selector: { app: "web" },
        ports: [{ port: 80 }],
        ...(variant === "one" ? { clusterIP: "None" } : { clusterIP: "10.0.0.77" }),
      },
    }),
    valueOf: (live: Service) => live.spec?.clusterIP,
    values: ["None", "10.0.0.77"],
  },
];

function plantHandler(given: Pick<Case, "kind" | "desired">, onImmutable?: OnImmutable) {
  const part = dependentApply(Plant, {
    name: "part",
    kind: given.kind,
    // The cases are of several kinds.
    desired: (plant) => given.desired(plant.spec) as never,
    readyWhen: () => true,
    ...(onImmutable === undefined ? {} : { onImmutable }),
  });
  return handler(Plant).step(conditions()).step(part).build();
}

async function started(cluster: TestCluster, ...of: Parameters<typeof plantHandler>): Promise<TestOperator> {
  const op = await cluster.start(plantHandler(...of));
  await op.settled();
  return op;
}

const role = (name: string) => ({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules: [] });
const OBJECTS = [role("one"), role("two")];
const plant = { apiVersion: "immutable.example.dev/v1", kind: "Plant", metadata: { name: "a", namespace: "default" }, spec: {} };
const entryOf = async (cluster: TestCluster): Promise<DependentEntry | undefined> => dependentsOf((await cluster.get(Plant, "a")) ?? {})[0];
const change = (cluster: TestCluster, spec: Partial<Spec>): Promise<unknown> =>
  cluster.update(Plant, "a", (object) => void Object.assign(object.spec, spec));

test.for(FIELDS.flatMap((field) => (["fail", "recreate", "ignore"] as const).map((policy) => ({ ...field, policy }))))(
  'a desired change of $name with onImmutable: "$policy"',
  async ({ kind, path, desired, valueOf, values, policy }) => {
    await using cluster = await startTestCluster({ workloads: true, objects: [plant, ...OBJECTS] });
    const op = await started(cluster, { kind, desired }, policy);
    const valueNow = async (): Promise<unknown> => valueOf((await cluster.get(kind, "a")) as never);
    const before: KubernetesObject | undefined = await cluster.get(kind, "a");
    expect(await valueNow()).toBe(values[0]);

    await change(cluster, { variant: "two" });
    await op.settled();
    const after: KubernetesObject | undefined = await cluster.get(kind, "a");
    const isSame = after?.metadata.uid === before?.metadata.uid;
    expect({ value: await valueNow(), isSame }).toEqual(
      policy === "recreate" ? { value: values[1], isSame: false } : { value: values[0], isSame: true },
    );
    const entry = await entryOf(cluster);
    if (policy !== "fail") expect(await cluster.get(Plant, "a")).toBeReady();
    else expect(entry).toMatchObject({ type: "Failed", reason: "Immutable", message: expect.stringContaining(`another ${path}`) });

    // The way back ends every policy in the same state.
    await change(cluster, { variant: "one" });
    await op.settled();
    expect(await valueNow()).toBe(values[0]);
    expect(await cluster.get(Plant, "a")).toBeReady();
  },
);

test("a change that the server refused is not sent again until the object or the desired state changes", async () => {
  await using cluster = await startTestCluster({ workloads: true, objects: [plant, ...OBJECTS] });
  const op = await started(cluster, FIELDS[0] as Case);
  await change(cluster, { variant: "two" });
  await op.settled();
  cluster.requests.clear();
  await cluster.update(Plant, "a", (object) => void (object.metadata.labels = { any: "event" }));
  await op.settled();
  expect(cluster.requests.filter({ verb: ["patch"], resource: "jobs" })).toEqual([]);
});

test("a StatefulSet whose claims would be deleted with it is not recreated", async () => {
  await using cluster = await startTestCluster({ workloads: true, objects: [plant, ...OBJECTS] });
  const op = await started(cluster, FIELDS[1] as Case, "recreate");
  await change(cluster, { claims: "Delete" });
  await op.settled();
  const before = await cluster.get(StatefulSet, "a");
  await change(cluster, { variant: "two" });
  await op.settled();
  expect((await cluster.get(StatefulSet, "a"))?.metadata.uid).toBe(before?.metadata.uid);
  expect(await entryOf(cluster)).toMatchObject({
    type: "Failed",
    reason: "Immutable",
    message: expect.stringContaining("whenDeleted to Retain first"),
  });
});

test("an object is not deleted when the server would refuse its successor", async () => {
  await using cluster = await startTestCluster({ workloads: true, objects: [plant, ...OBJECTS] });
  const job = FIELDS[0] as Case;
  const desired = (spec: Spec) =>
    spec.broken ? { spec: { suspend: true, template: { spec: { containers: [{ name: "task", image: "x" }] } } } } : job.desired(spec);
  const op = await started(cluster, { kind: Job, desired }, "recreate");
  const before = await cluster.get(Job, "a");
  await change(cluster, { broken: true });
  await op.settled();
  expect((await cluster.get(Job, "a"))?.metadata).toMatchObject({ uid: before?.metadata.uid });
  expect(await entryOf(cluster)).toMatchObject({ type: "Failed", message: expect.stringContaining("restartPolicy") });
});

test("an adopted object is not recreated", async () => {
  const foreign = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "a", namespace: "default" },
    spec: { template: task("example.dev/theirs:1") },
  };
  await using cluster = await startTestCluster({ workloads: true, objects: [plant, foreign] });
  const part = dependentApply(Plant, {
    name: "part",
    kind: Job,
    adopt: "ifUnowned",
    onImmutable: "recreate",
    desired: () => ({ spec: { template: task("example.dev/ours:1") } }),
  });
  const op = await cluster.start(handler(Plant).step(conditions()).step(part).build());
  const before = await cluster.get(Job, "a");
  await op.settled();
  expect((await cluster.get(Job, "a"))?.metadata.uid).toBe(before?.metadata.uid);
  expect(await entryOf(cluster)).toMatchObject({
    type: "Failed",
    reason: "Immutable",
    message: expect.stringContaining("delete it yourself"),
  });
});

test.for([
  { options: { onImmutable: "recreate", owned: false }, text: "not its own" },
  { options: { onImmutable: "recreate", created: false }, text: "not its own" },
  { options: { once: true, created: false }, text: "another writer creates" },
  { options: { once: true, gives: { phase: () => "Bound" } }, text: "keep them in a ConfigMap" },
] as const)("build() refuses $options", ({ options, text }) => {
  const part = dependentApply(Plant, { name: "part", kind: PersistentVolumeClaim, desired: {}, ...options } as never);
  expect(() => handler(Plant).step(conditions()).step(part).build()).toThrow(text);
});

test("once needs room for step state in the resource", () => {
  const Bare = defineResource({
    group: "immutable.example.dev",
    version: "v1",
    kind: "Bare",
    scope: "Namespaced",
    spec: z.object({}),
    status: z.object({}),
    dependents: true,
  });
  const part = dependentApply(Bare, { name: "part", kind: Job, once: true, desired: { spec: { template: task("x") } } });
  expect(() => handler(Bare).step(conditions()).step(part).build()).toThrow("stepState: true");
});

const complete = (cluster: TestCluster): Promise<unknown> =>
  cluster.updateStatus(
    Job,
    "a",
    (job) =>
      void (job.status = {
        ...job.status,
        startTime: "2026-01-01T00:00:00Z" as never,
        completionTime: "2026-01-01T00:00:10Z" as never,
        succeeded: 1,
        conditions: ["SuccessCriteriaMet", "Complete"].map((type) => ({
          type,
          status: "True",
          lastTransitionTime: "2026-01-01T00:00:10Z" as never,
          lastProbeTime: "2026-01-01T00:00:10Z" as never,
        })),
      }),
  );

function onceHandler() {
  const part = dependentApply(Plant, {
    name: "part",
    kind: Job,
    once: true,
    onImmutable: "recreate",
    desired: (owner) => ({ spec: { suspend: true, template: task(`example.dev/task:${owner.spec.variant}`) } }),
    readyWhen: (job) => job.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True") === true || "it runs",
  });
  return handler(Plant).step(conditions()).step(part).build();
}

test("the completion of a Job is stored although the first writes of the status fail", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [plant, ...OBJECTS] });
  const op = await cluster.start(onceHandler());
  await op.settled();
  cluster.faults.add({ on: { verb: "patch", resource: "plants" }, times: 6, fault: { type: "serverError", status: 500 } });
  await complete(cluster);
  await op.settled();
  await cluster.delete(Job, "a");
  await op.settled();
  expect(await cluster.get(Job, "a")).toBeUndefined();
  expect(await entryOf(cluster)).toMatchObject({ type: "Ready", reason: "Completed" });
});

test.for([{ next: "recreate" }, { next: "fail" }] as const)(
  'after "ignore" a new version with "$next" changes the field that was kept, or reports it',
  { tags: ["memory"] },
  async ({ next }) => {
    const handlerOf = (onImmutable: OnImmutable) =>
      handler(Plant)
        .step(conditions())
        .step(
          dependentApply(Plant, {
            name: "part",
            kind: Job,
            onImmutable,
            readyWhen: () => true,
            desired: ({ spec }) => ({ spec: { template: task(`example.dev/task:${spec.variant}`) } }),
          }),
        )
        .build();
    const imageOf = async () => (await cluster.get(Job, "a"))?.spec?.template.spec?.containers[0]?.image;
    await using cluster = await startTestCluster({ objects: [plant, ...OBJECTS] });
    let op = await cluster.start(handlerOf("ignore"));
    await op.settled();
    await change(cluster, { variant: "two" });
    await op.settled();
    expect(await entryOf(cluster)).toMatchObject({ type: "Ready" });
    expect(await imageOf()).toBe("example.dev/task:one");
    await op.stop();
    cluster.requests.clear();
    op = await cluster.start(handlerOf("ignore"));
    await op.settled();
    expect(cluster.requests.filter({ verb: ["create", "update", "patch", "apply", "delete"], resource: "jobs" })).toEqual([]);
    await op.stop();
    op = await cluster.start(handlerOf(next));
    await op.settled();
    if (next === "fail") expect(await entryOf(cluster)).toMatchObject({ type: "Failed", reason: "Immutable" });
    else {
      // The test stands in for the garbage collector.
      const deleted = await cluster.get(Job, "a");
      if (deleted?.metadata.deletionTimestamp !== undefined)
        await cluster.update(Job, "a", ({ metadata }) => void (metadata.finalizers = []));
      await op.settled();
      expect(await imageOf()).toBe("example.dev/task:two");
    }
  },
);

test("a Job that was complete is created again only when the desired state changes", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [plant, ...OBJECTS] });
  let op = await cluster.start(onceHandler());
  await op.settled();
  await cluster.delete(Job, "a");
  await op.settled();
  expect(await cluster.get(Job, "a"), "before its completion it is created again").toBeDefined();
  await complete(cluster);
  await op.settled();
  expect(await cluster.get(Plant, "a")).toBeReady();
  await cluster.delete(Job, "a");
  await op.settled();
  expect(await cluster.get(Job, "a")).toBeUndefined();
  expect(await cluster.get(Plant, "a")).toBeReady();
  expect(await entryOf(cluster)).toMatchObject({ type: "Ready", reason: "Completed" });

  await op.stop();
  op = await cluster.start(onceHandler());
  await op.settled();
  expect(await cluster.get(Job, "a"), "a restarted operator knows it, too").toBeUndefined();

  await change(cluster, { variant: "two" });
  await op.settled();
  expect((await cluster.get(Job, "a"))?.spec?.template.spec?.containers[0]?.image).toBe("example.dev/task:two");
});
