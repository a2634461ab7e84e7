import { isForbidden, ownerLabels } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { type ApiServer, type ApiServerOptions, createApiServer, type HttpsFront, serveHttps } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { afterEach, expect, test } from "vitest";
import { isTargetError, serviceAccount, targets } from "../../src/targets/index.ts";
import { connected, kubeconfig, secretWith, servicesOf, tenant } from "./fixture.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve(options: ApiServerOptions = {}): Promise<{ readonly server: ApiServer; readonly front: HttpsFront }> {
  const server = createApiServer({ ...options });
  const front = await serveHttps(server, { auth: { token: "admin" } });
  ends.push(() => front.close());
  return { server, front };
}

function services(given: Parameters<typeof servicesOf>[0] = {}): ReturnType<typeof servicesOf> {
  const made = servicesOf(given);
  ends.push(async () => made[Symbol.asyncDispose]());
  return made;
}

const clusters = targets({ servers: ["127.0.0.1"] });
const target = clusters.target({ kubeconfig });

test("a target writes and reads by the kubeconfig of its Secret", async () => {
  const { front } = await serve();
  const { connection } = connected(target, services(), { secret: secretWith(front.kubeconfig()) });
  await connection.client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { k: "v" } });
  expect((await connection.client.get(ConfigMap, { name: "a", namespace: "default" }))?.data).toEqual({ k: "v" });
});

test("the cluster id is the uid of the namespace kube-system", async () => {
  const { server, front } = await serve();
  const { connection } = connected(target, services(), { secret: secretWith(front.kubeconfig()) });
  const namespace = await createClient({ transport: server.transport() }).get(Namespace, { name: "kube-system" });
  expect(await connection.clusterId(AbortSignal.timeout(5_000))).toBe(namespace?.metadata.uid);
});

test("an event of the target triggers a pass of the owner whose label the object has", async () => {
  const { server, front } = await serve();
  const { connection } = connected(target, services(), { secret: secretWith(front.kubeconfig()) });
  const woken = Promise.withResolvers<string>();
  const synced = Promise.withResolvers<void>();
  const owner = tenant();
  const hold = {
    key: "uid-a/tenant",
    ownerLabels: ownerLabels(owner, "tenant"),
    namespaces: ["default"],
    wake: (cause: string) => (cause.includes("listed") ? synced.resolve() : woken.resolve(cause)),
  };
  expect(connection.watches.hold(ConfigMap, hold).type).toBe("pending");
  await synced.promise;
  expect(connection.watches.hold(ConfigMap, hold).type).toBe("synced");
  const other = createClient({ transport: server.transport() });
  await other.create(ConfigMap, { metadata: { name: "foreign", namespace: "default" } });
  await other.create(ConfigMap, { metadata: { name: "a", namespace: "default", labels: ownerLabels(owner, "tenant") } });
  expect(await woken.promise).toBe("ConfigMap a was added in the target cluster");
  expect(connection.watches.covers(ConfigMap, "default")).toBe(true);
  expect(connection.watches.cache.list(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(["a"]);
});

test("requests are impersonated as the service account that the owner names", async () => {
  const { front } = await serve({ authorization: "RBAC" });
  const named = clusters.target({ kubeconfig, as: () => serviceAccount("deployer") });
  const { connection } = connected(named, services(), { secret: secretWith(front.kubeconfig()) });
  const error: unknown = await connection.client.get(ConfigMap, { name: "a", namespace: "default" }).catch((caught: unknown) => caught);
  expect(isForbidden(error)).toBe(true);
  expect(isTargetError(error)).toBe(true);
  expect(String(error)).toContain("system:serviceaccount:team:deployer");
});
