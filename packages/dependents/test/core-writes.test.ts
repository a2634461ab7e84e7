/** Objects that the core recreates, reclaims, adopts from an earlier owner and reverts, on the in-memory server and on a real one. */
import { type Kind, type KubernetesObject, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { isNamespaceMissing, isNamespaceTerminating } from "../src/core/namespaces.ts";
import type { Policy } from "../src/core/plan.ts";
import { release } from "../src/core/release.ts";
import { deleteObject, keptOf, NONE, objectsListed } from "../src/core/remove.ts";
import { type CoreUnit, coreUnit, HANDLER, Owner, policyOf, said, type UnitOptions } from "./core-harness.ts";

const KINDS = [ConfigMap, Secret, Deployment, Job, Namespace];
const ns = "default";
const x = { namespace: ns, name: "x" };

interface Story {
  readonly cluster: TestCluster;
  readonly owner: KubernetesObject;
  readonly process: (given?: UnitOptions["context"]) => CoreUnit;
}

async function start(): Promise<Story> {
  const cluster = await startTestCluster({ kinds: [Owner] });
  await cluster.install(Owner);
  const owner: KubernetesObject = await cluster.client.create(Owner, { metadata: { name: "a", namespace: ns }, spec: {} });
  return { cluster, owner, process: (context = {}) => coreUnit({ cluster, owner, kinds: KINDS, context }) };
}

const patch = (cluster: TestCluster, kind: Kind, body: object, fieldManager = "kubectl-edit"): Promise<KubernetesObject> =>
  cluster.client.patch(kind, kind.scope === "Cluster" ? { name: "x" } : x, { type: "merge", body }, { fieldManager });

describe("recreate", () => {
  const policy = policyOf(ConfigMap, { writes: "recreate" });

  test.for<{ name: string; change: (story: Story) => Promise<unknown>; desired: string; isSame: boolean }>([
    { name: "nothing changed", change: async () => undefined, desired: "1", isSame: true },
    {
      name: "a foreign field was added",
      change: ({ cluster }) => patch(cluster, ConfigMap, { data: { b: "1" } }),
      desired: "1",
      isSame: true,
    },
    { name: "the desired state changed", change: async () => undefined, desired: "2", isSame: false },
    { name: "our field drifted", change: ({ cluster }) => patch(cluster, ConfigMap, { data: { a: "9" } }), desired: "1", isSame: false },
  ])("$name: the object is the same is $isSame", async ({ change, desired, isSame }) => {
    const story = await start();
    await using cluster = story.cluster;
    const unit = story.process();
    const { live } = await unit.bring(policy, "x", { data: { a: "1" } });
    await change(story);
    unit.requests.length = 0;
    const seen = [said(await unit.bring(policy, "x", { data: { a: desired } }))];
    await cluster.settled(); // The garbage collector ends a deletion in the foreground.
    seen.push(said(await unit.bring(policy, "x", { data: { a: desired } })));
    expect(seen).toEqual(
      isSame ? ["there Ready unchanged", "there Ready unchanged"] : ["not yet Recreating unchanged", "there Ready created"],
    );
    if (!isSame) expect(unit.requests.slice(0, 2)).toEqual(["dry-run create ConfigMap successor", "delete ConfigMap x"]);
    const now = await cluster.client.get(ConfigMap, x);
    expect([now?.metadata.uid === live?.metadata.uid, now?.data?.["a"]]).toEqual([isSame, desired]);
  });

  test("an object without owner is adopted by a deletion", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const { metadata } = await cluster.client.create(ConfigMap, { metadata: x, data: { foreign: "1" } });
    const unit = process();
    expect(said(await unit.bring(policy, "x", { data: { a: "1" } }))).toBe("not yet Recreating unchanged");
    await cluster.settled();
    expect(said(await unit.bring(policy, "x", { data: { a: "1" } }))).toBe("there Ready created");
    const now = await cluster.client.get(ConfigMap, x);
    expect([now?.metadata.uid === metadata.uid, now?.data]).toEqual([false, { a: "1" }]);
  });

  test("a Namespace is never deleted: the entry says why", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const namespaces = policyOf(Namespace, { writes: "recreate" });
    const unit = process();
    await unit.bring(namespaces, "x", {});
    unit.requests.length = 0;
    for (let i = 0; i < 50; i++) {
      const { state } = await unit.bring(namespaces, "x", { metadata: { labels: { l: "1" } } });
      expect(state).toMatchObject({
        type: "Failed",
        reason: "NotRecreatable",
        message: expect.stringContaining("what users have in the Namespace"),
      });
    }
    expect(unit.requests).toEqual([]);
  });

  test("a fight with another writer is slowed down before the deletion", { tags: ["memory"] }, async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const unit = process();
    for (let i = 0; i < 60; i++) {
      await unit.bring(policy, "x", { data: { a: "1" } });
      await cluster.settled({ horizonMs: 0 });
      if ((await cluster.client.get(ConfigMap, x)) !== undefined) await patch(cluster, ConfigMap, { data: { a: "9" } });
    }
    expect(unit.requests.filter((each) => each.startsWith("delete")).length).toBeLessThan(20);
    expect((await unit.bring(policy, "x", { data: { a: "1" } })).state.reason).toBe("Contested");
  });

  test("a rename of the handler does not recreate the object", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const { live } = await process().bring(policy, "x", { data: { a: "1" } });
    const renamed = process({ handlerName: "new.example.dev", handlerNames: ["new.example.dev", HANDLER] });
    const seen: string[] = [];
    for (let i = 0; i < 3; i++) seen.push(said(await renamed.bring(policy, "x", { data: { a: "1" } })));
    expect(seen).toEqual(["there Ready updated", "there Ready unchanged", "there Ready unchanged"]);
    expect((await cluster.client.get(ConfigMap, x))?.metadata.uid).toBe(live?.metadata.uid);
  });
});

describe("reclaim", () => {
  const policy = policyOf(ConfigMap, { writes: "apply", reclaims: ["kubectl"] });

  test("fields that only kubectl set are removed by the next write, and no others", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const unit = process();
    await unit.bring(policy, "x", { data: { a: "1" } });
    await patch(cluster, ConfigMap, { data: { edited: "1" } });
    await patch(cluster, ConfigMap, { data: { other: "1" } }, "argocd");
    expect(said(await unit.bring(policy, "x", { data: { a: "1" } }))).toBe("there Ready unchanged");
    unit.requests.length = 0;
    expect(said(await unit.bring(policy, "x", { data: { a: "2" } }))).toBe("there Ready updated");
    expect(unit.requests).toEqual(["list ConfigMap x", "patch ConfigMap x", "apply ConfigMap x"]);
    const { data, metadata } = (await cluster.client.get(ConfigMap, x)) as KubernetesObject & { data: object };
    expect(data).toEqual({ a: "2", other: "1" });
    expect((metadata.managedFields ?? []).map(({ manager = "" }) => manager.split("/")[0]).toSorted()).toEqual(["argocd", HANDLER]);
    unit.requests.length = 0;
    await unit.bring(policy, "x", { data: { a: "3" } });
    expect(unit.requests).toEqual(["list ConfigMap x", "apply ConfigMap x"]);
  });

  test("an object that kubectl applied is adopted without what kubectl alone wanted", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const given = { apiVersion: "v1", kind: "ConfigMap", metadata: x, data: { a: "0", old: "1" } };
    await cluster.client.apply(ConfigMap, given, { fieldManager: "kubectl" });
    const unit = process();
    expect(said(await unit.bring(policy, "x", { data: { a: "1" } }))).toBe("there Ready updated");
    expect((await cluster.client.get(ConfigMap, x))?.data).toEqual({ a: "1" });
  });
});

describe("an object of an earlier owner of the same name", () => {
  async function restored(given: Partial<Policy>): Promise<Story & { readonly unit: CoreUnit; readonly policy: Policy }> {
    const story = await start();
    await story.process().bring(policyOf(ConfigMap), "x", { data: { a: "1", old: "1" } });
    await story.cluster.client.delete(Owner, { namespace: ns, name: "a" });
    const owner: KubernetesObject = await story.cluster.client.create(Owner, { metadata: { name: "a", namespace: ns }, spec: {} });
    const unit = coreUnit({ cluster: story.cluster, owner, kinds: KINDS });
    return { ...story, owner, unit, policy: policyOf(ConfigMap, given) };
  }

  test.for<{ given: Partial<Policy>; want: string }>([
    { given: { adoptsNamesake: true, adopt: "ifUnowned" }, want: "there Ready updated" },
    { given: { adoptsNamesake: true, adopt: "force" }, want: "there Ready updated" },
    { given: { adoptsNamesake: true, adopt: "never" }, want: "not yet NotOurs unchanged" },
    { given: { adopt: "ifUnowned" }, want: "not yet NotOurs unchanged" },
    { given: { adoptsNamesake: true, adopt: "ifUnowned", writes: "replace" }, want: "there Ready updated" },
  ])("$given: $want", async ({ given, want }) => {
    const { cluster, unit, policy, owner } = await restored(given);
    await using _ = cluster;
    const result = await unit.bring(policy, "x", { data: { a: "2" } });
    expect(said(result)).toBe(want);
    if (result.type !== "there") return;
    const now = (await cluster.client.get(ConfigMap, x)) as KubernetesObject & { data: object };
    expect(now.data).toEqual({ a: "2" });
    expect(now.metadata.labels).toMatchObject(ownerLabels(owner, HANDLER));
    expect(now.metadata.managedFields).toHaveLength(1);
    expect(said(await unit.bring(policy, "x", { data: { a: "2" } }))).toBe("there Ready unchanged");
  });

  test("a restored object without managedFields is adopted, too", async () => {
    const { cluster, unit, policy } = await restored({ adoptsNamesake: true });
    await using _ = cluster;
    await patch(cluster, ConfigMap, { metadata: { managedFields: [{}] } });
    expect(said(await unit.bring(policy, "x", { data: { a: "2" } }))).toBe("there Ready updated");
    expect(said(await unit.bring(policy, "x", { data: { a: "2" } }))).toBe("there Ready unchanged");
  });

  test.for([
    { name: "the annotation names another owner", metadata: { annotations: { [`${HANDLER}/owner`]: "Owner default/b" } } },
    {
      name: "it has another controller",
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "00000000-0000-4000-8000-000000000000", controller: true },
        ],
      },
    },
  ])("$name: it is foreign", { tags: ["memory"] }, async ({ metadata }) => {
    const { cluster, unit, policy } = await restored({ adoptsNamesake: true });
    await using _ = cluster;
    await patch(cluster, ConfigMap, { metadata });
    expect(said(await unit.bring(policy, "x", { data: { a: "2" } }))).toBe("not yet NotOurs unchanged");
  });
});

describe("drift", () => {
  const desired = { data: { a: "1", b: "1" } };
  const updated = async (story: Story, unit: CoreUnit, body: object = desired): Promise<unknown> => {
    unit.requests.length = 0;
    const { operation } = await unit.bring(policyOf(ConfigMap), "x", body, { reportsDrift: true });
    return operation.type === "updated" ? (operation.drift ?? "none") : operation.type;
  };

  test("a reverted change names the fields and the writers, by one list", async () => {
    const story = await start();
    await using cluster = story.cluster;
    const unit = story.process();
    await unit.bring(policyOf(ConfigMap), "x", desired);
    await patch(cluster, ConfigMap, { data: { a: "9" } });
    await patch(cluster, ConfigMap, { data: { b: "9", c: "9" } }, "argocd");
    expect(await updated(story, unit)).toEqual({ paths: ["data.a", "data.b"], managers: ["argocd", "kubectl-edit"] });
    expect(unit.requests).toEqual(["list ConfigMap x", "apply ConfigMap x"]);
    await patch(cluster, ConfigMap, { data: { a: "9" } });
    expect(await updated(story, story.process()), "after a restart").toEqual({ paths: ["data.a"], managers: ["kubectl-edit"] });
  });

  test("a removed field has no writer; a new desired state is no drift", async () => {
    const story = await start();
    await using cluster = story.cluster;
    const unit = story.process();
    await unit.bring(policyOf(ConfigMap), "x", desired);
    await patch(cluster, ConfigMap, { data: { a: null } });
    expect(await updated(story, unit)).toEqual({ paths: ["data.a"], managers: [] });
    expect(await updated(story, unit, { data: { a: "2" } })).toBe("none");
    expect(unit.requests).toEqual(["apply ConfigMap x"]);
  });

  test("a list element is named by its position, and its writer by the element", async () => {
    const { cluster, process } = await start();
    await using _ = cluster;
    const unit = process();
    const policy = policyOf(Deployment);
    const spec = {
      replicas: 0,
      selector: { matchLabels: { app: "x" } },
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "main", image: "x:1" }] } },
    };
    await unit.bring(policy, "x", { spec });
    const drifted = { spec: { template: { spec: { containers: [{ name: "main", image: "x:9" }] } } } };
    await cluster.client.patch(Deployment, x, { type: "strategic", body: drifted }, { fieldManager: "kubectl-set" });
    const { operation } = await unit.bring(policy, "x", { spec }, { reportsDrift: true });
    expect(operation).toMatchObject({
      drift: { paths: ['spec.template.spec.containers[{"name":"main"}].image'], managers: ["kubectl-set"] },
    });
  });
});

test("release removes the extra marks: annotations and finalizers", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const finalizer = `${HANDLER}/finalizer`;
  const unit = process({ extraMarks: { annotations: [`${HANDLER}/policies`], finalizers: [finalizer] } });
  const metadata = { annotations: { [`${HANDLER}/policies`]: "{}", theirs: "1" }, finalizers: [finalizer, "example.dev/theirs"] };
  await unit.bring(policyOf(ConfigMap), "x", { metadata, data: {} });
  await unit.look();
  const released = await release(unit.context, policyOf(ConfigMap), unit.live(ConfigMap, "x") as KubernetesObject);
  expect(released?.metadata).toMatchObject({ annotations: { theirs: "1" }, finalizers: ["example.dev/theirs"] });
  expect(Object.keys(released?.metadata.annotations ?? {})).toEqual(["theirs"]);
  await patch(cluster, ConfigMap, { metadata: { finalizers: null } });
});

test("objects of a kind that is not watched are listed and deleted one by one, but for those that stay", async () => {
  const { cluster, process } = await start();
  await using _ = cluster;
  const policy = policyOf(ConfigMap, { isWatched: false });
  const unit = process();
  for (const name of ["x", "y", "z"]) await unit.bring(policy, name, { data: {} });
  await cluster.client.patch(ConfigMap, { namespace: ns, name: "z" }, { type: "merge", body: { metadata: { labels: null } } });
  const blind = process(); // Its cache is empty.
  const removal = { policy, keep: keptOf([{ namespace: ns, name: "y" }]), known: () => [], namespaces: () => [ns] };
  expect((await objectsListed(blind.context, removal)).map(({ metadata }) => metadata.name)).toEqual(["x"]);
  const known = () => [{ namespace: ns, name: "z" }];
  const found = await objectsListed(blind.context, { ...removal, known });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["x", "z"]);
  blind.requests.length = 0;
  expect((await objectsListed(blind.context, { ...removal, keep: NONE, namespaces: () => ["*", ns] })).length).toBe(2);
  expect(blind.requests).toEqual(["list ConfigMap all"]);
  for (const object of found) await deleteObject(blind.context, policy, object);
  expect((await cluster.client.list(ConfigMap, { namespace: ns })).items.map(({ metadata }) => metadata.name)).toContain("y");
  expect(await cluster.client.get(ConfigMap, x)).toBeUndefined();
});

describe("the namespace of a create", () => {
  const createIn = async (cluster: TestCluster, namespace: string): Promise<unknown> => {
    const unit = coreUnit({
      cluster,
      owner: { apiVersion: "v1", kind: "Owner", metadata: { name: "a", namespace, uid: "u" } },
      kinds: [],
      namespace,
    });
    const error = await unit.bring(policyOf(ConfigMap), "x", { data: {} }).catch((thrown: unknown) => thrown);
    const created = await cluster.client.create(ConfigMap, { metadata: { name: "x", namespace } }).catch((thrown: unknown) => thrown);
    expect(isNamespaceMissing(created, namespace)).toBe(isNamespaceMissing(error, namespace));
    expect(isNamespaceTerminating(created)).toBe(isNamespaceTerminating(error));
    return error;
  };

  test("does not exist", async () => {
    await using cluster = await startTestCluster({ kinds: [Owner] });
    await cluster.install(Owner);
    const error = await createIn(cluster, "missing");
    expect([isNamespaceMissing(error, "missing"), isNamespaceMissing(error, "other"), isNamespaceTerminating(error)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("is being deleted", async () => {
    await using cluster = await startTestCluster({ kinds: [Owner] });
    await cluster.install(Owner);
    await cluster.client.create(Namespace, { metadata: { name: "ending" } });
    const held = { metadata: { name: "held", namespace: "ending", finalizers: ["example.dev/held"] } };
    await cluster.client.create(ConfigMap, held);
    await cluster.client.delete(Namespace, { name: "ending" });
    const error = await createIn(cluster, "ending");
    expect([isNamespaceTerminating(error), isNamespaceMissing(error, "ending")]).toEqual([true, false]);
    await cluster.client.patch(
      ConfigMap,
      { namespace: "ending", name: "held" },
      { type: "merge", body: { metadata: { finalizers: null } } },
    );
  });

  test.for([new Error("no"), undefined, "text"])("another error says nothing: %j", (error) => {
    expect([isNamespaceMissing(error, "ns"), isNamespaceTerminating(error)]).toEqual([false, false]);
  });
});
