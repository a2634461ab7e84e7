/** An operator outside of the cluster that installs its webhooks itself. With TREADLE_TEST_KUBECONFIG on a real server. */
import { inspect } from "node:util";
import { defineResource, type Kind } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { createManager } from "@treadle/controller";
import { expect, test } from "vitest";
import { z } from "zod";
import { webhookManifests, webhooks, webhookServer } from "../src/index.ts";
import { newNames, startOperator, useCluster } from "./cluster.ts";

const { group: GROUP, namespace: NAMESPACE } = newNames();
const cluster = useCluster({ group: GROUP, namespace: NAMESPACE });

const Site = defineResource({
  group: GROUP,
  kind: "Site",
  scope: "Namespaced",
  versions: { v1: { spec: z.object({ host: z.string().optional() }) }, v1alpha1: { spec: z.object({ domain: z.string().optional() }) } },
});
const site = webhooks(Site, {
  fill(spec) {
    spec.host ??= "a.example.com";
  },
  problems: ({ spec }) => (spec.host === "bad" ? ["a bad host"] : []),
  convert: {
    v1alpha1: { up: ({ spec }) => ({ spec: { host: spec.domain } }), down: ({ spec }) => ({ spec: { domain: spec.host } }) },
  },
});
const name = "install-test";

async function installed(): Promise<readonly string[]> {
  const { admin } = cluster;
  const found = async (kind: Kind, ref: { readonly name: string; readonly namespace?: string }): Promise<string[]> =>
    (await admin.get(kind, ref)) === undefined ? [] : [kind.kind];
  const parts = [found(Secret, secret), found(MutatingWebhookConfiguration, { name }), found(ValidatingWebhookConfiguration, { name })];
  return (await Promise.all(parts)).flat();
}

const crd = { name: `sites.${GROUP}` };
const secret = { name: `${name}-webhook-certificate`, namespace: NAMESPACE };
const install = { name, server: { install: true } } as const;
const foreign = {
  metadata: { name },
  webhooks: [
    {
      name: "other.example.com",
      clientConfig: { url: "https://127.0.0.1:1/other" },
      rules: [{ operations: ["CREATE"], apiGroups: ["other.example.com"], apiVersions: ["v1"], resources: ["others"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      failurePolicy: "Ignore",
    },
  ],
} as const;

test("install applies the manifests at the start, and removes all but the CRD at the end", async () => {
  const { admin } = cluster;
  {
    await using operator = await startOperator(cluster, [site], { name, server: { install: true } });
    expect(await installed()).toEqual(["Secret", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
    const create = async (host: string): Promise<string> =>
      await admin.create(Site, { metadata: { name: host, namespace: NAMESPACE }, spec: { host } }).then(() => "created", String);
    await expect.poll(() => create("bad")).toContain("a bad host");
    const { spec } = await admin.create(Site, { metadata: { name: "a", namespace: NAMESPACE }, spec: {} });
    expect(spec.host).toBe("a.example.com");
    expect((await admin.get(CustomResourceDefinition, crd))?.spec.conversion?.strategy).toBe("Webhook");
    await operator.manager.stop();
  }
  expect(await installed()).toEqual([]);
  expect((await admin.get(CustomResourceDefinition, crd))?.spec.conversion).toEqual({ strategy: "None" });
});

test("a Secret that createSecret made is removed, although the certificates watch it", async () => {
  {
    await using operator = await startOperator(cluster, [site], { name, server: { install: true, createSecret: true, graceMs: 200 } });
    expect(await installed()).toContain("Secret");
    await operator.manager.stop();
  }
  expect(await installed()).toEqual([]);
});

test("a Secret that existed before stays", async () => {
  const { admin } = cluster;
  await admin.create(Secret, { metadata: secret, type: "Opaque", stringData: { other: "x" } });
  {
    await using operator = await startOperator(cluster, [site], install);
    await operator.manager.stop();
  }
  expect(await installed()).toEqual(["Secret"]);
  expect((await admin.get(Secret, secret))?.data).toHaveProperty("other");
  await admin.delete(Secret, secret);
});

test("a CRD whose conversion a deployer gave a Service leads to the url, and to the Service again at the end", async () => {
  const { admin } = cluster;
  const definition = webhookManifests([site], { service: { name: "website-operator", namespace: NAMESPACE } }).find(
    ({ kind }) => kind === "CustomResourceDefinition",
  );
  await admin.apply(CustomResourceDefinition, definition as never, { fieldManager: "deployer", force: true });
  const called = async () => (await admin.get(CustomResourceDefinition, crd))?.spec.conversion?.webhook?.clientConfig;
  const { service } = (await called()) ?? {};
  expect(service).toMatchObject({ name: "website-operator" });
  {
    await using operator = await startOperator(cluster, [site], install);
    expect(await called()).toMatchObject({ url: expect.stringContaining("/convert/") });
    expect((await called())?.service).toBeUndefined();
    await operator.manager.stop();
  }
  expect((await called())?.service).toEqual(service);
  const none = [{ op: "replace", path: "/spec/conversion", value: { strategy: "None" } }] as const;
  await admin.patch(CustomResourceDefinition, crd, { type: "json", body: none });
});

test("a configuration of another writer is an error, and nothing is applied or removed", async () => {
  const { admin } = cluster;
  await admin.create(ValidatingWebhookConfiguration, foreign);
  const server = webhookServer([site], {
    name,
    url: "https://127.0.0.1:1",
    namespace: NAMESPACE,
    host: "127.0.0.1",
    port: 0,
    install: true,
  });
  const manager = createManager({
    config: cluster.config,
    probes: false,
    metrics: false,
    signals: false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  manager.add(server);
  const failure = await manager.start().then(
    () => undefined,
    (error: unknown) => error,
  );
  await manager.stop();
  expect(inspect(failure)).toContain(`cannot install ValidatingWebhookConfiguration ${name}: it exists, and "test" wrote it`);
  expect(await installed()).toEqual(["ValidatingWebhookConfiguration"]);
  await admin.delete(ValidatingWebhookConfiguration, { name });
});

test("a configuration that another writer replaced meanwhile stays", async () => {
  const { admin } = cluster;
  {
    await using operator = await startOperator(cluster, [site], install);
    await admin.delete(ValidatingWebhookConfiguration, { name });
    await admin.create(ValidatingWebhookConfiguration, foreign);
    await operator.manager.stop();
    expect(await installed()).toEqual(["ValidatingWebhookConfiguration"]);
  }
});

test("what a crashed installation left behind is installed again, and removed", async () => {
  const { admin } = cluster;
  const manifests = webhookManifests([site], { name, url: "https://127.0.0.1:1", namespace: NAMESPACE });
  const kinds: readonly Kind[] = [Secret, CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const manifest of manifests) {
    const kind = kinds.find((each) => each.kind === manifest.kind);
    if (kind !== undefined) await admin.apply(kind, manifest, { fieldManager: "treadle-webhooks-install", force: true });
  }
  {
    await using operator = await startOperator(cluster, [site], install);
    await operator.manager.stop();
  }
  expect(await installed()).toEqual([]);
  expect((await admin.get(CustomResourceDefinition, crd))?.spec.conversion).toEqual({ strategy: "None" });
});

test("a CRD gets the conversion back that it had", async () => {
  const { admin } = cluster;
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/convert" } };
  const body = { spec: { conversion: { strategy: "Webhook", webhook } } };
  await admin.patch(CustomResourceDefinition, crd, { type: "merge", body });
  {
    await using operator = await startOperator(cluster, [site], install);
    await operator.manager.stop();
  }
  expect((await admin.get(CustomResourceDefinition, crd))?.spec.conversion).toMatchObject(body.spec.conversion);
});
