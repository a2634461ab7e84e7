/** Users' stories on two clusters, one of them over HTTPS: in memory, and on two real control planes. */
import { ConfigMap, Namespace } from "treadle/kinds";
import { expect, test } from "vitest";
import { tenantsOf } from "./controller.ts";
import { clustersOf, conditionOf, until } from "./story.ts";
import { Tenant } from "./tenants.ts";

const spec = { kubeconfig: "credentials", account: "deployer" };

test("the objects of a tenant are in its cluster only, and its status is in the own cluster", async () => {
  await using clusters = await clustersOf();
  const { own, remote, shared } = clusters;
  await own.start(tenantsOf(shared), { runnables: [shared] });
  await own.create(Tenant, { metadata: { name: "north" }, spec });
  await until("the tenant is ready", async () => (await conditionOf(own)) === "True Ready: 2 objects are ready");
  expect((await remote.get(ConfigMap, "tenant-north/welcome"))?.data).toEqual({ greeting: "hello" });
  expect(await remote.get(ConfigMap, "tenant-north/quota")).toBeDefined();
  expect(await own.get(Namespace, "tenant-north")).toBeUndefined();
});

test("the objects of a tenant are written as its account, and not with the rights of the kubeconfig", async () => {
  await using clusters = await clustersOf();
  const { own, remote, shared } = clusters;
  await own.start(tenantsOf(shared), { runnables: [shared] });
  await own.create(Tenant, { metadata: { name: "north" }, spec: { ...spec, account: "guest" } });
  await until("the server refuses the account", async () =>
    (await conditionOf(own)).includes('User "system:serviceaccount:default:guest" cannot'),
  );
  expect(await remote.get(Namespace, "tenant-north")).toBeUndefined();
});

test("a change in the cluster of the tenant is reverted, and the deletion removes the objects", async () => {
  await using clusters = await clustersOf();
  const { own, remote, shared } = clusters;
  await own.start(tenantsOf(shared), { runnables: [shared] });
  await own.create(Tenant, { metadata: { name: "north" }, spec });
  await until("the tenant is ready", async () => (await conditionOf(own)).startsWith("True"));
  await remote.update(ConfigMap, "tenant-north/quota", (quota) => void (quota.data = { pods: "1000" }));
  await until("the quota is reverted", async () => (await remote.get(ConfigMap, "tenant-north/quota"))?.data?.["pods"] === "20");
  await own.delete(Tenant, "north");
  await until("the tenant is deleted", async () => (await own.get(Tenant, "north")) === undefined);
  expect(await remote.get(ConfigMap, "tenant-north/quota")).toBeUndefined();
});
