import { type ApiRequest, fakeClock, isConflict, isNotFound, kind, metadataOnly, type Transport } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { expect, onTestFinished, test } from "vitest";
import { failure, json, scriptedTransport } from "../test/scripted-transport.ts";
import type { Client } from "./client.ts";
import { createClient } from "./create-client.ts";
import { modify } from "./modify.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "default" };

async function setUp(): Promise<{ readonly client: Client; readonly requests: ApiRequest[] }> {
  const server = createApiServer({ resources: [Widget] });
  onTestFinished(() => server.close());
  const inner = server.transport();
  const requests: ApiRequest[] = [];
  const transport: Transport = { ...inner, request: (request) => (requests.push(request), inner.request(request)) };
  const client = createClient({ transport });
  await client.create(ConfigMap, { metadata: ref, data: { n: "0" } });
  requests.length = 0;
  return { client, requests };
}

test("ten simultaneous modifications that add one add ten", async () => {
  const { client } = await setUp();
  const add = (draft: { data?: Record<string, string> }): void => {
    draft.data = { n: String(Number(draft.data?.["n"]) + 1) };
  };
  await Promise.all(Array.from({ length: 10 }, () => modify(client, ConfigMap, ref, add, { attempts: 20 })));
  expect((await client.get(ConfigMap, ref))?.data).toEqual({ n: "10" });
});

test("a modification with a draft that is equal to the object sends nothing", async () => {
  const { client, requests } = await setUp();
  const stored = await modify(client, ConfigMap, ref, (draft) => void (draft.data = { n: "0" }));
  expect(stored.data).toEqual({ n: "0" });
  expect(requests.map(({ method }) => method)).toEqual(["GET"]);
});

test("a modification may return another draft, whose version is ignored", async () => {
  const { client } = await setUp();
  const stored = await modify(client, ConfigMap, ref, async (draft) => ({
    ...draft,
    metadata: { ...draft.metadata, resourceVersion: "1" },
    data: { n: "7" },
  }));
  expect(stored.data).toEqual({ n: "7" });
});

test("a modification of the status writes the subresource", async () => {
  const { client, requests } = await setUp();
  await client.create(Widget, { apiVersion: "example.dev/v1", kind: "Widget", metadata: ref, spec: { size: 1 } });
  requests.length = 0;
  const stored = await modify(client, Widget, ref, (draft) => void (draft["status"] = { ready: true }), { subresource: "status" });
  expect(stored).toMatchObject({ spec: { size: 1 }, status: { ready: true } });
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /apis/example.dev/v1/namespaces/default/widgets/a",
    "PUT /apis/example.dev/v1/namespaces/default/widgets/a/status",
  ]);
});

test("a modification fails after the given number of conflicts, with a pause before each attempt", async () => {
  const clock = fakeClock();
  let reads = 0;
  const transport = scriptedTransport((request) =>
    request.method === "GET"
      ? json(200, { kind: "Widget", metadata: { ...ref, resourceVersion: String(++reads) } })
      : failure(409, "Conflict", "the object has been modified"),
  );
  const changing = modify(createClient({ transport }), Widget, ref, (draft) => void (draft["spec"] = {}), { clock }).catch(
    (cause: unknown) => cause,
  );
  await clock.advance(1_000);
  expect(await changing).toSatisfy(isConflict);
  expect(transport.requests.map(({ body }) => (body === undefined ? "GET" : JSON.parse(body).metadata.resourceVersion))).toEqual(
    [1, 2, 3, 4, 5].flatMap((version) => ["GET", String(version)]),
  );
});

test("a modification of a missing object, or of metadata only, is an error", async () => {
  const { client } = await setUp();
  const none = modify(client, ConfigMap, { ...ref, name: "none" }, () => undefined).catch((cause: unknown) => cause);
  expect(await none).toSatisfy(isNotFound);
  expect(String(await none)).toContain("cannot change ConfigMap default/none: the object does not exist");
  await expect(modify(client, metadataOnly(ConfigMap), ref, () => undefined)).rejects.toThrow(TypeError);
  const boom = new Error("boom");
  await expect(
    modify(client, ConfigMap, ref, () => {
      throw boom;
    }),
  ).rejects.toBe(boom);
});
