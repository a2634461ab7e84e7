/** Users' stories with the real helm. They run on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { ConfigMap, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { Redis, redis } from "./redis.ts";

async function started(): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads: true });
  await cluster.start(redis);
  await cluster.create(Redis, { metadata: { name: "cache" }, spec: { passwordSecret: "password" } });
  await cluster.settled();
  return cluster;
}

async function installed(): Promise<TestCluster> {
  const cluster = await started();
  await cluster.create(Secret, { metadata: { name: "password" }, stringData: { password: "hunter2" } });
  await cluster.settled();
  return cluster;
}

async function conditionOf(cluster: TestCluster): Promise<string> {
  const found = (await cluster.get(Redis, "cache"))?.status?.conditions?.find(({ type }) => type === "RedisReady");
  return `${found?.status} ${found?.reason}: ${found?.message ?? ""}`;
}

const configOf = async (cluster: TestCluster): Promise<string> => (await cluster.get(ConfigMap, "cache"))?.data?.["redis.conf"] ?? "";

test("a Redis without its Secret names the template, and is installed when the Secret exists", async () => {
  await using cluster = await started();
  const condition = await conditionOf(cluster);
  expect(condition).toMatch(/^False /);
  expect(condition).toContain("templates/secret.yaml");
  expect(condition).toContain("the Secret in spec.passwordSecret needs the key password");
  expect(await cluster.get(StatefulSet, "cache")).toBeUndefined();
  await cluster.create(Secret, { metadata: { name: "password" }, stringData: { password: "hunter2" } });
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("True Ready: 5 objects are ready");
});

test("the hook of a Redis runs before all other objects, and its Job is deleted when it has succeeded", async () => {
  await using cluster = await installed();
  const applied = cluster.requests.filter({ verb: "apply" }).map(({ name }) => name);
  const objects = applied.filter((name) => ["cache-check", "cache-auth", "cache"].includes(name ?? ""));
  expect(objects[0]).toBe("cache-check");
  expect(await cluster.get(Job, "cache-check")).toBeUndefined();
  expect(await cluster.get(Redis, "cache")).toBeReady();
});

test("the password of a Redis is in its Secret, and in no condition", async () => {
  await using cluster = await installed();
  const password = async (): Promise<string> =>
    Buffer.from((await cluster.get(Secret, "cache-auth"))?.data?.["password"] ?? "", "base64").toString();
  expect(await password()).toBe("hunter2");
  await cluster.update(Secret, "password", (secret) => void (secret.data = { password: Buffer.from("hunter3").toString("base64") }));
  await cluster.settled();
  expect(await password()).toBe("hunter3");
  expect(JSON.stringify((await cluster.get(Redis, "cache"))?.status)).not.toMatch(/hunter|aHVudGVy/);
});

test("a value that the chart refuses stops no server, and a correction is applied", async () => {
  await using cluster = await installed();
  await cluster.update(Redis, "cache", ({ spec }) => void (spec.maxMemory = "much"));
  await cluster.settled();
  expect(await conditionOf(cluster)).toMatch(/^False .*maxMemory/);
  expect(await configOf(cluster)).toContain("maxmemory 64mb");
  await cluster.update(Redis, "cache", ({ spec }) => void (spec.maxMemory = "128mb"));
  await cluster.settled();
  expect(await configOf(cluster)).toContain("maxmemory 128mb");
  expect(await conditionOf(cluster)).toBe("True Ready: 5 objects are ready");
});

test("a Redis that was upgraded does not run its hook for installations again", async () => {
  await using cluster = await installed();
  cluster.requests.clear();
  await cluster.update(Redis, "cache", ({ spec }) => void (spec.replicas = 3));
  await cluster.settled();
  expect((await cluster.get(StatefulSet, "cache"))?.spec?.replicas).toBe(3);
  expect(cluster.requests.filter({ verb: "apply" }).map(({ name }) => name)).not.toContain("cache-check");
});

test("a deleted object of a Redis is recreated", async () => {
  await using cluster = await installed();
  await cluster.delete(Service, "cache");
  await cluster.settled();
  expect((await cluster.get(Service, "cache"))?.spec?.selector).toEqual({
    "app.kubernetes.io/name": "redis",
    "app.kubernetes.io/instance": "cache",
  });
});

test("a deleted Redis removes all objects of its chart, and leaves the Secret of the user", async () => {
  await using cluster = await installed();
  await cluster.delete(Redis, "cache");
  await cluster.settled();
  expect(await cluster.get(Redis, "cache")).toBeUndefined();
  const left = await Promise.all([ConfigMap, Service, StatefulSet].map((kind) => cluster.get(kind, "cache")));
  expect([...left, await cluster.get(Secret, "cache-auth")]).toEqual([undefined, undefined, undefined, undefined]);
  expect(await cluster.get(Secret, "password")).toBeDefined();
});
