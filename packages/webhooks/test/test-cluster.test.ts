/** The stories of users: webhooks in a test cluster, on an API server in memory and on a real one. */
import { defineResource, fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Namespace, ResourceQuota, Secret, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { conditions, handler, many, one } from "@treadle/reconcile";
import { configMap, fakeWorld, secret, startTestCluster, type TestedWebhooks } from "@treadle/testing";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { deny, type Webhooks, webhooks } from "../src/index.ts";
import { outcomeOf } from "./outcome.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
      }),
      status: z.object({ url: z.string() }),
    },
    v1alpha1: {
      spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }),
      status: z.object({ url: z.string() }),
    },
  },
});
const Alpha = Website.versions.v1alpha1;

const website = webhooks(Website, {
  fill(spec, site) {
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems(site, { old, warn }) {
    if (site.spec.replicas > 5) warn("more than 5 replicas cost extra");
    return [
      ...(site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
      ...(old && old.spec.host !== site.spec.host ? [{ path: "spec.host", message: "cannot change" }] : []),
    ];
  },
  convert: {
    v1alpha1: {
      up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});

test("the values of webhooks() are what test environments take", () => {
  expectTypeOf<Webhooks>().toExtend<TestedWebhooks>();
  expectTypeOf(website).toExtend<TestedWebhooks>();
});

test("an object is completed, and completed again it stays", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  await cluster.create(Website, { metadata: { name: "a" }, spec: {} });
  expect((await cluster.get(Website, "a"))?.spec).toEqual({ host: "a.example.com", replicas: 1 });
  await cluster.update(Website, "a", ({ spec }) => void (spec.replicas = 2));
  expect((await cluster.get(Website, "a"))?.spec).toEqual({ host: "a.example.com", replicas: 2 });
});

test("all problems of an object are one refusal with its fields", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  await cluster.create(Website, { metadata: { name: "a" }, spec: {} });
  const changed = cluster.update(Website, "a", ({ spec }) => void Object.assign(spec, { host: "other", replicas: 11 }));
  const text = await outcomeOf(changed);
  expect(text).toMatch(/^422 /);
  for (const part of ["spec.replicas", "at most 10", "spec.host", "cannot change"]) expect(text).toContain(part);
  expect((await cluster.get(Website, "a"))?.spec.replicas).toBe(1);
});

test("a refusal by deny has its status", async () => {
  const closed = webhooks(ConfigMap, { problems: ({ metadata }) => (metadata.name === "a" ? deny("not today") : []) });
  await using cluster = await startTestCluster({ webhooks: [closed] });
  expect(await outcomeOf(cluster.create(ConfigMap, configMap("a", {})))).toMatch(/^403 .*not today/);
  await cluster.create(ConfigMap, configMap("b", {}));
});

test("a dry run is reviewed, and stores nothing", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  const site = { metadata: { name: "a", namespace: "default" }, spec: {} };
  const answered = await cluster.client.create(Website, site, { dryRun: true });
  expect(answered.spec.host).toBe("a.example.com");
  expect(await cluster.list(Website)).toEqual([]);
  const refused = cluster.client.create(Website, { ...site, spec: { replicas: 11 } }, { dryRun: true });
  expect(await outcomeOf(refused)).toMatch(/^422 .*at most 10/);
});

test("a user who is served a warning gets it with the answer", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  const site = { apiVersion: "web.example.com/v1", kind: "Website", metadata: { name: "a" }, spec: { replicas: 6 } };
  const path = "/apis/web.example.com/v1/namespaces/default/websites";
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await cluster.client.raw({ method: "POST", path, headers, body: JSON.stringify(site) });
  expect(answer.status).toBe(201);
  expect(String(answer.headers["warning"])).toContain("more than 5 replicas cost extra");
});

test("a status write and a label are not refused for a rule that is newer than the object", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  const name = (await cluster.client.list(ValidatingWebhookConfiguration)).items[0]?.metadata.name ?? "";
  const removed = await cluster.client.get(ValidatingWebhookConfiguration, { name });
  await cluster.client.delete(ValidatingWebhookConfiguration, { name });
  // Until a real server has seen the deletion.
  await expect
    .poll(() => outcomeOf(cluster.create(Website, { metadata: { name: "big" }, spec: { replicas: 11 } })), { timeout: 10_000 })
    .toBe("accepted");
  const { resourceVersion: _, uid: __, ...metadata } = removed?.metadata ?? { name };
  await cluster.client.create(ValidatingWebhookConfiguration, { ...removed, metadata } as never); // as it was
  const probe = { metadata: { name: "probe", namespace: "default" }, spec: { replicas: 11 } };
  await expect.poll(() => outcomeOf(cluster.client.create(Website, probe, { dryRun: true })), { timeout: 10_000 }).toMatch(/^422/);

  await cluster.updateStatus(Website, "big", (site) => void (site.status = { url: "https://big" }));
  await cluster.update(Website, "big", ({ metadata: of }) => void (of.labels = { team: "a" }));
  expect(await outcomeOf(cluster.update(Website, "big", ({ spec }) => void (spec.replicas = 12)))).toMatch(/^422/);
  await cluster.delete(Website, "big");
  expect(await cluster.get(Website, "big")).toBeUndefined();
});

test("objects of every version are served in every version, and reviewed in the hub", async () => {
  await using cluster = await startTestCluster({ webhooks: [website] });
  await cluster.create(Website, { metadata: { name: "new" }, spec: { tls: { issuer: "ca" } } });
  await cluster.create(Alpha, { metadata: { name: "old" }, spec: { size: 2 } });
  expect((await cluster.list(Alpha)).map(({ spec }) => spec)).toEqual([
    { domain: "new.example.com", size: 1 },
    { domain: "old.example.com", size: 2 },
  ]);
  expect(await outcomeOf(cluster.create(Alpha, { metadata: { name: "big" }, spec: { size: 11 } }))).toMatch(/^422 .*at most 10/);
  await cluster.update(Alpha, "new", ({ spec }) => void (spec.size = 3));
  expect((await cluster.get(Website, "new"))?.spec).toEqual({ host: "new.example.com", replicas: 3, tls: { issuer: "ca" } });
});

test("a rule over other objects reads them, and calls with the rights that it declares only", async () => {
  const quota = webhooks(ConfigMap, {
    reads: { others: many(ConfigMap, () => ({ matchLabels: { app: "a" } })), token: one(Secret, () => "token") },
    permissions: [{ kind: Namespace, verbs: ["get"] }],
    async problems({ metadata }, { reads, client }) {
      if (metadata.name === "forbidden") await client.get(ResourceQuota, { name: "x", namespace: "default" });
      const namespace = await client.get(Namespace, { name: metadata.namespace ?? "" });
      if (reads.token?.data?.["password"] === undefined) return ["there is no token"];
      return reads.others.length >= 2 ? [`at most 2 in ${namespace?.metadata.name}`] : [];
    },
  });
  await using cluster = await startTestCluster({ webhooks: [quota], objects: [secret("token", { password: "x" })] });
  const create = (name: string): Promise<unknown> =>
    cluster.client.create(ConfigMap, { metadata: { name, namespace: "default", labels: { app: "a" } } });
  await create("a");
  await create("b");
  expect(await outcomeOf(create("c"))).toMatch(/^422 .*at most 2 in default/);
  expect(await outcomeOf(create("forbidden"))).toMatch(/^500 .*failed calling webhook/);
});

describe("a function that throws", () => {
  test.for([
    { failurePolicy: "Fail", want: /^500 .*failed calling webhook/ },
    { failurePolicy: "Ignore", want: /^accepted$/ },
  ] as const)("with failurePolicy $failurePolicy", async ({ failurePolicy, want }) => {
    const broken = webhooks(ConfigMap, {
      failurePolicy,
      problems() {
        throw new Error("boom");
      },
    });
    await using cluster = await startTestCluster({ webhooks: [broken] });
    expect(await outcomeOf(cluster.create(ConfigMap, configMap("a", {})))).toMatch(want);
    expect(cluster.webhookLogs.filter(({ level }) => level === "error")).toHaveLength(1);
    // The cluster goes on.
    await cluster.create(Namespace, { metadata: { name: "other" } });
  });
});

test("a function that never answers fails within its timeout, in virtual time", { tags: ["memory"] }, async () => {
  const clock = fakeClock();
  const hanging = webhooks(ConfigMap, { timeoutSeconds: 10, problems: () => new Promise(() => undefined) });
  await using cluster = await startTestCluster({ clock, webhooks: [hanging] });
  const created = outcomeOf(cluster.create(ConfigMap, configMap("a", {})));
  await cluster.advance(9_000);
  expect(await created).toMatch(/^500 .*failed calling webhook/);
});

test("a world completes, refuses and converts as a cluster does", async () => {
  const world = fakeWorld(handler(Website).step(conditions()).build(), { webhooks: [website] });
  await world.create(Website, { metadata: { name: "a" }, spec: {} });
  await world.settled();
  expect((await world.get(Website, "a"))?.spec.host).toBe("a.example.com");
  expect((await world.get(Alpha, "a"))?.spec).toEqual({ domain: "a.example.com", size: 1 });
  expect(await outcomeOf(world.create(Website, { metadata: { name: "b" }, spec: { replicas: 11 } }))).toMatch(/^422/);
});
