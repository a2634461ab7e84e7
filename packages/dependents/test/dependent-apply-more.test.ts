/** dependentApply where it meets the rest: other handlers, kinds that come later, defaults of the server, restarts. */
import "@treadle/testing/matchers";
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Secret, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll, dependentsOf, type DependentStep } from "../src/index.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeWorld, startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { merge, page, said, Site, site } from "./sites.ts";

const WRITES = ["create", "update", "patch", "apply", "delete", "get"] as const;

const deployment = dependentApply(Site, {
  name: "web",
  kind: Deployment,
  readyWhen: () => true, // No node has its labels: it never gets a pod.
  desired: ({ metadata, spec }) => ({
    spec: {
      selector: { matchLabels: { app: metadata.name } },
      template: {
        metadata: { labels: { app: metadata.name } },
        spec: {
          // Quantities that the server writes in another way, and values in which it fills in defaults.
          containers: [
            {
              name: "c",
              image: spec.text,
              resources: { requests: { cpu: "1000m", memory: "0.5Gi" } },
              env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
              ports: [{ containerPort: 80 }],
            },
          ],
          ...(spec.wanted ? { nodeSelector: { disk: "ssd", zone: "a" } } : { nodeSelector: { disk: "ssd" } }),
        },
      },
    },
  }),
});
const service = dependentApply(Site, {
  name: "service",
  kind: Service,
  desired: ({ metadata }) => ({ spec: { selector: { app: metadata.name }, ports: [{ port: 80 }] } }),
});
const sites = handler(Site)
  .step(conditions())
  .step(dependentApplyAll("parts", [deployment, service, page()]))
  .build();

async function running(cluster: TestCluster): Promise<TestOperator> {
  const op = await cluster.start(sites);
  await op.settled();
  return op;
}

test("normalised values and defaults are not a difference, in the next process either", async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const first = await running(cluster);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "nginx" } });
  await first.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  cluster.requests.clear();
  await cluster.update(Deployment, "a", (live) => merge(live, { metadata: { labels: { team: "web" } } }));
  await first.settled();
  expect(cluster.requests.filter({ verb: WRITES })).toHaveLength(0);
  await first.stop();
  cluster.requests.clear();
  await running(cluster);
  expect(cluster.requests.filter({ verb: WRITES })).toHaveLength(0);
});

test("the next process compares a Secret by one GET, and does not write it", async () => {
  const secret = dependentApply(Site, { name: "secret", kind: Secret, desired: ({ spec }) => ({ stringData: { password: spec.text } }) });
  const keeping = handler(Site).step(conditions()).step(secret).build();
  await using cluster = await startTestCluster({ kinds: [Site] });
  const first = await cluster.start(keeping);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "secret" } });
  await first.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  expect(cluster.requests.filter({ verb: WRITES }).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
    "patch sites",
    "apply secrets",
    "patch sites",
  ]);
  await first.stop();
  cluster.requests.clear();
  const second = await cluster.start(keeping);
  await second.settled();
  expect(cluster.requests.filter({ verb: WRITES }).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(["get secrets"]);
});

test("a field that the next version no longer desires is removed, also inside an atomic map", async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const first = await running(cluster);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "nginx" } });
  await first.settled();
  await first.stop();
  await cluster.update(Site, "a", ({ spec }) => void (spec.wanted = false));
  await running(cluster);
  expect((await cluster.get(Deployment, "a"))?.spec?.template.spec?.nodeSelector).toEqual({ disk: "ssd" });
  expect(await cluster.get(ConfigMap, "a-page")).toBeUndefined();
});

test("drift of a nested field is reverted, and fields of other writers stay", async () => {
  await using cluster = await startTestCluster({ kinds: [Site] });
  const op = await running(cluster);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "nginx" } });
  await op.settled();
  cluster.requests.clear();
  await cluster.update(Deployment, "a", (live) => {
    const [container] = live.spec?.template.spec?.containers ?? [];
    merge(container as object, { image: "hacked", imagePullPolicy: "Never" });
    merge(live.spec as object, { replicas: 3 });
  });
  await op.settled();
  const { spec } = (await cluster.get(Deployment, "a")) ?? {};
  expect(spec?.template.spec?.containers).toMatchObject([{ image: "nginx", imagePullPolicy: "Never" }]);
  expect(spec?.replicas).toBe(3);
  expect(cluster.requests.filter({ verb: "apply" })).toHaveLength(1);
});

test("two handlers of one kind keep separate entries and objects", { tags: ["memory"] }, async () => {
  const other = handler(Site, { name: "others.example.dev" })
    .step(conditions({ ready: false }))
    .step(page({ objectName: ({ metadata }) => `${metadata.name}-other`, desired: { data: { of: "the other" } } }))
    .build();
  await using cluster = await startTestCluster({ kinds: [Site] });
  const op = await cluster.start([sites, other]);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "nginx" } });
  await op.settled();
  const entries = async (): Promise<readonly string[]> =>
    dependentsOf((await cluster.get(Site, "a")) ?? {})
      .map(({ handler: of = "", step, name, type }) => `${of} ${step} ${name} ${type}`)
      .toSorted();
  expect(await entries()).toEqual([" page a-page Ready", " service a Ready", " web a Ready", "others.example.dev page a-other Ready"]);
  await cluster.update(Site, "a", ({ spec }) => void (spec.wanted = false));
  await op.settled();
  expect(await entries()).toEqual([" service a Ready", " web a Ready", "others.example.dev page a-other Ready"]);
  expect((await cluster.get(ConfigMap, "a-other"))?.data).toEqual({ of: "the other" });
  cluster.requests.clear();
  await op.settled({ horizonMs: 60 * 60_000 });
  expect(cluster.requests.filter({ verb: WRITES })).toHaveLength(0);
});

test("the status of a dependent with its own handler reaches its owner", async () => {
  const Part = defineResource({
    group: "example.dev",
    version: "v1",
    kind: "Part",
    scope: "Namespaced",
    dependents: true,
    spec: z.object({ text: z.string() }),
    status: z.object({}),
  });
  const part = dependentApply(Site, {
    name: "part",
    kind: Part,
    desired: ({ spec }) => ({ spec: { text: spec.text } }),
    readyWhen: ({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true || "the part is not ready",
  });
  const parts = handler(Part)
    .step(conditions())
    .step(dependentApply(Part, { name: "config", kind: ConfigMap, desired: ({ spec }) => ({ data: { text: spec.text } }) }))
    .build();
  await using cluster = await startTestCluster({ kinds: [Site, Part] });
  const op = await cluster.start([handler(Site).step(conditions()).step(part).build(), parts]);
  await cluster.create(Site, { metadata: { name: "a" }, spec: { text: "nginx" } });
  // Settled says that nobody works; on a real server the news of one handler's work may still be on its way to the other.
  await op.settled();
  await op.settled();
  await op.settled();
  expect(await cluster.get(Site, "a")).toBeReady();
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ text: "nginx" });
  await cluster.delete(Site, "a");
  await op.settled();
  for (const kind of [Site, Part, ConfigMap]) expect(await cluster.get(kind, "a")).toBeUndefined();
});

test("a dependent waits for a kind that is not served yet", async () => {
  const Late = defineResource({ group: "late.example.dev", version: "v1", kind: "Late", scope: "Namespaced", spec: z.object({}) });
  const late: DependentStep<Site> = dependentApply(Site, { name: "late", kind: Late, desired: { spec: {} } });
  const world = fakeWorld(handler(Site).step(conditions()).step(late).build(), { objects: [site()], missing: [Late] });
  await world.settled();
  expect(await said(world)).toEqual(["late Pending/KindNotInstalled"]);
  await world.install(Late);
  for (let i = 0; i < 3; i++) {
    await world.advance(10_000);
    await world.settled();
  }
  expect(await said(world)).toEqual(["late Ready"]);
});

test("objects that are no longer desired are deleted in reverse order", async () => {
  const base = page({ name: "base", objectName: "base" });
  const top = page({ name: "top", objectName: "top", dependsOn: [base] });
  const world = fakeWorld(
    handler(Site)
      .step(conditions())
      .step(dependentApplyAll("parts", [base, top]))
      .build(),
    { objects: [site()] },
  );
  await world.settled();
  await world.update(ConfigMap, "top", (object) => merge(object, { metadata: { finalizers: ["example.dev/hold"] } }));
  await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
  await world.settled();
  expect(await world.get(ConfigMap, "base")).toBeDefined();
  await world.update(ConfigMap, "top", (object) => merge(object, { metadata: { finalizers: null } }));
  await world.settled();
  expect(await world.get(ConfigMap, "base")).toBeUndefined();
  expect(await world.get(ConfigMap, "top")).toBeUndefined();
});
