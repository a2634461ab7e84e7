import "../src/matchers.ts";
import { crdOf, CustomResourceDefinition, defineResource, kind as untypedKind } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld, startTestCluster } from "../src/index.ts";

const noted = (name: string) => step(Tenant, { name, conditions: ["Noted"], do: (req) => void req.conditions.true("Noted") });
const Tenant = defineResource({
  group: "t.example.com",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  spec: z.object({ size: z.int32().default(3) }),
});

test("a cluster-scoped primary works without a namespace at every level", async () => {
  const tenants = handler(Tenant).step(conditions()).step(noted("note")).build();
  const world = fakeWorld(tenants, { objects: [{ apiVersion: "t.example.com/v1", kind: "Tenant" }] });
  await world.settled();
  expect(await world.get(Tenant, "tenant")).toBeReady();
  expect((await world.get(Tenant, "tenant"))?.metadata.namespace).toBeUndefined();
  expect((await world.get(Tenant, "tenant"))?.spec.size).toBe(3);
  expect(await fakeReq(Tenant).run(noted("note"))).toContinue();
});

test("every version of a resource is served", async () => {
  const spec = z.object({ size: z.int32().default(3) });
  const Versioned = defineResource({
    group: "t.example.com",
    kind: "Versioned",
    scope: "Namespaced",
    versions: { v2: { spec }, v1: { spec } },
  });
  const reading = step(Versioned, {
    name: "reading",
    reads: { old: one(Versioned.versions.v1, (o) => o.metadata.name) },
    do: (req) => req.next({ apiVersion: req.reads.old?.apiVersion }),
  });
  const req = fakeReq(Versioned, {}, { kinds: [Versioned.versions.v1] });
  expect(await req.run(reading)).toContinue({ apiVersion: "t.example.com/v1" });
  expect((await req.get(Versioned, "versioned"))?.apiVersion).toBe("t.example.com/v2");
  await using cluster = await startTestCluster({ kinds: [Versioned.versions.v1, Versioned] });
  const op = await cluster.start(handler(Versioned).step(reading).build());
  await cluster.create(Versioned, { metadata: { name: "a" } });
  await op.settled();
  expect(op.passes[0]?.outcome).toEqual({ type: "done" });
});

test("a CRD with a conversion webhook is served as it was made", async () => {
  const conversion = { service: { name: "operator", namespace: "ops", port: 443 } };
  const spec = z.object({ size: z.int32().default(3) });
  const names = { group: "t.example.com", kind: "Converted", scope: "Namespaced" } as const;
  const Converted = defineResource({ ...names, versions: { v1: { spec }, v1beta1: { spec } } });
  await using cluster = await startTestCluster();
  const crd = crdOf(Converted, { conversion });
  const stored = await cluster.create(CustomResourceDefinition, crd);
  expect(stored.spec.conversion).toEqual(crd.spec.conversion);
});

test("a kind in another version leaves the conversion that a deployer has set", async () => {
  const conversion = { service: { name: "operator", namespace: "ops", port: 443 } };
  const spec = z.object({ size: z.int32().default(3) });
  const names = { group: "t.example.com", kind: "Deployed", scope: "Namespaced" } as const;
  const Deployed = defineResource({ ...names, versions: { v1: { spec }, v1beta1: { spec } } });
  await using cluster = await startTestCluster({ kinds: [Deployed] });
  const crd = crdOf(Deployed, { conversion });
  await cluster.client.apply(CustomResourceDefinition, crd, { fieldManager: "deployer", force: true });
  await cluster.install(Deployed.versions.v1beta1);
  expect((await cluster.get(CustomResourceDefinition, crd.metadata.name))?.spec.conversion).toEqual(crd.spec.conversion);
  await cluster.uninstall(Deployed);
  await cluster.install(Deployed.versions.v1beta1);
  expect((await cluster.get(CustomResourceDefinition, crd.metadata.name))?.spec.conversion).toEqual({ strategy: "None" });
});

test("a CRD among the objects defines its kinds, at any place of the list", async () => {
  const Sized = untypedKind({ group: "t.example.com", version: "v1", kind: "Tenant", scope: "Cluster" });
  const reading = step(Secret, {
    name: "reading",
    reads: { tenant: one(Sized, () => "tenant") },
    do: (req) => req.next({ spec: req.reads.tenant?.["spec"] }),
  });
  const objects = [{ apiVersion: "t.example.com/v1", kind: "Tenant" }, crdOf(Tenant)];
  expect(await fakeReq(Secret, {}, { objects }).run(reading)).toContinue({ spec: { size: 3 } });
  await using cluster = await startTestCluster();
  await cluster.apply(crdOf(Tenant));
  await cluster.apply(crdOf(Tenant));
  await cluster.apply({ apiVersion: "t.example.com/v1", kind: "Tenant", metadata: { name: "x" } });
  expect(await cluster.get(Tenant, "x")).toMatchObject({ spec: { size: 3 } });
});

describe("a kind that was guessed from a manifest", () => {
  const Site = defineResource({
    group: "t.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: z.object({ html: z.string(), replicas: z.int32().max(9).default(1) }),
  });
  const site = { apiVersion: "t.example.com/v1", kind: "Site", metadata: { name: "a" }, spec: { html: "x", htlm: "typo" } };

  test("gets the schema of an operator's kind", async () => {
    await using cluster = await startTestCluster({ objects: [site] });
    const specs: unknown[] = [];
    const op = await cluster.start(
      handler(Site)
        .step(step(Site, { name: "look", do: (req) => void specs.push(req.object.spec) }))
        .build(),
    );
    await op.settled();
    expect(specs).toEqual([{ html: "x", replicas: 1 }]);
    await expect(cluster.create(Site, { metadata: { name: "b" }, spec: { html: "x", replicas: 99 } })).rejects.toThrow("spec.replicas");
  });

  test("keeps the CRD of the test", async () => {
    const older = crdOf(
      defineResource({ group: "t.example.com", version: "v1", kind: "Site", scope: "Namespaced", spec: z.object({ htlm: z.string() }) }),
    );
    for (const objects of [
      [older, site],
      [site, older],
    ]) {
      await using cluster = await startTestCluster({ objects });
      await cluster.start(
        handler(Site)
          .step(step(Site, { name: "look", do() {} }))
          .build(),
      );
      expect((await cluster.get(Site, "a"))?.spec).toEqual({ htlm: "typo" });
    }
  });

  test("is refused if its scope or plural was guessed wrongly", async () => {
    await using cluster = await startTestCluster({ objects: [{ apiVersion: "t.example.com/v1", kind: "Tenant" }] });
    await expect(
      cluster.start(
        handler(Tenant)
          .step(step(Tenant, { name: "look", do() {} }))
          .build(),
      ),
    ).rejects.toThrow(/Tenant .* as namespaced "tenants", but the kind is cluster-scoped "tenants": .*kinds: \[Tenant\]/);
  });
});

test("stringData of a Secret is stored as data", async () => {
  await using cluster = await startTestCluster();
  await cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { key: "value" } });
  expect((await cluster.get(Secret, "a"))?.data).toEqual({ key: "dmFsdWU=" });
});

test("namespaces are created for the objects in them, and may be given", async () => {
  await using cluster = await startTestCluster({
    objects: [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "team" } },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", labels: { a: "b" } } },
    ],
  });
  expect(await cluster.get(Secret, "team/a")).toBeDefined();
  expect(await cluster.get(untypedKind({ group: "", version: "v1", kind: "Namespace", scope: "Cluster" }), "team")).toMatchObject({
    metadata: { labels: { a: "b" } },
  });
});
