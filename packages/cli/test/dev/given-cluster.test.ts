/** `treadle dev` on a cluster that the flags name. It runs on both servers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { Project, SHOP } from "./project.ts";

const Shop = kind({ group: "example.dev", version: "v1", kind: "Shop" });
const NAMESPACE = "default";
const crd = { name: "shops.example.dev" };

function withKubeconfig(project: Project, cluster: TestCluster): void {
  writeFileSync(join(project.folder, "kubeconfig"), cluster.kubeconfig);
}

/** A real server is not emptied of kinds. */
async function withoutCrd({ client }: TestCluster): Promise<void> {
  await client.delete(CustomResourceDefinition, crd);
  await expect.poll(() => client.get(CustomResourceDefinition, crd)).toBeUndefined();
}

test("the operator runs against the cluster of a kubeconfig, and its objects stay at the end", async () => {
  await using cluster = await startTestCluster({ https: true, time: "real" });
  await withoutCrd(cluster);
  await using project = new Project(SHOP);
  withKubeconfig(project, cluster);
  const dev = project.dev("src/main.ts", "--kubeconfig", "kubeconfig");
  expect(await dev.next("cluster")).toEqual(expect.objectContaining({ isInMemory: false, server: "kubeconfig" }));
  expect(await dev.next("applied")).toMatchObject({ what: "crd", operation: "created" });
  await dev.next("applied", ({ what }) => what === "sample");
  const name = `default/a`;
  await dev.next("pass", ({ object, writes }) => object.name === name && writes.length > 0);
  project.edit("src/shop.ts", "said ", "SAID ");
  await dev.next("pass", ({ object, writes }) => object.name === name && writes.length > 0);
  dev.process.kill("SIGINT");
  expect((await dev.ended).code).toBe(130);
  const ref = { name: "a", namespace: NAMESPACE };
  expect(await cluster.client.get(Shop, ref)).toMatchObject({ status: { text: "SAID hi" } });
  expect(await cluster.client.get(ConfigMap, ref)).toMatchObject({ data: { text: "hi" } });
  // The cluster checks finalizers at its end, and the operator has stopped.
  await cluster.client.patch(Shop, ref, { type: "merge", body: { metadata: { finalizers: null } } });
  await withoutCrd(cluster);
});

test("webhooks are registered only where --webhook-host says how the API server reaches this machine", async () => {
  await using cluster = await startTestCluster({ https: true, time: "real" });
  await withoutCrd(cluster);
  const main = `
import { createManager } from "treadle";
import { webhooks, webhookServer } from "treadle/webhooks";
import { Shop, shops } from "./shop.ts";
const shop = webhooks(Shop, { fill(spec) { if (!spec.text.endsWith("!")) spec.text += "!"; } });
await createManager().add(shops).add(webhookServer([shop], { service: { name: "shops", namespace: "ops" } })).run();
`;
  await using project = new Project({ ...SHOP, "src/main.ts": main });
  withKubeconfig(project, cluster);
  const flags = ["--kubeconfig", "kubeconfig"];
  const without = project.dev("src/main.ts", ...flags);
  expect((await without.next("note")).message).toMatch(/^the webhooks of the program are not registered: .*--webhook-host HOST$/);
  await without.next("pass");
  without.process.kill("SIGINT");
  await without.ended;
  const ref = { name: "a", namespace: NAMESPACE };
  expect(await cluster.client.get(Shop, ref)).toMatchObject({ spec: { text: "hi" } });

  project.edit("deploy/samples/a.yaml", "text: hi", "text: ho");
  const dev = project.dev("src/main.ts", ...flags, "--webhook-host", "127.0.0.1");
  await dev.next("applied", ({ what }) => what === "sample");
  expect(await cluster.client.get(Shop, ref)).toMatchObject({ spec: { text: "ho!" } });
  dev.process.kill("SIGINT");
  await dev.ended;
  await cluster.client.patch(Shop, ref, { type: "merge", body: { metadata: { finalizers: null } } });
  await withoutCrd(cluster);
});

test("a cluster that cannot be reached is an error with 2, before the program is loaded", async () => {
  await using project = new Project(SHOP);
  const dev = project.dev("src/main.ts", "--server", "http://127.0.0.1:1");
  expect((await dev.ended).code).toBe(2);
  expect(dev.errors).toMatch(/127\.0\.0\.1:1.*\nCheck that the cluster runs/s);
  expect(dev.events.map(({ type }) => type)).toEqual([]);
});
