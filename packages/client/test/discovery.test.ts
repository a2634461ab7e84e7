/** Kinds and objects that a program knows by name only, against servers that speak the protocol. */
import { isKindNotServed, kind } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { expect, onTestFinished, test } from "vitest";
import { createClient, discovery, follow, httpTransport, items, pages } from "../src/index.ts";

const widgets = {
  metadata: { name: "widgets.example.dev" },
  spec: {
    group: "example.dev",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] },
    scope: "Namespaced" as const,
    versions: ["v1", "v2beta1"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      subresources: { status: {} },
    })),
  },
};

async function setUp() {
  const server = createApiServer();
  const front = await serveHttps(server);
  const client = createClient({ transport: httpTransport({ server: front.url, credentials: { ca: front.caPem } }), fieldManager: "test" });
  onTestFinished(async () => {
    await client.close();
    await front.close();
    await server.close();
  });
  return { server, client };
}

test("manifests of undeclared kinds are applied, read and deleted, their CRD included", async () => {
  const { client } = await setUp();
  const served = discovery(client);
  const manifests = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, data: { a: "b" } },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", ...widgets },
    { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "a", namespace: "default" }, spec: { size: 1 } },
  ];
  for (const manifest of manifests) await client.apply(await served.kindOf(manifest), manifest);
  const Widget = await served.kindOf({ group: "example.dev", kind: "Widget" });
  expect(Widget).toMatchObject({
    version: "v1",
    plural: "widgets",
    scope: "Namespaced",
    shortNames: ["wd"],
    subresources: [{ name: "status" }],
  });
  expect(await client.get(Widget, { name: "a", namespace: "default" })).toMatchObject({ spec: { size: 1 } });
  expect((await served.kinds()).map(({ kind: name }) => name)).toEqual(expect.arrayContaining(["ConfigMap", "Widget", "Deployment"]));
  await client.delete(CustomResourceDefinition, { name: "widgets.example.dev" });
  served.invalidate();
  const error = await served.kindOf({ apiVersion: "example.dev/v1", kind: "Widget" }).catch((cause: unknown) => cause);
  expect(error).toSatisfy(isKindNotServed);
});

test("a list that is read too slowly continues with a newer version", async () => {
  const { server, client } = await setUp();
  for (const name of ["a", "b", "c", "d"]) await client.create(ConfigMap, { metadata: { name, namespace: "default" } });
  const read = async (onExpired: "continue" | "throw"): Promise<string[]> => {
    const names: string[] = [];
    for await (const { metadata } of items(client, ConfigMap, { namespace: "default", limit: 2, onExpired })) {
      names.push(metadata.name);
      if (metadata.name === "b") {
        await client.delete(ConfigMap, { name: "d", namespace: "default" });
        await client.create(ConfigMap, { metadata: { name: "e", namespace: "default" } }).catch(() => undefined);
        server.compact();
      }
    }
    return names;
  };
  await expect(read("throw")).rejects.toMatchObject({ code: "ERR_EXPIRED" });
  expect(await read("continue")).toEqual(["a", "b", "c", "e"]);
  const first = pages(client, ConfigMap, { resourceVersion: "1", resourceVersionMatch: "Exact" }).next();
  await expect(first).rejects.toMatchObject({ code: "ERR_EXPIRED" });
});

test("follow reports each object once, although the server loses versions", async () => {
  const { server, client } = await setUp();
  const ref = { name: "a", namespace: "default" };
  await client.create(ConfigMap, { metadata: ref });
  const seen: string[] = [];
  for await (const event of follow(client, ConfigMap, { namespace: "default", fieldSelector: "metadata.name=a" })) {
    seen.push(event.type);
    if (event.type === "SYNCED") await client.patch(ConfigMap, ref, { type: "merge", body: { data: { a: "b" } } });
    if (event.type === "MODIFIED") await client.delete(ConfigMap, ref);
    if (event.type === "DELETED") break;
  }
  expect(seen).toEqual(["ADDED", "SYNCED", "MODIFIED", "DELETED"]);
  const old = (await client.list(ConfigMap, { limit: 1 })).metadata.resourceVersion ?? "";
  await client.create(ConfigMap, { metadata: ref });
  server.compact();
  const again: string[] = [];
  for await (const event of follow(client, ConfigMap, { namespace: "default", resourceVersion: old })) {
    again.push(event.type);
    if (event.type === "SYNCED") break;
  }
  expect(again).toEqual(["RESTARTED", "ADDED", "SYNCED"]);
  const none = kind({ group: "example.dev", version: "v1", kind: "None" });
  await expect(follow(client, none).next()).rejects.toSatisfy(isKindNotServed);
});
