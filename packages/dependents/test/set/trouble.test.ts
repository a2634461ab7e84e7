/** What a server refuses, and two writers of one object. Each object is reported, the rest goes on. In memory and on a real server. */
import "@treadle/testing/matchers";
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace, ResourceQuota, Service, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { fakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { dependentSet, dependentsOf, type Manifest, object } from "../../src/index.ts";
import { config, KINDS, Platform, platform, platforms } from "./platforms.ts";

const WRITES = ["create", "update", "patch", "apply", "delete"] as const;

const conditionOf = async (cluster: TestCluster, name = "a"): Promise<string> => {
  const found = (await cluster.get(Platform, name))?.status?.conditions?.find(({ type }) => type === "StackReady");
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};
const entryOf = async (cluster: TestCluster, name: string, owner = "a"): Promise<string | undefined> => {
  const entry = dependentsOf((await cluster.get(Platform, owner)) ?? {}).find((each) => each.name === name);
  return entry === undefined ? undefined : `${entry.kind} ${entry.type}/${entry.reason}: ${entry.message}`;
};
const service = (name: string): Manifest => object(Service, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
const isThere = async (cluster: TestCluster, name: string): Promise<boolean> => (await cluster.get(ConfigMap, name)) !== undefined;

describe("a value that the server refuses", () => {
  test.for<{ name: string; bad: Manifest; says: RegExp }>([
    {
      name: "an invalid label",
      bad: { ...config("x"), metadata: { name: "x", labels: { a: "not valid!" } } },
      says: /^ConfigMap Failed\/Invalid: cannot apply ConfigMap default\/x: .*metadata\.labels: Invalid value: "not valid!"/,
    },
    {
      name: "a value of another type",
      bad: { ...config("x"), data: { a: 1 } } as Manifest,
      says: /^ConfigMap Failed\/InvalidApply: cannot apply ConfigMap default\/x: .*\.data\.a: expected string/,
    },
    {
      name: "an unknown field",
      bad: { ...config("x"), dat: {} } as Manifest,
      says: /^ConfigMap Failed\/InvalidApply: cannot apply ConfigMap default\/x: .*\.dat: field not declared in schema/,
    },
  ])("($name) is reported for its object, the others of the wave are applied, no later wave begins", async ({ bad, says }) => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const operator = await cluster.start(platforms({ objects: () => [config("good"), bad, config("later", {}, { apply: 1 })] }));
    await operator.settled({ horizonMs: 0 });
    expect(await entryOf(cluster, "x")).toMatch(says);
    expect(await conditionOf(cluster)).toMatch(/^False Error: cannot apply ConfigMap default\/x: /);
    expect(await entryOf(cluster, "later")).toBe("ConfigMap Pending/WaitingForWave: waits for wave 0: ConfigMap default/x is not ready");
    expect([await isThere(cluster, "good"), await isThere(cluster, "later")]).toEqual([true, false]);
    await cluster.delete(Platform, "a");
    await operator.settled();
    expect([await cluster.get(Platform, "a"), await isThere(cluster, "good")]).toEqual([undefined, false]);
  });
});

test("an object in a namespace that is terminating waits, and is applied when the namespace is there again", {
  tags: ["memory"],
}, async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  await cluster.create(Namespace, { metadata: { name: "table-ending" } });
  await cluster.create(ConfigMap, { metadata: { name: "hold", namespace: "table-ending", finalizers: ["example.dev/hold"] } });
  await cluster.delete(Namespace, "table-ending");
  const inside = object(ConfigMap, { metadata: { name: "x", namespace: "table-ending" } });
  const operator = await cluster.start(platforms({ objects: () => [config("good"), inside] }));
  await operator.settled({ horizonMs: 0 });
  expect(await conditionOf(cluster)).toMatch(
    /^Unknown Processing: 1 of 2 objects are ready, wave 0: cannot apply ConfigMap table-ending\/x/,
  );
  expect(await entryOf(cluster, "x")).toMatch(/^ConfigMap Pending\/Forbidden: .*namespace table-ending because it is being terminated/);
  expect(await isThere(cluster, "good")).toBe(true);
  await cluster.update(ConfigMap, "table-ending/hold", ({ metadata }) => void (metadata.finalizers = []));
  await operator.settled({ horizonMs: 60_000 });
  expect(await conditionOf(cluster)).toBe("True Ready: 2 objects are ready");
});

test("a webhook server that does not answer is waited for", async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const webhook = {
    name: "down.example.dev",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 1,
    failurePolicy: "Fail",
    clientConfig: { url: "https://127.0.0.1:1/x" },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["services"] }],
  };
  await cluster.create(ValidatingWebhookConfiguration, { metadata: { name: "table-down" }, webhooks: [webhook] } as never);
  const operator = await cluster.start(platforms({ objects: () => [config("good"), service("table-service")] }));
  await expect
    .poll(async () => {
      await operator.settled({ horizonMs: 0 });
      return await conditionOf(cluster);
    })
    .toMatch(/^Unknown Processing: 1 of 2 objects are ready, wave 0: cannot apply Service default\/table-service: .*down\.example\.dev/);
  expect(await entryOf(cluster, "table-service")).toMatch(/^Service Pending\/InternalError: /);
  await cluster.delete(ValidatingWebhookConfiguration, "table-down");
  await expect
    .poll(async () => {
      await operator.settled();
      return await conditionOf(cluster);
    })
    .toBe("True Ready: 2 objects are ready");
});

test("a quota that is used up is a failure of its object", { tags: ["real"] }, async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const quota = { metadata: { name: "table-quota" }, spec: { hard: { "count/services": "0" } } };
  await cluster.create(ResourceQuota, quota as never);
  await expect
    .poll(async () => ((await cluster.get(ResourceQuota, "table-quota")) as { status?: { hard?: object } } | undefined)?.status?.hard)
    .toBeDefined();
  const operator = await cluster.start(platforms({ objects: () => [config("good"), service("table-service")] }));
  await operator.settled({ horizonMs: 0 });
  expect(await conditionOf(cluster)).toMatch(/^False Error: cannot apply Service default\/table-service: .*exceeded quota: table-quota/);
  expect(await isThere(cluster, "good")).toBe(true);
});

test("an immutable field is reported with the choice, and recreated where the update policy says so", async () => {
  await using cluster = await startTestCluster({ objects: [platform()] });
  const deployment = (name: string, app: string, policies = {}): Manifest => {
    const spec = { containers: [{ name: "c", image: "x" }] };
    const template = { metadata: { labels: { app } }, spec };
    return object(Deployment, { metadata: { name }, spec: { replicas: 0, selector: { matchLabels: { app } }, template } }, policies);
  };
  const operator = await cluster.start(
    platforms({
      objects: ({ spec }) => [
        config("good", { text: spec.text }),
        deployment("fixed", spec.text),
        deployment("recreated", spec.text, { update: "recreate" }),
      ],
    }),
  );
  await operator.settled();
  const uidOf = async (name: string): Promise<string | undefined> => (await cluster.get(Deployment, name))?.metadata.uid;
  const before = { fixed: await uidOf("fixed"), recreated: await uidOf("recreated") };
  await cluster.update(Platform, "a", ({ spec }) => void (spec.text = "two"));
  await expect
    .poll(async () => {
      await operator.settled();
      return (await uidOf("recreated")) ?? before.recreated;
    })
    .not.toBe(before.recreated);
  expect(await conditionOf(cluster)).toBe(
    'False Error: Deployment fixed needs another spec.selector, which the server does not let change: set its update policy to "recreate", or restore the old value',
  );
  expect(await entryOf(cluster, "fixed")).toMatch(/^Deployment Failed\/Immutable: /);
  expect(await uidOf("fixed")).toBe(before.fixed);
  expect((await cluster.get(ConfigMap, "good"))?.data).toEqual({ text: "two" });
});

describe("two writers that render one object", () => {
  test.for(["ifUnowned", "force"] as const)(
    "of two owners with adopt %s, the second reports the first, and nothing flaps",
    async (adopt) => {
      await using cluster = await startTestCluster({ objects: [platform({ text: "of a" })] });
      const operator = await cluster.start(platforms({ defaults: { adopt } }));
      await operator.settled();
      await cluster.create(Platform, { metadata: { name: "b" }, spec: { text: "of b", names: ["two", "three"] } });
      await operator.settled();
      expect(await conditionOf(cluster, "a")).toBe("True Ready: 2 objects are ready");
      expect(await conditionOf(cluster, "b")).toMatch(/^False Error: ConfigMap two is not ours: it belongs to Platform default\/a\b/);
      expect(await entryOf(cluster, "two", "b")).toMatch(/^ConfigMap Failed\/NotOurs: /);
      expect((await cluster.get(ConfigMap, "two"))?.data).toEqual({ text: "of a" });
      expect((await cluster.get(ConfigMap, "three"))?.data).toEqual({ text: "of b" });
      cluster.requests.clear();
      for (let i = 0; i < 20; i++) {
        await cluster.update(
          Platform,
          i % 2 === 0 ? "a" : "b",
          ({ metadata }) => void (metadata.annotations = { [`kubectl.kubernetes.io/${i}`]: "" }),
        );
        await operator.settled({ horizonMs: 0 });
      }
      expect(cluster.requests.filter({ verb: [...WRITES], kind: ConfigMap })).toEqual([]);
      await cluster.delete(Platform, "b");
      await operator.settled();
      expect([await isThere(cluster, "two"), await isThere(cluster, "three")]).toEqual([true, false]);
    },
  );

  test.for(["ifUnowned", "force"] as const)(
    "of two steps with adopt %s, the second reports the first, and nothing flaps",
    async (adopt) => {
      const set = (name: string, condition: string) =>
        dependentSet(Platform, {
          name,
          condition,
          kinds: KINDS,
          defaults: { adopt },
          objects: () => [config("x", { text: name }), config(name)],
        });
      const both = handler(Platform).step(conditions()).step(set("one", "OneReady")).step(set("two", "TwoReady")).build();
      const world = fakeWorld(both, { objects: [platform()] });
      await world.settled();
      const found = (await world.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "TwoReady");
      expect(found).toMatchObject({ status: "False", message: 'ConfigMap x is not ours: it belongs to step "one" of the same Platform' });
      await world.pass("a"); // Both sets fill the same status fields.
      world.requests.clear();
      for (let i = 0; i < 20; i++) await world.pass("a");
      expect(world.requests.summary()).toEqual({});
      expect((await world.get(ConfigMap, "x"))?.data).toEqual({ text: "one" });
      await world.delete(Platform, "a");
      await world.settled();
      expect(((await world.list(ConfigMap)) as readonly KubernetesObject[]).length).toBe(0);
    },
  );
});
