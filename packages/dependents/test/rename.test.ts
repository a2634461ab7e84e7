/** Users' stories of a handler that gets another name, and of one that takes another operator's place. In memory and on a real server. */
import "@treadle/testing/matchers";
import { type KubernetesObject, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, type HandlerOptions, PAUSED_ANNOTATION, step } from "@treadle/reconcile";
import { dependentsOf } from "../src/index.ts";
import { expect, test } from "vitest";
import { explore } from "@treadle/testing/explore";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { page, Site, site, WRITES } from "./sites.ts";

const OLD = "old-sites";
const NEW = "new-sites";
const finalizer = (name: string): string => `example.dev/${name}`;

/** The first version said more, in its condition and in the page. */
function first(name: string): AnyHandler {
  const told = step(Site, { name: "told", conditions: ["Told"], do: (req) => req.conditions.true("Told") });
  return handler(Site, { name })
    .step(conditions())
    .step(told)
    .step(
      page({
        ownership: "label",
        desired: ({ spec }) => ({ data: { text: spec.text, dropped: "later" }, metadata: { labels: { dropped: "too" } } }),
      }),
    )
    .build();
}
function second(options: HandlerOptions): AnyHandler {
  return handler(Site, options)
    .step(conditions())
    .step(page({ ownership: "label" }))
    .build();
}
const renamed = (): AnyHandler => second({ name: NEW, formerNames: [OLD] });

const pageOf = async (cluster: Pick<TestCluster, "get">): Promise<KubernetesObject & { readonly data?: object }> =>
  (await cluster.get(ConfigMap, "a-page")) as KubernetesObject;
const managersOf = ({ metadata }: KubernetesObject): readonly string[] => [
  ...new Set((metadata.managedFields ?? []).map(({ manager = "", operation }) => `${manager.replace(metadataUid, "<uid>")} ${operation}`)),
];
const metadataUid = /[0-9a-f]{8}-[0-9a-f-]{27}/;
const types = (
  object: { readonly status?: { readonly conditions?: readonly { readonly type: string }[] } } | undefined,
): readonly string[] => (object?.status?.conditions ?? []).map(({ type }) => type).toSorted();

/** As long as the marks of the old version stay for it. */
const ROLLOUT = { horizonMs: 60_000 };

test("a renamed handler: finalizer, labels, fields, entries and conditions move, and what is wanted no more goes", {
  tags: ["memory"],
}, async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const old = await cluster.start(first(OLD));
  await old.settled();
  await old.stop();
  const { uid } = (await pageOf(cluster)).metadata;
  expect((await pageOf(cluster)).data).toEqual({ text: "hello", dropped: "later" });
  expect((await cluster.get(Site, "a"))?.metadata.finalizers).toEqual([finalizer(OLD)]);

  const op = await cluster.start(renamed());
  await op.settled(ROLLOUT);
  const owner = await cluster.get(Site, "a");
  expect(owner?.metadata.finalizers).toEqual([finalizer(NEW)]);
  expect(types(owner)).toEqual(["Ready"]);
  expect(dependentsOf(owner ?? {})).toMatchObject([{ handler: NEW, step: "page", type: "Ready" }]);
  const moved = await pageOf(cluster);
  expect(moved.metadata.uid).toBe(uid);
  expect(moved.data).toEqual({ text: "hello" });
  expect(Object.keys(moved.metadata.labels ?? {}).toSorted()).toEqual([`${NEW}/dependent`, `${NEW}/owner-id`]);
  expect(managersOf(moved)).toEqual([`${NEW}/page/<uid> Apply`]);

  cluster.requests.clear();
  await cluster.update(ConfigMap, "a-page", (object) => void (object.data = {}));
  await op.settled();
  expect((await pageOf(cluster)).data, "its events wake the owner").toEqual({ text: "hello" });
  cluster.requests.clear();
  await op.settled();
  expect(cluster.requests.filter({ verb: WRITES })).toEqual([]);
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();
});

test("an object whose deletion began under the old name is cleaned up under the new one", async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const old = await cluster.start(first(OLD));
  await old.settled();
  await old.stop();
  await cluster.delete(Site, "a");
  const op = await cluster.start(renamed());
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();
});

test("both versions side by side come to rest; what the old one puts back goes when it is gone", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const old = await cluster.start(second({ name: OLD }));
  await old.settled();
  const op = await cluster.start(renamed());
  await op.settled({ horizonMs: 30_000 });
  await old.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  expect(cluster.requests.filter({ verb: WRITES }).length).toBeLessThan(15);
  const finalizers = async (): Promise<readonly string[]> => (await cluster.get(Site, "a"))?.metadata.finalizers ?? [];
  expect(await finalizers()).toContain(finalizer(NEW));
  await old.stop();
  await op.stop();
  const next = await cluster.start(renamed());
  await next.settled(ROLLOUT);
  expect(await finalizers()).toEqual([finalizer(NEW)]);
  expect(managersOf(await pageOf(cluster))).toEqual([`${NEW}/page/<uid> Apply`]);
  expect(dependentsOf((await cluster.get(Site, "a")) ?? {})).toMatchObject([{ handler: NEW }]);
});

const FOREIGN = "other.example.com/cleanup";
const takesOver = [{ finalizers: [FOREIGN], fieldManagers: ["manager"], lease: "other-operator" }];

test("versions that stay side by side write the status with delays: neither finds the marks that it needs", {
  tags: ["memory"],
}, async () => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const old = await cluster.start(second({ name: OLD }));
  await old.settled();
  const op = await cluster.start(renamed());
  await op.settled({ horizonMs: 60_000 });
  await old.settled();
  cluster.requests.clear();
  await op.settled({ horizonMs: 300_000 });
  await old.settled();
  expect(cluster.requests.filter({ verb: WRITES }).length).toBeLessThan(150);
  await old.stop();
  await op.settled({ horizonMs: 60_000 });
  expect(await cluster.get(Site, "a")).toBeReady();
});

/** What an operator in Go leaves: written by update under the name of its program. */
async function foreignPast(cluster: TestCluster): Promise<void> {
  const options = { fieldManager: "manager" };
  const owner = await cluster.get(Site, "a");
  if (owner === undefined) throw new Error("there is no Site a");
  const { namespace = "default", uid = "" } = owner.metadata;
  const ownerReferences = [{ apiVersion: "example.dev/v1", kind: "Site", name: "a", uid, controller: true, blockOwnerDeletion: true }];
  const metadata = { name: "a-page", namespace, ownerReferences, labels: { "app.kubernetes.io/managed-by": "other" } };
  await cluster.client.create(ConfigMap, { metadata, data: { text: "theirs", dropped: "later" } }, options);
  const condition = { type: "Reconciled", status: "True", reason: "Done", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const body = { status: { conditions: [condition] } };
  await cluster.client.patch(Site, { name: "a", namespace }, { type: "merge", body }, { ...options, subresource: "status" });
}

test("another operator's place is taken: its finalizer, fields and conditions are ours, never a moment without a finalizer", async () => {
  await using cluster = await startTestCluster({ objects: [site("a", {}, { finalizers: [FOREIGN] })], kinds: [Site] });
  await foreignPast(cluster);
  const held: (readonly string[])[] = [];
  const { uid } = (await pageOf(cluster)).metadata;
  const op = await cluster.start(
    handler(Site, { takesOver })
      .step(conditions())
      .step(page({}))
      .step(step(Site, { name: "more", cleanup: () => undefined }))
      .build(),
  );
  await op.settled();
  held.push((await cluster.get(Site, "a"))?.metadata.finalizers ?? []);
  expect(held).toEqual([["example.dev/sites.example.dev"]]);
  const adopted = await pageOf(cluster);
  expect(adopted.metadata.uid).toBe(uid);
  expect(adopted.data).toEqual({ text: "hello" });
  expect(adopted.metadata.labels).not.toHaveProperty("app.kubernetes.io/managed-by");
  expect(managersOf(adopted)).toEqual(["sites.example.dev/page/<uid> Apply"]);
  expect(types(await cluster.get(Site, "a"))).toEqual(["Ready"]);
  expect(cluster.requests.filter({ verb: "patch", resource: "sites" }).filter(({ subresource }) => subresource === undefined)).toHaveLength(
    1,
  );
  await cluster.delete(Site, "a");
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeUndefined();
});

test("a rename and a take-over at once, whatever fails when", { tags: ["memory", "part"], timeout: 180_000 }, async ({ part }) => {
  const { points } = await explore(
    // The user of the story writes as kubectl: the past is of an operator that did, too.
    second({ name: NEW, formerNames: [OLD], takesOver: [{ finalizers: [FOREIGN], fieldManagers: ["kubectl"] }] }),
    {
      kinds: [ConfigMap],
      async run(cluster) {
        const annotations = { [PAUSED_ANNOTATION]: "true" };
        const owner = await cluster.create(Site, { metadata: { name: "a", annotations, finalizers: [finalizer(OLD), FOREIGN] }, spec: {} });
        const labels = { ...ownerLabels(owner, OLD), [`${OLD}/dependent`]: "page", dropped: "too" };
        await cluster.create(ConfigMap, { metadata: { name: "a-page", labels }, data: { text: "hello", dropped: "later" } });
        await cluster.settled();
        await cluster.update(Site, "a", (object) => void delete object.metadata.annotations?.[PAUSED_ANNOTATION]);
        await cluster.settled();
        await cluster.update(Site, "a", (object) => void (object.spec.text = "bye"));
      },
      async check(cluster) {
        const live = await cluster.get(ConfigMap, "a-page");
        expect(live?.data).toEqual({ text: "bye" });
        expect(live?.metadata.labels).not.toHaveProperty("dropped");
        expect((await cluster.get(Site, "a"))?.metadata.finalizers).toEqual([finalizer(NEW)]);
      },
    },
    { namespaces: ["default"], points: part.points },
  );
  expect(points).toBeGreaterThan(part.isWhole ? 20 : 0);
});
