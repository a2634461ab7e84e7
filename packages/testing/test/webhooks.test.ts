import { defineResource, fakeClock, isApiError, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { conditions, handler, many, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { configMap, fakeWorld, startTestCluster, type TestCluster, type TestedWebhooks } from "../src/index.ts";
import { rules } from "./rules.ts";

const Site = defineResource({
  group: "testing.example.com",
  kind: "Site",
  scope: "Namespaced",
  version: "v1",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), size: z.int32().default(1) }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
type Site = ObjectOf<typeof Site>;
const Alpha = Site.versions.v1alpha1;

const siteOf = (object: object): Site => object as Site; // the API server validated it

const complete = rules(Site, { fill: ({ object }) => ({ host: `${object.metadata.name}.example.com`, ...object.spec }) });
const small = rules(Site, {
  refuse: ({ object }) => (siteOf(object).spec.size > 10 ? "at most 10" : undefined),
  warnings: ["sites cost money"],
});

/** An operator that makes a ConfigMap for each Site. */
const maker = handler(Site)
  .step(conditions())
  .step(
    step(Site, {
      name: "make",
      permissions: [{ kind: ConfigMap, verbs: ["get", "create"] }],
      async do(req) {
        const { name } = req.object.metadata;
        if ((await req.client.get(ConfigMap, name)) === undefined)
          await req.client.create(ConfigMap, { metadata: { name }, data: { host: req.object.spec.host ?? "" } });
      },
    }),
  )
  .build();

async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write;
  } catch (error) {
    if (isApiError(error)) return `${error.status} ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("startTestCluster", () => {
  test("webhooks complete objects, those of the start included", async () => {
    const objects = [{ apiVersion: "testing.example.com/v1", kind: "Site", metadata: { name: "first" }, spec: {} }];
    await using cluster = await startTestCluster({ webhooks: [complete], objects });
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    expect((await cluster.get(Site, "first"))?.spec.host).toBe("first.example.com");
    expect((await cluster.get(Site, "a"))?.spec).toEqual({ host: "a.example.com", size: 1 });
  });

  test("a refusal is the API server's error for the request, and nothing is stored", async () => {
    await using cluster = await startTestCluster({ webhooks: [complete, small] });
    expect(await refusal(cluster.create(Site, { metadata: { name: "a" }, spec: { size: 11 } }))).toMatch(/^403 .*at most 10/);
    expect(await cluster.list(Site)).toEqual([]);
  });

  test("a dry run is reviewed as one", async () => {
    const seen: unknown[] = [];
    const watching = rules(Site, { refuse: ({ dryRun }) => void seen.push(dryRun) });
    await using cluster = await startTestCluster({ webhooks: [watching] });
    await cluster.client.create(Site, { metadata: { name: "a", namespace: "default" }, spec: {} }, { dryRun: true });
    expect({ seen, sites: await cluster.list(Site) }).toEqual({ seen: [true], sites: [] });
  });

  test("an operator's writes are reviewed", async () => {
    const maps = rules(ConfigMap, { refuse: ({ object }) => ("data" in object ? "no data" : undefined) });
    await using cluster = await startTestCluster({ webhooks: [maps], checkStatus: false });
    const operator = await cluster.start(maker);
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await operator.settled({ horizonMs: 0 });
    const failed = operator.passes.flatMap(({ outcome }) => (outcome.type === "failed" ? [outcome] : []));
    expect(failed[0]).toMatchObject({ step: "make" });
    expect(String(failed[0]?.error)).toContain("no data");
  });

  test("an error of a webhook is the error of the request, and a line of the log", async () => {
    const broken = rules(Site, {
      refuse() {
        throw new Error("boom");
      },
    });
    await using cluster = await startTestCluster({ webhooks: [broken] });
    expect(await refusal(cluster.create(Site, { metadata: { name: "a" }, spec: {} }))).toMatch(/^500 .*failed calling webhook.*boom/);
    expect(cluster.webhookLogs).toEqual([expect.objectContaining({ level: "error", text: "webhook /refuse/sites failed: Error: boom" })]);
    // Other kinds are written as before.
    await cluster.create(ConfigMap, configMap("a", {}));
    await cluster.create(Namespace, { metadata: { name: "other" } });
  });

  test("webhooks read other objects, and act with the rights that they declare only", async () => {
    const limited: TestedWebhooks = rules(Site, {
      reads: { limit: one(ConfigMap, () => "limit"), all: many(ConfigMap, () => ({ matchLabels: { app: "sites" } })) },
      permissions: [{ kind: ConfigMap, verbs: ["get"], names: ["limit"] }],
      async refuse({ object }, env) {
        const { limit, all } = (await env.read(object, env.signal)) as { limit: { data: { max: string } }; all: readonly unknown[] };
        await env.client.get(ConfigMap, { name: "limit", namespace: "default" });
        if (siteOf(object).spec.size <= Number(limit.data.max)) return undefined;
        await env.client.get(ConfigMap, { name: "secret", namespace: "default" });
        return `${all.length} limits`;
      },
    });
    const limit = { ...configMap("limit", { max: "3" }), metadata: { name: "limit", labels: { app: "sites" } } };
    await using cluster = await startTestCluster({ webhooks: [limited], objects: [limit] });
    await cluster.create(Site, { metadata: { name: "a" }, spec: { size: 3 } });
    expect(await refusal(cluster.create(Site, { metadata: { name: "b" }, spec: { size: 4 } }))).toMatch(/^500 .*cannot get ConfigMap/);
  });

  test("a webhook converts objects between versions", async () => {
    const convert = rules(Site, {
      convert: ({ spec }, apiVersion) => {
        const { host, domain = host, size } = spec as { host?: string; domain?: string; size: number };
        return apiVersion.endsWith("v1") ? { host: domain, size } : { domain, size };
      },
    });
    await using cluster = await startTestCluster({ webhooks: [convert] });
    await cluster.create(Site, { metadata: { name: "a" }, spec: { host: "a.b" } });
    await cluster.create(Alpha, { metadata: { name: "b" }, spec: { domain: "c.d", size: 2 } });
    expect((await cluster.get(Alpha, "a"))?.spec).toEqual({ domain: "a.b", size: 1 });
    expect((await cluster.list(Site)).map(({ spec }) => spec)).toEqual([
      { host: "a.b", size: 1 },
      { host: "c.d", size: 2 },
    ]);
  });

  test("a webhook that never answers fails when its timeout has passed in virtual time", { tags: ["memory"] }, async () => {
    const clock = fakeClock();
    const hanging = rules(Site, { refuse: () => new Promise(() => undefined) });
    await using cluster = await startTestCluster({ clock, webhooks: [hanging] });
    const begin = clock.now();
    const created = refusal(cluster.create(Site, { metadata: { name: "a" }, spec: {} }));
    await cluster.advance(5_000);
    expect(await created).toMatch(/^500 .*deadline exceeded/);
    expect(clock.now() - begin).toBe(5_000);
  });

  test("a pass waits in virtual time for a webhook that never answers", { tags: ["memory"] }, async () => {
    const hanging = rules(ConfigMap, { refuse: () => new Promise(() => undefined), failurePolicy: "Ignore" });
    await using cluster = await startTestCluster({ webhooks: [hanging], checkStatus: false });
    const operator = await cluster.start(maker);
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    const begin = cluster.clock.now();
    await operator.settled();
    expect(await cluster.get(ConfigMap, "a")).toBeDefined();
    expect(cluster.clock.now() - begin).toBe(5_000);
  });

  test("Services of the test are found besides the webhooks", { tags: ["memory"] }, async () => {
    const asked: string[] = [];
    const webhookServices = ({ name }: { readonly name: string }): undefined => void asked.push(name);
    await using cluster: TestCluster = await startTestCluster({ webhooks: [small], server: { webhookServices } });
    await cluster.apply({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "another" },
      webhooks: [
        {
          name: "another.example.com",
          clientConfig: { service: { name: "mine", namespace: "default" } },
          rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    expect(await refusal(cluster.create(ConfigMap, configMap("a", {})))).toContain('service "mine" not found');
    expect(asked).toEqual(["mine"]);
  });
});

describe("fakeWorld", () => {
  const idle = handler(Site).step(conditions()).build();

  test("webhooks review the objects of a test, and their log is in that of the world", async () => {
    const logging = rules(Site, {
      refuse({ object }, { log }) {
        log.info({}, `reviewed ${object.metadata.name}`);
        return siteOf(object).spec.size > 10 ? "at most 10" : undefined;
      },
    });
    const world = fakeWorld(idle, { webhooks: [complete, logging] });
    await world.create(Site, { metadata: { name: "a" }, spec: {} });
    await world.settled();
    expect((await world.get(Site, "a"))?.spec.host).toBe("a.example.com");
    expect(await refusal(world.create(Site, { metadata: { name: "b" }, spec: { size: 11 } }))).toMatch(/^403 .*at most 10/);
    expect(world.logs.map(({ text }) => text)).toContain("reviewed a");
    expect(world.requests.filter({ resource: "validatingwebhookconfigurations" })).toEqual([]);
  });
});
