/** How many requests a command sends, and what it never reads. */
import { ApiError, type KubernetesObject } from "@treadle/apimachinery";
import { Deployment, Secret } from "@treadle/apimachinery/kinds";
import { type Client, discovery, intercept } from "@treadle/client";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { clusterReader, MAX_READS } from "../src/cluster/reader.ts";
import { ServedKinds } from "../src/cluster/served-kinds.ts";
import { explanationOf } from "../src/explain/explanation.ts";
import { collect } from "../src/inspect/collect.ts";
import { pods, Shop, shops } from "./shop.ts";

const memory = { tags: ["memory"] };

/** Explains with a client that counts requests, and the longest chain of requests that wait for each other. */
async function counted(cluster: TestCluster, { kind, name }: { readonly kind: string; readonly name: string }) {
  const reads: string[] = [];
  let rounds = 0;
  let running = 0;
  const watched = async <T>(what: string, call: Promise<T>): Promise<T> => {
    reads.push(what);
    if (running++ === 0) rounds += 1;
    return call.finally(() => void (running -= 1));
  };
  const client: Client = intercept(cluster.client, (next) => ({
    get: (of, ref, options) => watched(`get ${of.kind}${"metadataOnly" in of ? " metadata" : ""}`, next.get(of, ref, options)),
    list: (of, options) => watched(`list ${of.kind}${"metadataOnly" in of ? " metadata" : ""}`, next.list(of, options)),
  }));
  const kinds = new ServedKinds(await discovery(client).kinds());
  const found = kinds.resolve(kind);
  const object = (await cluster.client.get(found, { name, namespace: "default" })) as KubernetesObject; // The test created it.
  const reader = clusterReader({ client, kinds, signal: new AbortController().signal, nowMs: () => cluster.clock.now() });
  const explanation = explanationOf(await collect(reader, { kind: found, object }));
  return { reads, rounds, explanation };
}

test("explain of a Deployment sends at most ten requests, in at most three rounds", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ErrImagePull");
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  const { reads, rounds } = await counted(cluster, { kind: "deployment", name: "web" });
  expect(reads.length).toBeLessThanOrEqual(10);
  expect(rounds).toBeLessThanOrEqual(3);
});

test("explain of a resource with dependents sends at most forty requests, and reads no contents of Secrets", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ErrImagePull");
  await cluster.start(shops);
  await cluster.create(Secret, { metadata: { name: "card" } });
  await cluster.create(Shop, { metadata: { name: "a" }, spec: { secret: "card" } });
  await cluster.settled();
  const { reads, rounds, explanation } = await counted(cluster, { kind: "shop", name: "a" });
  expect(explanation.cause?.code).toBe("ImagePull");
  expect(reads.length).toBeLessThanOrEqual(40);
  expect(rounds).toBeLessThanOrEqual(4);
  expect(reads.filter((read) => /Secret$|ConfigMap$/.test(read))).toEqual([]);
});

test("a reader stops after its limit of requests, and says what it did not read", memory, async () => {
  await using cluster = await startTestCluster();
  const kinds = new ServedKinds(await discovery(cluster.client).kinds());
  const reader = clusterReader({ client: cluster.client, kinds, signal: new AbortController().signal, nowMs: () => 0 });
  const pod = kinds.resolve("pod");
  for (let read = 0; read <= MAX_READS; read++) await reader.get(pod, { name: "a", namespace: "default" });
  expect(reader.unread).toEqual([{ what: "Pod default/a", why: `the limit of ${MAX_READS} requests is reached` }]);
});

test("a read that the server cannot answer is noted, and a lost connection ends the command", memory, async () => {
  await using cluster = await startTestCluster();
  const kinds = new ServedKinds(await discovery(cluster.client).kinds());
  const answers = [new ApiError({ status: 500, message: "etcd is away" }), new Error("socket hang up")];
  const client = intercept(cluster.client, () => ({ list: () => Promise.reject(answers.shift() as Error) })); // Two answers, two calls.
  const reader = clusterReader({ client, kinds, signal: new AbortController().signal, nowMs: () => 0 });
  expect(await reader.list(kinds.resolve("pod"), { namespace: "default" })).toEqual([]);
  expect(reader.unread).toEqual([{ what: "pods in default", why: "etcd is away" }]);
  await expect(reader.list(kinds.resolve("pod"), { namespace: "default" })).rejects.toThrow("socket hang up");
});
