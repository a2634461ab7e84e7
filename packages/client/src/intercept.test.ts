import { type ApiRequest, kind } from "@treadle/apimachinery";
import { ConfigMap, Pod } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { json, scriptedTransport } from "../test/scripted-transport.ts";
import type { Client } from "./client.ts";
import { createClient } from "./create-client.ts";
import { intercept, withDryRun, withFieldManager, withFieldValidation, withNamespace } from "./intercept.ts";
import { modify } from "./modify.ts";
import { evict } from "./subresources.ts";

const Node = kind({ group: "", version: "v1", kind: "Node", scope: "Cluster" });
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "ns" } };

function setUp() {
  const transport = scriptedTransport((request) =>
    request.path.includes("watch=true") || /configmaps(\?|$)/.test(request.path)
      ? json(200, { ...map, kind: request.method === "GET" ? "ConfigMapList" : "ConfigMap", items: [] })
      : json(200, map),
  );
  return { client: createClient({ transport }), requests: transport.requests };
}

/** Every write that a client has, each once. */
async function write(client: Client, namespace: string | undefined = "ns"): Promise<void> {
  const ref = { name: "a", ...(namespace === undefined ? {} : { namespace }) };
  await client.create(ConfigMap, { metadata: ref });
  await client.update(ConfigMap, { metadata: ref });
  await client.patch(ConfigMap, ref, { type: "merge", body: {} });
  await client.apply(ConfigMap, { metadata: ref }, { fieldManager: "given" });
  await client.delete(ConfigMap, ref);
}

const queries = (requests: readonly ApiRequest[]): readonly (string | undefined)[] => requests.map(({ path }) => path.split("?")[1]);

test("an interceptor replaces one verb and passes the others on", async () => {
  const { client, requests } = setUp();
  const seen: string[] = [];
  const counting = intercept(client, (next) => ({
    async get(of, ref, options) {
      seen.push(`${of.kind} ${ref.name}`);
      return next.get(of, ref, options);
    },
    async delete() {
      throw new Error("not today");
    },
  }));
  expect(await counting.get(ConfigMap, map.metadata)).toEqual(map);
  await counting.list(ConfigMap, { namespace: "ns" });
  await expect(counting.delete(ConfigMap, map.metadata)).rejects.toThrow("not today");
  expect(seen).toEqual(["ConfigMap a"]);
  expect(requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("functions that take a client use its interceptors", async () => {
  const { client } = setUp();
  const seen: string[] = [];
  const noting = intercept(client, (next) => ({
    get: (of, ref, options) => (seen.push("get"), next.get(of, ref, options)),
    update: (of, object, options) => (seen.push("update"), next.update(of, object, options)),
  }));
  await modify(noting, ConfigMap, map.metadata, (draft) => void (draft.data = { a: "b" }));
  expect(seen).toEqual(["get", "update"]);
});

test("an interceptor passes on all methods of a class instance", async () => {
  const { client } = setUp();
  class Wrapped {
    get = client.get;
    list(): Promise<string> {
      return Promise.resolve(this.constructor.name);
    }
  }
  expect(await intercept(new Wrapped() as unknown as Client, () => ({})).list(ConfigMap)).toBe("Wrapped");
});

test("withNamespace fills in the namespace for every verb, and refuses another one before anything is sent", async () => {
  const { client, requests } = setUp();
  const inside = withNamespace(client, "ns");
  await write(inside, undefined);
  await inside.get(ConfigMap, { name: "a" });
  await inside.list(ConfigMap);
  await inside.watch(ConfigMap);
  await inside.get(Node, { name: "n" });
  const paths = requests.map(({ path }) => path.split("?")[0]);
  expect(paths.slice(0, 8).every((path) => path?.startsWith("/api/v1/namespaces/ns/configmaps"))).toBe(true);
  expect(paths[8]).toBe("/api/v1/nodes/n");
  requests.length = 0;
  const other = { name: "a", namespace: "other" };
  for (const call of [
    () => write(inside, "other"),
    () => inside.get(ConfigMap, other),
    () => inside.list(ConfigMap, { namespace: "other" }),
    () => inside.watch(ConfigMap, { namespace: "other" }),
    () => inside.patch(ConfigMap, other, { type: "merge", body: {} }),
    () => inside.delete(ConfigMap, other),
  ])
    await expect(call()).rejects.toThrow("the client is for namespace ns only");
  expect(requests).toEqual([]);
});

test("withDryRun stores nothing", async () => {
  const { client, requests } = setUp();
  const dry = withDryRun(client);
  await write(dry);
  await dry.delete(ConfigMap, map.metadata, { dryRun: false });
  await dry.create(ConfigMap, map, { dryRun: false });
  await evict(dry, map.metadata);
  await dry.raw({ method: "POST", path: "/api/v1/namespaces?fieldManager=a%26b", headers: {} });
  for (const { path, body } of requests) expect(path.includes("dryRun=All") || body?.includes('"dryRun":["All"]')).toBe(true);
  expect(requests.at(-1)?.path).toBe("/api/v1/namespaces?fieldManager=a%26b&dryRun=All");
  await dry.raw({ method: "GET", path: "/version", headers: {} });
  expect(requests.at(-1)?.path).toBe("/version");
});

test("withFieldManager and withFieldValidation fill in what the call does not give", async () => {
  const { client, requests } = setUp();
  await write(withFieldManager(withFieldValidation(client, "Strict"), "me"));
  expect(queries(requests)).toEqual([
    "fieldManager=me&fieldValidation=Strict",
    "fieldManager=me&fieldValidation=Strict",
    "fieldManager=me&fieldValidation=Strict",
    "fieldManager=given&fieldValidation=Strict",
    undefined,
  ]);
  requests.length = 0;
  await withFieldValidation(client, "Strict").create(Pod, { metadata: map.metadata } as never, { fieldValidation: "Ignore" });
  expect(queries(requests)).toEqual(["fieldValidation=Ignore"]);
});
