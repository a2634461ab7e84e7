/** One object's life, told to a real API protocol: in this process, and over HTTPS with a kubeconfig. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isKindNotServed,
  isNotFound,
  kind,
  metadataOnly,
  type UntypedObject,
} from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Client, connect, createClient, pages, type WatchEvent } from "../src/index.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const Gadget = kind({ group: "example.dev", version: "v1", kind: "Gadget" });
const ref = { name: "a", namespace: "default" };
const widget = (spec: object): UntypedObject => ({ apiVersion: "example.dev/v1", kind: "Widget", metadata: ref, spec });

async function inProcess(): Promise<Client> {
  const server = createApiServer({ resources: [Widget] });
  onTestFinished(() => server.close());
  return createClient({ transport: server.transport(), fieldManager: "story" });
}

async function overHttps(auth: { readonly token?: string; readonly clientCertificate?: boolean }): Promise<Client> {
  const server = createApiServer({ resources: [Widget] });
  const front = await serveHttps(server, { auth });
  const directory = await mkdtemp(join(tmpdir(), "treadle-"));
  const file = join(directory, "kubeconfig");
  await writeFile(file, front.kubeconfig());
  const client = await connect({ kubeconfig: file, fieldManager: "story" });
  onTestFinished(async () => {
    await client.close();
    await front.close();
    await server.close();
    await rm(directory, { recursive: true });
  });
  return client;
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

describe.for([
  { name: "in process", start: inProcess },
  { name: "over HTTPS with a token", start: () => overHttps({ token: "hunter2" }) },
  { name: "over HTTPS with a client certificate", start: () => overHttps({ clientCertificate: true }) },
])("$name", ({ start }) => {
  test("an object is created, changed, watched and deleted", async () => {
    const client = await start();
    expect(await client.get(Widget, ref)).toBeUndefined();
    const { metadata } = await client.list(Widget);

    const created = await client.create(Widget, widget({ size: 1 }));
    expect(created).toMatchObject({
      kind: "Widget",
      spec: { size: 1 },
      metadata: { generation: 1, managedFields: [{ manager: "story" }] },
    });
    expect(await failure(client.create(Widget, widget({})))).toSatisfy(isAlreadyExists);
    const patched = await client.patch(Widget, ref, { type: "merge", body: { spec: { size: 2 }, metadata: { labels: { a: "b" } } } });
    expect(patched).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
    expect(await failure(client.update(Widget, { ...created, spec: { size: 3 } }))).toSatisfy(isConflict);
    const withStatus = await client.patch(
      Widget,
      ref,
      { type: "json", body: [{ op: "add", path: "/status", value: { ready: true } }] },
      { subresource: "status" },
    );
    expect(withStatus).toMatchObject({ spec: { size: 2 }, status: { ready: true }, metadata: { generation: 2 } });
    expect((await client.list(Widget, { labelSelector: { a: "b" }, fieldSelector: "metadata.name=a" })).items).toEqual([withStatus]);
    expect((await client.list(Widget, { namespace: "default", labelSelector: "a!=b" })).items).toEqual([]);

    expect(await failure(client.delete(Widget, ref, { preconditions: { uid: "another" } }))).toSatisfy(isConflict);
    await client.delete(Widget, ref, { preconditions: { uid: created.metadata.uid ?? "" } });
    await client.delete(Widget, ref);
    expect(await failure(client.patch(Widget, ref, { type: "merge", body: {} }))).toSatisfy(isNotFound);

    const seen: string[] = [];
    for await (const event of await client.watch(Widget, { resourceVersion: metadata.resourceVersion ?? "" })) {
      seen.push(event.type);
      if (event.type === "DELETED") break;
    }
    expect(seen).toEqual(["ADDED", "MODIFIED", "MODIFIED", "DELETED"]);
  });

  test("an open watch gives every change until it is aborted", async () => {
    const client = await start();
    const controller = new AbortController();
    const events = (await client.watch(ConfigMap, { namespace: "default", signal: controller.signal }))[Symbol.asyncIterator]();
    const next = events.next();
    await client.create(ConfigMap, { metadata: ref, data: { text: "ümläut 🧵" } });
    const event: WatchEvent<ConfigMap> | undefined = (await next).value;
    expect(event).toMatchObject({ type: "ADDED", object: { data: { text: "ümläut 🧵" } } });
    const reason = new Error("boom");
    const silent = events.next();
    controller.abort(reason);
    await expect(silent).rejects.toBe(reason);
  });

  test("a long list is read page by page, with metadata only on request", async () => {
    const client = await start();
    for (let i = 0; i < 7; i++)
      await client.create(Secret, { metadata: { name: `s-${i}`, namespace: "default" }, stringData: { password: "hunter2" } });
    const sizes: number[] = [];
    for await (const page of pages(client, Secret, { namespace: "default", limit: 3 })) sizes.push(page.items.length);
    expect(sizes).toEqual([3, 3, 1]);
    const { items } = await client.list(metadataOnly(Secret), { namespace: "default" });
    expect(items).toHaveLength(7);
    expect(Object.keys(items[0] ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
    expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "Secret" });
  });

  test("the refusals of the server have their codes", async () => {
    const client = await start();
    const notServed = await failure(client.list(Gadget));
    expect(notServed).toSatisfy(isKindNotServed);
    expect(String(notServed)).toContain("ApiError: cannot list Gadget: ");
    expect(await failure(client.get(Gadget, ref))).toSatisfy(isKindNotServed);
    const invalid = await failure(client.create(ConfigMap, { metadata: { name: "Not_A_Name", namespace: "default" } }));
    expect(invalid).toSatisfy(isInvalid);
    expect(String(invalid)).toContain("cannot create ConfigMap default/Not_A_Name: ");
    expect(await failure(client.create(ConfigMap, { metadata: { name: "a", namespace: "nowhere" } }))).toSatisfy(isNotFound);
  });
});

test("a watch of a version that the server no longer has is expired", async () => {
  const server = createApiServer();
  const client = createClient({ transport: server.transport() });
  const { metadata } = await client.list(ConfigMap);
  await client.create(ConfigMap, { metadata: ref });
  server.compact();
  const error = await failure(
    (async () => {
      for await (const event of await client.watch(ConfigMap, { resourceVersion: metadata.resourceVersion ?? "" }))
        if (event.type === "ERROR") return Promise.reject(event.object);
    })(),
  );
  expect(isExpired(error) || (error as { code?: number }).code === 410).toBe(true);
  await server.close();
});
