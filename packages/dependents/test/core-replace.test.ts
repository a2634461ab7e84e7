/** Objects that the core replaces by a PUT, on the in-memory server and, unchanged, on a real one. */
import { groupKindOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Secret, Service } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { immutableFieldsOf } from "../src/core/immutable.ts";
import type { Policy } from "../src/core/plan.ts";
import { release } from "../src/core/release.ts";
import { NONE, remove } from "../src/core/remove.ts";
import { type CoreUnit, coreUnit, HANDLER, Owner, policyOf, said, type UnitOptions } from "./core-harness.ts";

const KINDS = [ConfigMap, Secret, Service, Deployment, Job];
const ns = "default";
const REPLACE = policyOf(ConfigMap, { writes: "replace" });
const replacing = (kind: Kind, given: Partial<Policy> = {}): Policy =>
  policyOf(kind, { writes: "replace", immutableFields: immutableFieldsOf(kind), ...given });

async function start(): Promise<{
  readonly cluster: TestCluster;
  readonly owner: KubernetesObject;
  /** A process of the operator: a second one is a restart. */
  readonly process: (given?: UnitOptions["context"]) => CoreUnit;
}> {
  const cluster = await startTestCluster({ kinds: [Owner] });
  await cluster.install(Owner);
  const owner: KubernetesObject = await cluster.client.create(Owner, { metadata: { name: "a", namespace: ns }, spec: {} });
  return { cluster, owner, process: (context = {}) => coreUnit({ cluster, owner, kinds: KINDS, context }) };
}

const deployment = {
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          { name: "web", image: "web:1", resources: { limits: { cpu: "1000m", memory: "1024Mi" } }, ports: [{ containerPort: 80 }] },
        ],
        tolerations: [{ key: "a", operator: "Exists" }],
      },
    },
  },
};
const BODIES: readonly (readonly [Kind, object])[] = [
  [ConfigMap, { data: { a: "1" } }],
  [Secret, { stringData: { a: "1" } }],
  [Service, { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }],
  [Deployment, deployment],
  [Job, { spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "c:1" }] } } } }],
];

test.for(BODIES)("an unchanged %o is not written again, also after a status change and a restart but for one PUT", async ([kind, body]) => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const first = process();
  expect(said(await first.bring(replacing(kind), "x", body))).toBe("there Ready created");
  expect(first.requests).toEqual([`create ${kind.kind} x`]);
  const touch = async (value: string): Promise<void> => {
    // As a controller that changes a field of its own.
    await cluster.client.patch(
      kind,
      { namespace: ns, name: "x" },
      { type: "merge", body: { metadata: { annotations: { touched: value } } } },
    );
  };
  for (const value of ["1", "2"]) {
    await touch(value);
    expect(said(await first.bring(replacing(kind), "x", body))).toBe("there Ready unchanged");
  }
  expect(first.requests).toHaveLength(1);
  const second = process();
  for (let i = 0; i < 3; i++) await second.bring(replacing(kind), "x", body);
  await touch("3");
  expect(said(await second.bring(replacing(kind), "x", body))).toBe("there Ready unchanged");
  expect(second.requests.filter((each) => !each.startsWith("list")).length).toBeLessThanOrEqual(1);
});

test("a new desired state removes what other writers added, and keeps finalizers", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const unit = process();
  await unit.bring(REPLACE, "x", { metadata: { finalizers: ["example.dev/ours"] }, data: { a: "1", b: "1" } });
  await cluster.client.patch(
    ConfigMap,
    { namespace: ns, name: "x" },
    {
      type: "merge",
      body: {
        metadata: { labels: { l: "1" }, annotations: { n: "1" }, finalizers: ["example.dev/ours", "example.dev/theirs"] },
        data: { foreign: "1" },
      },
    },
  );
  expect(said(await unit.bring(REPLACE, "x", { metadata: { finalizers: ["example.dev/ours"] }, data: { a: "2" } }))).toBe(
    "there Ready updated",
  );
  await unit.look();
  const { metadata, ...rest } = unit.live(ConfigMap, "x") as KubernetesObject;
  expect(rest).toMatchObject({ data: { a: "2" } });
  expect((rest as { data?: object }).data).toEqual({ a: "2" });
  expect(Object.keys(metadata.labels ?? {}).toSorted()).toEqual([`${HANDLER}/dependent`, `${HANDLER}/owner-id`]);
  expect(Object.keys(metadata.annotations ?? {}).toSorted()).toEqual([`${HANDLER}/applied`, `${HANDLER}/owner`]);
  expect(metadata.finalizers).toEqual(["example.dev/ours", "example.dev/theirs"]);
  await cluster.client.patch(ConfigMap, { namespace: ns, name: "x" }, { type: "merge", body: { metadata: { finalizers: [] } } });
});

test("a changed value is reverted, and the writer is named; a smaller desired state is noticed after a restart", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  await process().bring(REPLACE, "x", { data: { a: "1", b: "1" } });
  await cluster.client.patch(
    ConfigMap,
    { namespace: ns, name: "x" },
    { type: "merge", body: { data: { a: "drift" } } },
    { fieldManager: "kubectl-edit" },
  );
  const unit = process();
  const reverted = await unit.bring(REPLACE, "x", { data: { a: "1", b: "1" } }, { reportsDrift: true });
  expect(reverted.operation).toEqual({ type: "updated", paths: ["data.a"], drift: { paths: ["data.a"], managers: ["kubectl-edit"] } });
  const upgraded = await process().bring(REPLACE, "x", { data: { a: "1" } }, { reportsDrift: true });
  expect(upgraded.operation).toEqual({ type: "updated", paths: ["data.b"] });
});

test("after a restart, a value that the server changes is no drift beside one that a writer changed", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const policy = replacing(Deployment);
  await process().bring(policy, "x", deployment);
  // On a real server the PUT removes an annotation of the Deployment controller, which sets it again.
  expect((await process().bring(policy, "x", deployment, { reportsDrift: true })).operation).not.toHaveProperty("drift");
  const body = { spec: { template: { spec: { containers: [{ name: "web", image: "web:9" }] } } } };
  await cluster.client.patch(Deployment, { namespace: ns, name: "x" }, { type: "strategic", body }, { fieldManager: "kubectl-set" });
  const { operation } = await process().bring(policy, "x", deployment, { reportsDrift: true });
  expect(operation).toMatchObject({ drift: { paths: ["spec.template.spec.containers[0].image"], managers: ["kubectl-set"] } });
});

test("an object of another controller is taken by force, by one PUT without that controller", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const { metadata } = await cluster.client.create(ConfigMap, { metadata: { namespace: ns, name: "other" } });
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: metadata.uid ?? "", controller: true };
  await cluster.client.create(ConfigMap, { metadata: { namespace: ns, name: "x", ownerReferences: [reference] }, data: { foreign: "1" } });
  const unit = process();
  expect(said(await unit.bring(REPLACE, "x", { data: { a: "1" } }))).toBe("not yet NotOurs unchanged");
  expect(said(await unit.bring({ ...REPLACE, adopt: "force" }, "x", { data: { a: "1" } }))).toBe("there Ready updated");
  expect(unit.requests).toEqual(["update ConfigMap x"]);
  const live = await cluster.client.get(ConfigMap, { namespace: ns, name: "x" });
  expect([live?.metadata.ownerReferences ?? [], live?.data]).toEqual([[], { a: "1" }]);
});

test("a smaller Secret is noticed in the process, and after a restart by our entry of managedFields", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const secret = policyOf(Secret, { writes: "replace" });
  const unit = process();
  const keys = async (): Promise<readonly string[]> =>
    Object.keys((await cluster.client.get(Secret, { namespace: ns, name: "x" }))?.data ?? {}).toSorted();
  await unit.bring(secret, "x", { stringData: { a: "1", b: "1", c: "1" } });
  await unit.bring(secret, "x", { stringData: { a: "1", b: "1" } });
  expect(await keys()).toEqual(["a", "b"]);
  // A token controller adds keys of its own: they stay.
  await cluster.client.patch(Secret, { namespace: ns, name: "x" }, { type: "merge", body: { data: { token: "eA==" } } });
  expect(said(await process().bring(secret, "x", { stringData: { a: "1", b: "1" } }))).toBe("there Ready unchanged");
  expect(await keys()).toEqual(["a", "b", "token"]);
  expect(said(await process().bring(secret, "x", { stringData: { a: "1" } }))).toBe("there Ready updated");
  expect(await keys()).toEqual(["a"]);
});

test("fields that the server completes and that cannot change stay: a label of a Job, a Service and a Deployment changes", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const unit = process();
  for (const [kind, body] of BODIES) {
    await unit.bring(replacing(kind), "x", body);
    expect(said(await unit.bring(replacing(kind), "x", { ...body, metadata: { labels: { l: "1" } } })), groupKindOf(kind)).toBe(
      "there Ready updated",
    );
  }
});

test("an immutable field is reported, as for an apply", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const unit = process();
  await unit.bring(replacing(Deployment), "x", deployment);
  const selector = { matchLabels: { app: "web", tier: "1" } };
  const changed = {
    spec: { ...deployment.spec, selector, template: { ...deployment.spec.template, metadata: { labels: selector.matchLabels } } },
  };
  expect(said(await unit.bring(replacing(Deployment), "x", changed))).toBe("not yet Immutable unchanged");
});

describe("another update policy", () => {
  const entries = async (cluster: TestCluster): Promise<readonly string[]> =>
    ((await cluster.client.get(ConfigMap, { namespace: ns, name: "x" }))?.metadata.managedFields ?? []).map(
      ({ manager = "", operation }) => `${operation} ${manager.split("/").slice(0, 2).join("/")}`,
    );

  test("from apply to replace and back, no field of ours stays behind", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const unit = process();
    const apply = policyOf(ConfigMap, { writes: "apply" });
    await unit.bring(apply, "x", { data: { a: "1", b: "1", c: "1" } });
    expect(await entries(cluster)).toEqual([`Apply ${HANDLER}/stack`]);
    await unit.bring(REPLACE, "x", { data: { a: "1", b: "1" } });
    expect(await entries(cluster)).toEqual([`Update ${HANDLER}`]);
    expect(said(await unit.bring(apply, "x", { data: { a: "1" } }))).toBe("there Ready updated");
    expect(await entries(cluster)).toEqual([`Apply ${HANDLER}/stack`]);
    expect((await cluster.client.get(ConfigMap, { namespace: ns, name: "x" }))?.data).toEqual({ a: "1" });
  });
});

test("a replaced object is removed by its marks, and released without any", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const marks = { annotations: [`${HANDLER}/policies`], finalizers: [`${HANDLER}/finalizer`] };
  const unit = process({ extraMarks: marks });
  const body = {
    metadata: { annotations: { [`${HANDLER}/policies`]: "{}" }, finalizers: [`${HANDLER}/finalizer`, "example.dev/theirs"] },
    data: { a: "1" },
  };
  await unit.bring(REPLACE, "x", body);
  await unit.look();
  const released = (await release(unit.context, REPLACE, unit.live(ConfigMap, "x") as KubernetesObject)) as KubernetesObject;
  const { labels = {}, annotations = {}, finalizers = [], managedFields = [] } = released.metadata;
  expect({ labels, annotations, finalizers, managers: managedFields.map(({ manager }) => manager) }).toEqual({
    labels: {},
    annotations: {},
    finalizers: ["example.dev/theirs"],
    managers: [],
  });
  await cluster.client.patch(ConfigMap, { namespace: ns, name: "x" }, { type: "merge", body: { metadata: { finalizers: null } } });
  await unit.bring(REPLACE, "y", { data: {} });
  await unit.look();
  const removal = { policy: REPLACE, keep: NONE, known: () => [{ namespace: ns, name: "x" }], namespaces: () => [ns], isLive: false };
  expect((await remove(unit.context, removal)).deleted).toEqual([{ namespace: ns, name: "y" }]);
});

test("marks of a former name of the handler stay until they are claimed", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  await process().bring(REPLACE, "x", { data: { a: "1" } });
  let isClaimed = false;
  const renamed = process({ handlerName: "new.example.dev", handlerNames: ["new.example.dev", HANDLER], claims: () => isClaimed });
  const keys = async (): Promise<readonly string[]> =>
    [...new Set(Object.keys((await cluster.client.get(ConfigMap, { namespace: ns, name: "x" }))?.metadata.labels ?? {}))].map(
      (key) => key.split("/")[0] as string,
    );
  expect(said(await renamed.bring(REPLACE, "x", { data: { a: "1" } }))).toBe("there Ready updated");
  expect(new Set(await keys())).toEqual(new Set(["new.example.dev", HANDLER]));
  expect(said(await renamed.bring(REPLACE, "x", { data: { a: "1" } }))).toBe("there Ready unchanged");
  isClaimed = true;
  expect(said(await renamed.bring(REPLACE, "x", { data: { a: "1" } }))).toBe("there Ready updated");
  expect(new Set(await keys())).toEqual(new Set(["new.example.dev"]));
  expect(said(await renamed.bring(REPLACE, "x", { data: { a: "1" } }))).toBe("there Ready unchanged");
});
