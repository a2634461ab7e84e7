/** The CA in webhook configurations and CRDs: what the operator writes, and what deployers and users do beside it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { OwnCertificates } from "../../src/certificates/own-certificates.ts";
import { certificatesIn, isIssuedBy } from "../../src/certificates/pem.ts";
import { contentOfTarget, kindOf, type Target } from "../../src/certificates/target.ts";
import { configuration, crd, deploy, KINDS, NAMES, NAMESPACE, SECRET, TARGETS } from "./rig.ts";

let cluster: TestCluster;
let certificates: OwnCertificates;
afterEach(async () => {
  await certificates.stop();
  // Other tests of this server must not meet a webhook that does not answer.
  for (const target of TARGETS) await cluster.client.delete(kindOf(target), { name: target.name });
  await cluster[Symbol.asyncDispose]();
});

async function begin(dnsNames = NAMES): Promise<void> {
  // Certificates are verified by the time of the machine.
  cluster = await startTestCluster({ time: "real", objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }] });
  await deploy(cluster.client);
  const quiet = (): void => {};
  certificates = new OwnCertificates({
    name: "website-operator",
    client: cluster.client,
    clock: cluster.clock,
    random: seededRandom(1),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    namespace: NAMESPACE,
    secretName: SECRET.name,
    dnsNames,
    podName: "website-operator-1",
    targets: TARGETS,
  });
  await certificates.start(new AbortController().signal);
}

const read = (target: Target): Promise<object | undefined> => cluster.client.get(kindOf(target), { name: target.name });

/** Whether all entries of all targets trust the served certificate. */
async function isTrusted(): Promise<boolean> {
  const [leaf] = certificatesIn(certificates.current.cert);
  const objects = await Promise.all(TARGETS.map(async (target) => ({ target, object: (await read(target)) ?? {} })));
  return objects.every(({ target, object }) =>
    contentOfTarget(target, object).places.every(({ trusted }) => leaf !== undefined && trusted.some((ca) => isIssuedBy(leaf, ca))),
  );
}

test("the CA is the only field that is written, under a field manager of its own", async () => {
  await begin();
  expect(await isTrusted()).toBe(true);
  const live = await cluster.client.get(KINDS.mutating, { name: "website-operator" });
  expect(live?.metadata.managedFields?.find(({ manager }) => manager === "website-operator/certificates")).toMatchObject({
    operation: "Update",
    fieldsV1: {
      "f:webhooks": {
        'k:{"name":"a.example.com"}': { "f:clientConfig": { "f:caBundle": {} } },
        'k:{"name":"b.example.com"}': { "f:clientConfig": { "f:caBundle": {} } },
      },
    },
  });
  const definition = await cluster.client.get(KINDS.crd, { name: "websites.example.com" });
  expect(definition?.metadata.managedFields?.find(({ manager }) => manager === "website-operator/certificates")).toMatchObject({
    fieldsV1: { "f:spec": { "f:conversion": { "f:webhook": { "f:clientConfig": { "f:caBundle": {} } } } } },
  });
});

test("the CA stays when the deployer applies its manifests again", async () => {
  await begin();
  const before = await Promise.all(TARGETS.map(read));
  await deploy(cluster.client);
  const after = await Promise.all(TARGETS.map(read));
  expect(after.map((object) => (object as { metadata: { generation: number } }).metadata.generation)).toEqual(
    before.map((object) => (object as { metadata: { generation: number } }).metadata.generation),
  );
  expect(await isTrusted()).toBe(true);
});

test("a CA that a user removes is written again", async () => {
  await begin();
  const path = "/webhooks/1/clientConfig/caBundle";
  await cluster.client.patch(KINDS.mutating, { name: "website-operator" }, { type: "json", body: [{ op: "remove", path }] });
  await expect.poll(isTrusted).toBe(true);
  const clientConfig = { caBundle: null };
  await cluster.client.patch(
    KINDS.crd,
    { name: "websites.example.com" },
    { type: "merge", body: { spec: { conversion: { webhook: { clientConfig } } } } },
  );
  await expect.poll(isTrusted).toBe(true);
  expect(certificates.problem()).toBeUndefined();
});

test("a configuration that is deleted and applied again gets the CA", async () => {
  await begin();
  await cluster.client.delete(KINDS.validating, { name: "website-operator" });
  await expect.poll(() => certificates.problem()).toMatch("ValidatingWebhookConfiguration website-operator does not exist");
  await deploy(cluster.client);
  await expect.poll(isTrusted).toBe(true);
  await expect.poll(() => certificates.problem()).toBeUndefined();
});

test("a deployer that applies server-side can remove an entry with a CA", async () => {
  await begin();
  const shorter = configuration("MutatingWebhookConfiguration", ["a.example.com"]);
  const live = await cluster.client.apply(KINDS.mutating, shorter, { fieldManager: "deployer" });
  expect(live.webhooks?.map(({ name }) => name)).toEqual(["a.example.com"]);
  await expect.poll(() => certificates.problem()).toMatch("has no webhook b.example.com");
});

test("a deployer that applies server-side can end the conversion only after the CA was removed", async () => {
  await begin();
  const apply = (): Promise<object> => cluster.client.apply(KINDS.crd, crd(false), { fieldManager: "deployer" });
  // The API server keeps a field of another manager, and refuses it without a conversion webhook.
  await expect(apply()).rejects.toThrow("should not be set when strategy is not set to Webhook");
  await certificates.stop();
  const body = { spec: { conversion: { strategy: "None", webhook: null } } };
  await cluster.client.patch(KINDS.crd, { name: "websites.example.com" }, { type: "merge", body });
  await apply();
});

test("the API server calls a webhook with the served certificate", async () => {
  await begin(["127.0.0.1"]);
  const { cert, key } = certificates.current;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { uid } = (JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }).request;
    const review = { uid, allowed: false, status: { code: 403, message: "seen" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: review }));
  };
  const server = createServer({ cert, key }, (request, response) => void answer(request, response)); // an error fails the call
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const body = [
      { op: "replace", path: "/webhooks/0/clientConfig", value: { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/x` } },
      { op: "replace", path: "/webhooks/0/rules/0/apiGroups", value: [""] },
      { op: "replace", path: "/webhooks/0/rules/0/resources", value: ["configmaps"] },
      { op: "add", path: "/webhooks/0/namespaceSelector", value: { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } } },
    ] as const;
    await cluster.client.patch(KINDS.validating, { name: "website-operator" }, { type: "json", body });
    await expect.poll(isTrusted).toBe(true);
    const metadata = { name: "a", namespace: NAMESPACE };
    const create = (): Promise<string> =>
      cluster.client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata }, { dryRun: true }).then(
        () => "stored",
        (error: Error) => error.message,
      );
    // A real server notices a configuration a moment later.
    await expect.poll(create).toContain('admission webhook "a.example.com" denied the request: seen');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
