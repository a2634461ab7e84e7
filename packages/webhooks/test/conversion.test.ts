/** Clients of different versions of one kind, on the in-memory API server and, unchanged, on a real one. */
import { crdOf, CustomResourceDefinition, defineResource, type Kind, type ObjectOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { CONVERSION_ANNOTATION } from "../src/conversion/annotation.ts";
import { converterOf } from "../src/conversion/converter.ts";
import { webhooks } from "../src/index.ts";
import { settledOf } from "../src/webhooks.ts";
import { conversionEndpoint, type Endpoint } from "./conversion-endpoint.ts";

const port = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };

const Website = defineResource({
  group: "conversion.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().max(10).default(1),
        tls: z.object({ issuer: z.string() }).optional(),
        ports: z
          .array(z.object({ name: z.string(), port: z.int32(), path: z.string().optional() }))
          .meta(port)
          .optional(),
        zones: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional(),
        args: z.array(z.string()).optional(),
      }),
      status: z.object({ phase: z.string(), url: z.string() }),
    },
    v1beta1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        zones: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional(),
      }),
    },
    v1alpha1: {
      spec: z.object({
        domain: z.string().optional(),
        size: z.int32().default(1),
        ports: z
          .array(z.object({ name: z.string(), port: z.int32() }))
          .meta(port)
          .optional(),
        args: z.array(z.string()).optional(),
      }),
      status: z.object({ address: z.string() }),
    },
  },
});
const { v1beta1: Beta, v1alpha1: Alpha } = Website.versions;

const website = webhooks(Website, {
  convert: {
    v1beta1: {
      up: ({ spec }) => ({ spec }),
      down: ({ spec: { host, replicas, zones } }) => ({ spec: { host, replicas, zones: zones?.filter((zone) => zone !== "hidden") } }),
    },
    v1alpha1: {
      up: ({ spec: { domain, size, ports, args }, status }) => ({
        spec: { host: domain, replicas: size, ports, args },
        ...(status?.address === undefined ? {} : { status: { url: status.address } }),
      }),
      down: ({ spec: { host, replicas, ports, args }, status }) => ({
        spec: { domain: host, size: replicas, ports: ports?.map(({ name, port }) => ({ name, port })), args },
        ...(status?.url === undefined ? {} : { status: { address: status.url } }),
      }),
    },
  },
});

interface World extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly endpoint: Endpoint;
  /** Stores new objects in another version from now on. */
  store(version: "v1alpha1"): Promise<void>;
}

async function begun(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const endpoint = stack.use(await conversionEndpoint(converterOf(settledOf(website))));
  const cluster = stack.use(await startTestCluster());
  const { client } = cluster;
  const crd = crdOf(Website, { conversion: endpoint.conversion });
  stack.defer(() => cluster.uninstall(Website));
  await client.apply(CustomResourceDefinition, crd, { fieldManager: "test", force: true });
  const owned = stack.move();
  for (const kind of [Website, Beta, Alpha])
    await expect
      .poll(async () => (await client.list(kind, { namespace: "default" }).catch(() => ({ items: undefined }))).items)
      .toEqual([]);
  return {
    cluster,
    client,
    endpoint,
    async store(version) {
      const kind = Website.versions[version];
      const probe = { metadata: { name: "probe", namespace: "default", annotations: { [CONVERSION_ANNOTATION]: "probe" } }, spec: {} };
      const versions = crd.spec.versions.map((each) => ({ ...each, storage: each.name === version }));
      await client.apply(CustomResourceDefinition, { ...crd, spec: { ...crd.spec, versions } }, { fieldManager: "test", force: true });
      // A server follows the change later than it answers. Only a stored object keeps an annotation that is no annotation of ours.
      const isStored = async (): Promise<boolean> => {
        await client.create(kind, probe);
        const { metadata } = (await client.get(kind, probe.metadata)) ?? probe;
        await client.delete(kind, probe.metadata);
        return metadata.annotations?.[CONVERSION_ANNOTATION] === "probe";
      };
      await expect.poll(isStored).toBe(true);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const at = { name: "a", namespace: "default" };
const full = {
  host: "a.b",
  replicas: 3,
  tls: { issuer: "ca" },
  ports: [
    { name: "web", port: 80, path: "/" },
    { name: "admin", port: 81, path: "/admin" },
  ],
  zones: ["hidden", "z1", "z2"],
  args: ["-v"],
};

async function read<K extends Kind>(client: Client, kind: K): Promise<ObjectOf<K>> {
  const object = await client.get(kind, at);
  if (object === undefined) throw new Error("the object does not exist");
  return object;
}

/** Reads, changes and writes an object, as a client of this version does. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test changes any field
async function edit(client: Client, kind: Kind, change: (draft: any) => void, subresource?: "status"): Promise<void> {
  const draft: unknown = structuredClone(await read(client, kind));
  change(draft);
  await client.update(kind, draft, subresource === undefined ? {} : { subresource });
}

test("clients of all versions read an object, and none sees the annotation in the hub", async () => {
  await using world = await begun();
  const { client } = world;
  await client.create(Website, { metadata: at, spec: full });
  expect((await read(client, Alpha)).spec).toEqual({
    domain: "a.b",
    size: 3,
    ports: [
      { name: "web", port: 80 },
      { name: "admin", port: 81 },
    ],
    args: ["-v"],
  });
  expect((await client.list(Beta, { namespace: "default" })).items.map((each) => each?.spec)).toEqual([
    { host: "a.b", replicas: 3, zones: ["z1", "z2"] },
  ]);
  const hub = await read(client, Website);
  expect(hub.spec).toEqual(full);
  expect(hub.metadata.annotations ?? {}).not.toHaveProperty(CONVERSION_ANNOTATION);
});

test("a client of an old version that changes a list and a field loses nothing else", async () => {
  await using world = await begun();
  const { client } = world;
  await client.create(Website, { metadata: at, spec: full });
  await edit(client, Alpha, ({ spec }) => {
    spec.size = 5;
    spec.ports = [{ name: "new", port: 90 }, ...spec.ports.filter(({ name }: { name: string }) => name !== "admin")];
    delete spec.args;
  });
  const { args: _, ...rest } = full;
  const ports = [
    { name: "new", port: 90 },
    { name: "web", port: 80, path: "/" },
  ];
  expect(await read(client, Website)).toMatchObject({ spec: { ...rest, replicas: 5, ports } });
  expect(await read(client, Website)).not.toHaveProperty("spec.args");
  await edit(client, Beta, ({ spec }) => void (spec.zones = ["z2", "z3"]));
  expect((await read(client, Website)).spec.zones).toEqual(["hidden", "z2", "z3"]);
});

test("a merge patch and an apply in an old version keep what it cannot say", async () => {
  await using world = await begun();
  const { client } = world;
  await client.create(Website, { metadata: at, spec: full });
  await client.patch(Alpha, at, { type: "merge", body: { spec: { size: 7 } } });
  await client.apply(
    Alpha,
    { metadata: at, spec: { domain: "c.d", ports: [{ name: "admin", port: 82 }] } },
    { fieldManager: "x", force: true },
  );
  expect((await read(client, Website)).spec).toEqual({
    ...full,
    host: "c.d",
    replicas: 7,
    ports: [full.ports[0], { name: "admin", port: 82, path: "/admin" }],
  });
});

test("a status and a spec that are written in an old version change only themselves", async () => {
  await using world = await begun();
  const { client } = world;
  await client.create(Website, { metadata: at, spec: full });
  const conditions = [{ type: "Ready", status: "True" as const, reason: "Up", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const created = await read(client, Website);
  await client.update(Website, { ...created, status: { phase: "Up", url: "https://a.b", conditions } }, { subresource: "status" });
  await edit(client, Alpha, (draft) => void (Object.assign(draft.spec, { size: 9 }), Object.assign(draft.status, { address: "ignored" })));
  expect(await read(client, Website)).toMatchObject({
    spec: { ...full, replicas: 9 },
    status: { phase: "Up", url: "https://a.b", conditions },
  });
  await edit(
    client,
    Alpha,
    (draft) => void (Object.assign(draft.spec, { size: 1 }), Object.assign(draft.status, { address: "new" })),
    "status",
  );
  expect(await read(client, Website)).toMatchObject({ spec: { ...full, replicas: 9 }, status: { phase: "Up", url: "new", conditions } });
});

test("a PUT without the annotation loses what only the annotation said", async () => {
  await using world = await begun();
  const { client } = world;
  await client.create(Website, { metadata: at, spec: full });
  await edit(client, Alpha, ({ metadata }) => void delete metadata.annotations);
  expect((await read(client, Website)).spec).toEqual({
    host: "a.b",
    replicas: 3,
    ports: full.ports.map(({ name, port }) => ({ name, port })),
    args: ["-v"],
  });
});

test.for([
  { name: "no JSON", text: "{", reason: "it is not JSON" },
  { name: "another form", text: "[]", reason: "it has another form" },
  { name: "another hub", text: '{"hub":"v0","version":"v1alpha1","kept":{},"base":{}}', reason: "it was written for other versions" },
  {
    name: "a hub that breaks its schema",
    text: '{"hub":"v1","version":"v1alpha1","kept":{"spec":{"replicas":11}},"base":{"spec":{"replicas":2}}}',
    reason: "it leads to a Website that breaks its schema at spec.replicas",
  },
])("all versions are listed although one of 100 stored objects has an annotation with $name", async ({ text, reason }) => {
  await using world = await begun();
  const { client, endpoint } = world;
  await world.store("v1alpha1");
  const names = Array.from({ length: 100 }, (_, i) => `site-${String(i).padStart(3, "0")}`);
  for (const name of names) {
    const annotations = {
      [CONVERSION_ANNOTATION]:
        name === "site-042" ? text : '{"hub":"v1","version":"v1alpha1","kept":{"spec":{"tls":{"issuer":"ca"}}},"base":{"spec":{}}}',
    };
    await client.create(Alpha, { metadata: { name, namespace: "default", annotations }, spec: { domain: name, size: 2 } });
  }
  for (const kind of [Website, Beta, Alpha])
    expect((await client.list(kind, { namespace: "default" })).items.map(({ metadata }) => metadata.name)).toEqual(names);
  // A server converts an object at its event or at its list.
  expect(new Set(endpoint.ignored.filter((line) => !line.startsWith("probe:")))).toEqual(new Set([`site-042: ${reason}`]));
  const hubs = (await client.list(Website, { namespace: "default" })).items;
  expect(hubs.filter(({ spec }) => spec.tls === undefined).map(({ metadata }) => metadata.name)).toEqual(["site-042"]);
});
