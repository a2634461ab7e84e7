/** The manifests on an API server: in memory, and on a real one. */
import { defineResource, kind as untypedKind, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Pod,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Webhooks, webhookManifests, type WebhookManifest, webhooks } from "../src/index.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: { v1: { spec: z.object({ host: z.string().optional() }) }, v1alpha1: { spec: z.object({ domain: z.string().optional() }) } },
  version: "v1",
});
const LIST: readonly Webhooks[] = [
  webhooks(Website, {
    fill: () => undefined,
    problems: () => [],
    convert: {
      v1alpha1: {
        up: ({ spec }: { spec: { domain?: string | undefined } }) => ({ spec: { host: spec.domain } }),
        down: ({ spec }: { spec: { host?: string | undefined } }) => ({ spec: { domain: spec.host } }),
      },
    },
  }),
  webhooks(Website, { name: "second", on: ["DELETE"], subresources: ["scale"], problems: () => [], convert: "none" }),
  webhooks(Pod, {
    on: ["CREATE", "CONNECT"],
    subresources: ["eviction", "exec"],
    objectSelector: { matchExpressions: [{ key: "team", operator: "In", values: ["a"] }] },
    matchConditions: [{ name: "not-mine", expression: "request.userInfo.username != 'me'" }],
    failurePolicy: "Ignore",
    timeoutSeconds: 30,
    sideEffects: "NoneOnDryRun",
    reinvocation: "IfNeeded",
    fill: () => undefined,
    problems: () => [],
  }),
];
const CLUSTER_KINDS = ["ClusterRole", "ClusterRoleBinding"].map((name) =>
  untypedKind({ group: "rbac.authorization.k8s.io", version: "v1", kind: name, scope: "Cluster" }),
);

async function startCluster(): Promise<TestCluster> {
  const objects = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "ops" } }];
  return await startTestCluster({ objects, kinds: [...CLUSTER_KINDS, MutatingWebhookConfiguration, ValidatingWebhookConfiguration] });
}

function kindOf({ apiVersion, kind: name, metadata }: WebhookManifest): Kind {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const scope = "namespace" in metadata && metadata.namespace !== undefined ? "Namespaced" : "Cluster";
  return untypedKind({ group, version, kind: name, scope });
}

async function deploy({ client }: TestCluster, manifests: readonly WebhookManifest[]): Promise<readonly KubernetesObject[]> {
  const stored: KubernetesObject[] = [];
  for (const each of manifests) stored.push((await client.apply(kindOf(each), each, { fieldManager: "deployer" })) as KubernetesObject);
  return stored;
}

test("the API server accepts the manifests as they are, also a second time", async () => {
  await using cluster = await startCluster();
  const manifests = webhookManifests(LIST, { service: { name: "website-operator", namespace: "ops" } });
  const stored = await deploy(cluster, manifests);
  for (const [i, manifest] of manifests.entries()) expect(stored[i]).toMatchObject(manifest);
  const again = await deploy(cluster, manifests);
  const versions = (objects: readonly KubernetesObject[]): unknown => objects.map(({ kind, metadata }) => [kind, metadata.generation]);
  expect(versions(again)).toEqual(versions(stored));
});

test("what the operator writes stays when the manifests are applied again", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const manifests = webhookManifests(LIST, { service: { name: "website-operator", namespace: "ops" } });
  await deploy(cluster, manifests);
  const caBundle = Buffer.from(CA).toString("base64");
  const operator = { fieldManager: "website-operator/certificates" };
  const configurations = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const kind of configurations) {
    const { webhooks: entries = [] } = (await client.get(kind, { name: "website-operator" })) as { webhooks?: readonly { name: string }[] };
    const body = { metadata: { name: "website-operator" }, webhooks: entries.map(({ name }) => ({ name, clientConfig: { caBundle } })) };
    await client.apply(kind, body, operator);
  }
  const crd = { name: "websites.web.example.com" };
  const conversion = { strategy: "Webhook", webhook: { clientConfig: { caBundle } } };
  await client.patch(CustomResourceDefinition, crd, { type: "merge", body: { spec: { conversion } } });
  const secret = { namespace: "ops", name: "website-operator-webhook-certificate" };
  await client.patch(Secret, secret, { type: "merge", body: { data: { "tls.crt": caBundle } } });

  await deploy(cluster, manifests);
  for (const kind of configurations) {
    const { webhooks: entries = [] } = (await client.get(kind, { name: "website-operator" })) as {
      webhooks?: readonly { clientConfig: { caBundle?: string; service?: object } }[];
    };
    expect(entries.length).toBeGreaterThan(1);
    for (const { clientConfig } of entries) expect(clientConfig).toMatchObject({ caBundle, service: { port: 443 } });
  }
  expect((await client.get(CustomResourceDefinition, crd))?.spec.conversion?.webhook?.clientConfig?.caBundle).toBe(caBundle);
  expect((await client.get(Secret, secret))?.data).toEqual({ "tls.crt": caBundle });
});

/** A CA, whose key no longer exists. */
const CA = `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUczygCmpbJ4wLLXvfHs3/T3EgZy0wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjMwOTE1MzZaGA8yMTI2MTAzMDA5MTUz
NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOmF
Hteq81kA5fmW8aKuZaXsoGrU91+l7HWBasth+EH0lJ/SZI1k9k+c+lMhJ2fu4VBz
hNlOgel97k/eowHi6OWjUzBRMB0GA1UdDgQWBBTJxw6pdQ/V/fj5Or6tzyFVj597
qzAfBgNVHSMEGDAWgBTJxw6pdQ/V/fj5Or6tzyFVj597qzAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIGCiby5kmn5rzZLpp3+xoWQahqjg3DawVYWW
akxYf7JmAiBSq6HTyXXSwkMME0lk6GlGXDAR0vUFJN0b7PjpCC/DPQ==
-----END CERTIFICATE-----
`;
