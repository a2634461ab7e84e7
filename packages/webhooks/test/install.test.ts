/** An operator outside of the cluster that installs its webhooks itself. With TREADLE_TEST_KUBECONFIG on a real server. */
import { defineResource, type Kind } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { z } from "zod";
import { webhooks } from "../src/index.ts";
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
  const secret = { name: `${name}-webhook-certificate`, namespace: NAMESPACE };
  const parts = [found(Secret, secret), found(MutatingWebhookConfiguration, { name }), found(ValidatingWebhookConfiguration, { name })];
  return (await Promise.all(parts)).flat();
}

test("install applies the manifests at the start, and removes all but the CRD at the end", async () => {
  const { admin } = cluster;
  const crd = { name: `sites.${GROUP}` };
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
