/**
 * What a client does against a server that speaks TLS and checks who calls: the in-memory one, or the real one that
 * TREADLE_TEST_KUBECONFIG names.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiError, isForbidden, isKindNotServed, kind } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace, Pod, ServiceAccount } from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type Client,
  type ClusterConfig,
  connect,
  type ConnectOptions,
  discovery,
  evict,
  type Exchange,
  follow,
  getScale,
  loadConfig,
  modify,
  podLogs,
  requestToken,
  setScale,
  withDryRun,
} from "../src/index.ts";

const namespace = `client-${process.pid}`;
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } };

let admin: Client;
let config: ClusterConfig;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  let kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"];
  if (kubeconfig === undefined) {
    const server = createApiServer({ authorization: "RBAC" });
    const front = await serveHttps(server, { auth: { clientCertificate: true, token: "hunter2" } });
    const directory = await mkdtemp(join(tmpdir(), "treadle-"));
    kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, front.kubeconfig());
    cleanUps.push(
      () => front.close(),
      () => server.close(),
      () => rm(directory, { recursive: true }),
    );
  }
  config = await loadConfig({ kubeconfig });
  admin = await connect({ config, fieldManager: "test" });
  await admin.create(Namespace, { metadata: { name: namespace } });
}, 60_000);

afterAll(async () => {
  await admin.delete(Namespace, { name: namespace });
  await admin.close();
  for (const cleanUp of cleanUps) await cleanUp();
});

async function clientOf(options: ConnectOptions): Promise<Client> {
  const client = await connect({ config, fieldManager: "test", ...options });
  onTestFinished(() => client.close());
  return client;
}

const failed = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

test("kinds are found by name, and an unknown kind is an error", async () => {
  const served = discovery(admin);
  expect(await served.kindOf({ apiVersion: "v1", kind: "Pod" })).toMatchObject({ plural: "pods", scope: "Namespaced", shortNames: ["po"] });
  expect(await served.kindOf({ group: "apps", kind: "Deployment" })).toMatchObject({
    version: "v1",
    subresources: expect.arrayContaining([expect.objectContaining({ name: "scale" })]),
  });
  const error = await failed(served.kindOf({ apiVersion: "apps/v1beta1", kind: "Deployment" }));
  expect(error).toSatisfy(isKindNotServed);
  expect(String(error)).toContain("the server has it as apps/v1");
  expect((await served.kinds()).length).toBeGreaterThan(20);
});

test("the token of a service account is accepted and has the rights of the account", async () => {
  const ref = { name: "robot", namespace };
  await admin.create(ServiceAccount, { metadata: ref });
  const { token, expiresAt } = await requestToken(admin, ref, { expirationSeconds: 3600 });
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
  const { ca = "" } = await config.credentials({ renew: false });
  const robot = await clientOf({ config: { ...config, credentials: () => ({ ca, headers: { authorization: `Bearer ${token}` } }) } });
  const refusal = await failed(robot.list(Namespace));
  expect(refusal).toSatisfy(isForbidden);
  expect(String(refusal)).toContain(`system:serviceaccount:${namespace}:robot`);
  const wrong = await clientOf({ config: { ...config, credentials: () => ({ ca, headers: { authorization: "Bearer nobody" } }) } });
  expect(String(await failed(wrong.list(Namespace)))).toContain(`does not accept the credentials from ${config.source}: `);
});

test("an impersonated user has the rights of that user", async () => {
  const nobody = await clientOf({ impersonate: { user: "jane", groups: ["a"], uid: "7", extra: { "example.dev/team": ["x"] } } });
  expect(String(await failed(nobody.list(Namespace)))).toContain('User "jane" cannot list resource "namespaces"');
  const master = await clientOf({ impersonate: { user: "jane", groups: ["system:masters"] } });
  expect((await master.list(Namespace)).items.length).toBeGreaterThan(0);
});

describe.for([{ http2: false }, { http2: true }])("with HTTP/2: $http2", ({ http2 }) => {
  test("an object is followed while several writers change it", async () => {
    const client = await clientOf({ http2 });
    const ref = { name: `shared-${http2}`, namespace };
    await client.create(ConfigMap, { metadata: ref, data: { n: "0" } });
    const seen: string[] = [];
    for await (const event of follow(client, ConfigMap, { namespace, fieldSelector: `metadata.name=${ref.name}` })) {
      if (event.type === "SYNCED") {
        const add = (draft: { data?: Record<string, string> }): void => void (draft.data = { n: String(Number(draft.data?.["n"]) + 1) });
        await Promise.all([1, 2, 3, 4, 5].map(() => modify(client, ConfigMap, ref, add, { attempts: 20 })));
        await client.delete(ConfigMap, ref);
      } else if (event.type === "RESTARTED") throw new Error(event.reason);
      else seen.push(event.object.data?.["n"] ?? "");
      if (event.type === "DELETED") break;
    }
    expect(seen).toEqual(["0", "1", "2", "3", "4", "5", "5"]);
  });
});

test("scales, evictions, dry runs and logs work", async () => {
  const ref = { name: "web", namespace };
  await admin.create(Deployment, { metadata: ref, spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template } });
  expect((await setScale(withDryRun(admin), Deployment, ref, { replicas: 2 })).spec.replicas).toBe(2);
  expect((await getScale(admin, Deployment, ref))?.spec.replicas ?? 0).toBe(0);
  const pod = { name: "lonely", namespace };
  expect(await evict(admin, pod)).toEqual({ type: "gone" });
  // The one in memory has no logs of anything.
  expect(await failed(podLogs(admin, pod).next())).toMatchObject({ name: "ApiError", status: 404 });
  // The namespace's own one may not have been made yet.
  await admin.create(ServiceAccount, { metadata: { name: "web", namespace } });
  await admin.create(Pod, { metadata: pod, spec: { ...template.spec, serviceAccountName: "web", nodeSelector: { nobody: "has" } } });
  expect(await evict(admin, pod)).toEqual({ type: "evicted" });
});

test("a warning of the server is reported once", async () => {
  const told: string[] = [];
  const exchanges: Exchange[] = [];
  const client = await clientOf({ onWarning: (text) => told.push(text), onExchange: (exchange) => exchanges.push(exchange) });
  const object = { metadata: { name: "odd", namespace }, spec: {} };
  for (const name of ["odd-1", "odd-2"])
    await client.create(ConfigMap, { ...object, metadata: { ...object.metadata, name } } as never, { fieldValidation: "Warn" });
  expect(told).toEqual(['unknown field "spec"']);
  const strict = await failed(client.create(ConfigMap, object as never, { fieldValidation: "Strict" }));
  expect((strict as ApiError).status).toBe(400);
  expect(exchanges.map(({ verb, resource, status }) => `${verb} ${resource} ${status}`)).toEqual([
    "create configmaps 201",
    "create configmaps 201",
    "create configmaps 400",
  ]);
  const none = kind({ group: "example.dev", version: "v1", kind: "None" });
  expect(await failed(client.list(none))).toSatisfy(isKindNotServed);
});
