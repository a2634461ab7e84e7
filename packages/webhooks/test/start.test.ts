/** The start of an operator after a change of the storage version: its caches wait for its own conversion. With TREADLE_TEST_KUBECONFIG on a real server. */
import { crdOf, defineResource, kind } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { handler, step } from "@treadle/reconcile";
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
  versions: {
    v1: { spec: z.object({ host: z.string().optional() }), status: z.object({ seen: z.string().optional() }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional() }), status: z.object({ seen: z.string().optional() }) },
  },
});

const site = webhooks(Site, {
  problems: (object) => (object.spec.host === "bad" ? ["a bad host"] : []),
  convert: {
    v1alpha1: { up: ({ spec }) => ({ spec: { host: spec.domain } }), down: ({ spec }) => ({ spec: { domain: spec.host } }) },
  },
});

/** Stores a Site in the old version, as the operator of the last release did. */
async function storeOldSite(): Promise<void> {
  const crd = crdOf(Site);
  const versions = crd.spec.versions.map((version) => ({ ...version, storage: version.name === "v1alpha1" }));
  const { admin } = cluster;
  await admin.create(CustomResourceDefinition, { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } });
  const Old = kind({ group: GROUP, version: "v1alpha1", kind: "Site", scope: "Namespaced" });
  const old = { metadata: { name: "old", namespace: NAMESPACE }, spec: { domain: "a.example.com" } };
  await expect.poll(async () => await admin.create(Old, old).then(() => "created", String)).toBe("created");
}

test("an operator whose objects are stored in the other version starts without an older replica, behind its own readiness", async () => {
  await storeOldSite();
  const sites = handler(Site)
    .step(step(Site, { name: "see", do: (req) => void (req.status.seen = req.object.spec.host) }))
    .build();
  await using operator = await startOperator(cluster, [site], { name: "start-test", add: (manager) => void manager.add(sites) });
  await expect.poll(async () => (await cluster.admin.get(Site, { name: "old", namespace: NAMESPACE }))?.status?.seen).toBe("a.example.com");
  const refused = cluster.admin.create(Site, { metadata: { name: "bad", namespace: NAMESPACE }, spec: { host: "bad" } });
  await expect(refused).rejects.toMatchObject({ status: 422, message: expect.stringContaining("a bad host") });
  const { crd } = { crd: await cluster.admin.get(CustomResourceDefinition, { name: `sites.${GROUP}` }) };
  expect(crd?.spec.versions.map(({ name, storage }) => `${name} ${storage}`)).toEqual(["v1 true", "v1alpha1 false"]);
  expect(operator.front.connections.passed).toBeGreaterThan(0);
});
