/** A user's story in a cluster: on the server in memory, and on a real one. */
import "@treadle/testing/matchers";
import { type TestCluster, startTestCluster } from "@treadle/testing";
import { Deployment, Pod, PriorityClass } from "treadle/kinds";
import { expect, test } from "vitest";
import { websites } from "./controller.ts";
import { pods, website } from "./webhooks.ts";
import { Website } from "./website.ts";

const { v1alpha1: Alpha } = Website.versions;

async function started(): Promise<TestCluster> {
  return await startTestCluster({ webhooks: [website, pods] });
}

test("a website is completed, refused and converted where it enters the cluster", async () => {
  await using cluster = await started();
  await cluster.start(websites);
  await cluster.create(Alpha, { metadata: { name: "shop" }, spec: { size: 2 } });
  await cluster.settled();
  expect((await cluster.get(Website, "shop"))?.spec).toEqual({ host: "shop.example.com", replicas: 2 });
  expect((await cluster.get(Alpha, "shop"))?.spec).toEqual({ domain: "shop.example.com", size: 2 });
  expect((await cluster.get(Deployment, "shop"))?.spec?.replicas).toBe(2);

  const tooMany = cluster.update(Alpha, "shop", ({ spec }) => void (spec.size = 11));
  await expect(tooMany).rejects.toMatchObject({ status: 422, message: expect.stringContaining("spec.replicas: at most 10") });
  await cluster.update(Alpha, "shop", ({ metadata }) => void (metadata.labels = { team: "a" }));
});

test("a client of v1alpha1 keeps what only v1 says", async () => {
  await using cluster = await started();
  const tls = { issuer: "letsencrypt" };
  await cluster.create(Website, { metadata: { name: "shop" }, spec: { tls } });
  await cluster.update(Alpha, "shop", ({ spec }) => void (spec.size = 3));
  expect((await cluster.get(Website, "shop"))?.spec).toEqual({ host: "shop.example.com", replicas: 3, tls });
});

test("a pod of team a has a low priority, and a pod of another team does not", async () => {
  await using cluster = await started();
  await cluster.create(PriorityClass, { metadata: { name: "low" }, value: -10 });
  const spec = { containers: [{ name: "web", image: "nginx:1.29" }] };
  await cluster.create(Pod, { metadata: { name: "a", labels: { team: "a" } }, spec });
  await cluster.create(Pod, { metadata: { name: "b", labels: { team: "b" } }, spec });
  expect((await cluster.get(Pod, "a"))?.spec?.priorityClassName).toBe("low");
  expect((await cluster.get(Pod, "b"))?.spec?.priorityClassName).toBeUndefined();
});
