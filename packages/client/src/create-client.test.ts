import { isConflict, isInvalid, isKindNotServed, isNotFound, kind, metadataOnly } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { createClient } from "./create-client.ts";
import { pages } from "./pages.ts";
import { failure, json, scriptedTransport, stream, text } from "../test/scripted-transport.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const Secret = kind({ group: "", version: "v1", kind: "Secret" });
const Node = kind({ group: "", version: "v1", kind: "Node", scope: "Cluster" });
const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "a", namespace: "ns" } };
const ref = { name: "a", namespace: "ns" };

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("it did not reject");
    },
    (error: unknown) => error,
  );
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

describe("the request", () => {
  test.for([
    {
      name: "get",
      call: (c: ReturnType<typeof createClient>) => c.get(Widget, ref),
      method: "GET",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a",
    },
    { name: "get of a cluster-scoped kind", call: (c) => c.get(Node, { name: "n" }), method: "GET", path: "/api/v1/nodes/n" },
    { name: "list in all namespaces", call: (c) => c.list(Widget), method: "GET", path: "/apis/example.dev/v1/widgets" },
    {
      name: "list with everything",
      call: (c) =>
        c.list(Widget, {
          namespace: "ns",
          labelSelector: { b: "2", a: "1" },
          fieldSelector: "metadata.name=x",
          limit: 5,
          continue: "t/=",
          resourceVersion: "0",
          resourceVersionMatch: "NotOlderThan",
        }),
      method: "GET",
      path: "/apis/example.dev/v1/namespaces/ns/widgets?labelSelector=a%3D1%2Cb%3D2&fieldSelector=metadata.name%3Dx&limit=5&continue=t%2F%3D&resourceVersion=0&resourceVersionMatch=NotOlderThan",
    },
    {
      name: "list with a selector in kubectl's syntax",
      call: (c) => c.list(Widget, { labelSelector: "a in (x, y)" }),
      method: "GET",
      path: "/apis/example.dev/v1/widgets?labelSelector=a%20in%20(x%2C%20y)",
    },
    {
      name: "create",
      call: (c) => c.create(Widget, { metadata: ref } as never, { fieldManager: "me", fieldValidation: "Strict", dryRun: true }),
      method: "POST",
      path: "/apis/example.dev/v1/namespaces/ns/widgets?fieldManager=me&fieldValidation=Strict&dryRun=All",
      type: "application/json",
      body: widget,
    },
    {
      name: "update of the status",
      call: (c) => c.update(Widget, widget, { subresource: "status" }),
      method: "PUT",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a/status",
      type: "application/json",
      body: widget,
    },
    {
      name: "a merge patch",
      call: (c) => c.patch(Widget, ref, { type: "merge", body: { spec: { x: null } } }),
      method: "PATCH",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a",
      type: "application/merge-patch+json",
      body: { spec: { x: null } },
    },
    {
      name: "a JSON patch",
      call: (c) => c.patch(Widget, ref, { type: "json", body: [{ op: "remove", path: "/spec" }] }, { subresource: "status" }),
      method: "PATCH",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a/status",
      type: "application/json-patch+json",
      body: [{ op: "remove", path: "/spec" }],
    },
    {
      name: "a strategic merge patch",
      call: (c) => c.patch(Widget, ref, { type: "strategic", body: { spec: { x: 1 } } }),
      method: "PATCH",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a",
      type: "application/strategic-merge-patch+json",
      body: { spec: { x: 1 } },
    },
    {
      name: "apply",
      call: (c) => c.apply(Widget, { metadata: ref }, { fieldManager: "me/x", force: true }),
      method: "PATCH",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a?fieldManager=me%2Fx&force=true",
      type: "application/apply-patch+yaml",
      body: widget,
    },
    { name: "delete", call: (c) => c.delete(Widget, ref), method: "DELETE", path: "/apis/example.dev/v1/namespaces/ns/widgets/a" },
    {
      name: "delete with options",
      call: (c) =>
        c.delete(Widget, ref, { preconditions: { uid: "u" }, propagationPolicy: "Foreground", gracePeriodSeconds: 0, dryRun: true }),
      method: "DELETE",
      path: "/apis/example.dev/v1/namespaces/ns/widgets/a",
      type: "application/json",
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid: "u" },
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 0,
        dryRun: ["All"],
      },
    },
  ] as readonly {
    name: string;
    call: (c: ReturnType<typeof createClient>) => Promise<unknown>;
    method: string;
    path: string;
    type?: string;
    body?: unknown;
  }[])("$name", async ({ call, method, path, type, body }) => {
    const transport = scriptedTransport(json(200, { ...widget, items: [] }));
    await call(createClient({ transport }));
    expect(transport.requests).toHaveLength(1);
    const [request] = transport.requests;
    expect({ method: request?.method, path: request?.path, type: request?.headers["content-type"] }).toEqual({ method, path, type });
    expect(request?.body === undefined ? undefined : JSON.parse(request.body)).toEqual(body);
  });

  test("a write does not change the given object", async () => {
    const object = Object.freeze({ metadata: Object.freeze({ ...ref }), spec: Object.freeze({}) });
    const client = createClient({ transport: scriptedTransport(json(200, widget)), fieldManager: "me" });
    await client.create(Widget, object as never);
    await client.update(Widget, object as never);
    await client.apply(Widget, object);
    expect(object).toEqual({ metadata: ref, spec: {} });
  });

  test.for([
    { name: "an empty name, which would be the collection", given: { name: "", namespace: "ns" } },
    { name: "a name that is a path", given: { name: "a/status", namespace: "ns" } },
    { name: "a name that climbs", given: { name: "..", namespace: "ns" } },
    { name: "a missing namespace", given: { name: "a" } },
    { name: "a namespace that is a path", given: { name: "a", namespace: "x/y" } },
  ])("a delete with $name is refused before anything is sent", async ({ given }) => {
    const transport = scriptedTransport(json(200, widget));
    const client = createClient({ transport });
    for (const call of [
      client.get(Widget, given),
      client.delete(Widget, given),
      client.patch(Widget, given, { type: "merge", body: {} }),
    ]) {
      expect(await rejection(call)).toBeInstanceOf(TypeError);
    }
    expect(transport.requests).toEqual([]);
  });

  test("an apply without a field manager is refused with the fix", async () => {
    const client = createClient({ transport: scriptedTransport(json(200, widget)) });
    expect(String(await rejection(client.apply(Widget, widget)))).toContain("needs a fieldManager");
  });
});

test("pages lists all objects of one version, page by page", async () => {
  const page = (names: readonly string[], next?: string) =>
    json(200, {
      kind: "WidgetList",
      metadata: { continue: next ?? "" },
      items: names.map((name) => ({ kind: "Widget", metadata: { name } })),
    });
  const transport = scriptedTransport(page(["a", "b"], "t1"), page(["c"]));
  const seen = await all(
    pages(createClient({ transport }), Widget, {
      namespace: "ns",
      labelSelector: "x",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
    }),
  );
  expect(seen.map(({ items }) => items.map((item) => item.metadata.name))).toEqual([["a", "b"], ["c"]]);
  expect(transport.requests.map(({ path }) => path.split("?")[1])).toEqual([
    "labelSelector=x&limit=250&resourceVersion=7&resourceVersionMatch=Exact",
    "labelSelector=x&limit=250&continue=t1",
  ]);
});

describe("answers", () => {
  test("the items of a list get the apiVersion and kind that the server omits", async () => {
    const list = { apiVersion: "v1", kind: "SecretList", metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "a" } }] };
    const client = createClient({ transport: scriptedTransport(json(200, list)) });
    expect(await client.list(Secret)).toEqual({ ...list, items: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }] });
  });

  test("metadata only is requested, and whole objects of an old server are reduced", async () => {
    const whole = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { password: "cGFzcw==" } };
    const transport = scriptedTransport(
      json(200, whole),
      json(200, { apiVersion: "v1", kind: "SecretList", metadata: {}, items: [whole] }),
      stream(`${JSON.stringify({ type: "ADDED", object: whole })}\n`),
    );
    const client = createClient({ transport });
    const reduced = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    expect(await client.get(metadataOnly(Secret), ref)).toEqual(reduced);
    expect((await client.list(metadataOnly(Secret))).items).toEqual([reduced]);
    expect(await all(await client.watch(metadataOnly(Secret)))).toEqual([{ type: "ADDED", object: reduced }]);
    expect(transport.requests.map((request) => request.headers["accept"]?.match(/as=\w+/)?.[0])).toEqual([
      "as=PartialObjectMetadata",
      "as=PartialObjectMetadataList",
      "as=PartialObjectMetadata",
    ]);
  });

  test("a get of a missing object is undefined, and its deletion is a success", async () => {
    const client = createClient({
      transport: scriptedTransport(failure(404, "NotFound", 'widgets "a" not found', { name: "a", kind: "widgets" })),
    });
    expect(await client.get(Widget, ref)).toBeUndefined();
    await client.delete(Widget, ref);
    expect(await rejection(client.patch(Widget, ref, { type: "merge", body: {} }))).toSatisfy(isNotFound);
  });

  test.for([
    { name: "in plain text", answer: text(404, "404 page not found\n") },
    { name: "in a Status without a name", answer: failure(404, "NotFound", "the server could not find the requested resource", {}) },
  ])("a kind that is not served is an error $name", async ({ answer }) => {
    const client = createClient({ transport: scriptedTransport(answer) });
    for (const call of [client.get(Widget, ref), client.list(Widget), client.delete(Widget, ref)])
      expect(await rejection(call)).toSatisfy(isKindNotServed);
  });

  test("an error names verb and object, and keeps the server's details", async () => {
    const details = {
      name: "a",
      kind: "widgets",
      causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.size" }],
    };
    const client = createClient({
      transport: scriptedTransport(failure(422, "Invalid", 'Widget "a" is invalid: spec.size: Required value', details)),
    });
    const error = await rejection(client.create(Widget, widget));
    expect(error).toSatisfy(isInvalid);
    expect(error).toMatchObject({
      message: 'cannot create Widget ns/a: Widget "a" is invalid: spec.size: Required value',
      status: 422,
      reason: "Invalid",
      details,
      causes: details.causes,
    });
  });

  test("a conflict is not the error of an object that exists already", async () => {
    const client = createClient({ transport: scriptedTransport(failure(409, "Conflict", "modified", { name: "a" })) });
    expect(await rejection(client.update(Widget, widget))).toSatisfy(isConflict);
  });

  test("a value that was written into a Secret is in no error, even if the server repeats it", async () => {
    const password = "correct-horse";
    const encoded = Buffer.from(password).toString("base64");
    const repeats = failure(422, "Invalid", `data: Invalid value: "${encoded}"`, {
      name: "a",
      causes: [{ message: `bad ${password}`, field: "data.p" }],
    });
    const client = createClient({ transport: scriptedTransport(repeats) });
    for (const write of [
      client.create(Secret, { metadata: ref, data: { p: encoded } } as never),
      client.patch(Secret, ref, { type: "merge", body: { data: { p: encoded } } }),
      client.patch(Secret, ref, { type: "json", body: [{ op: "add", path: "/stringData/p", value: password }] }),
    ]) {
      const error = await rejection(write);
      expect(JSON.stringify([String(error), error])).not.toMatch(new RegExp(`${password}|${encoded.slice(0, 8)}`));
    }
  });

  const asked = {
    get: (c) => c.get(Widget, ref),
    list: (c) => c.list(Widget),
    delete: (c) => c.delete(Widget, ref),
    create: (c) => c.create(Widget, widget),
    eviction: (c) => c.create(Widget, widget, { subresource: "eviction" as never }),
  } satisfies Record<string, (c: ReturnType<typeof createClient>) => Promise<unknown>>;
  const everything = Object.keys(asked) as (keyof typeof asked)[]; // its own keys

  test.for<{ body: string; refusedBy: readonly (keyof typeof asked)[] }>([
    { body: "<html>hunter2</html>", refusedBy: everything },
    { body: "", refusedBy: everything },
    { body: "null", refusedBy: everything },
    { body: '"hunter2"', refusedBy: everything },
    { body: "[]", refusedBy: everything },
    { body: "{}", refusedBy: everything },
    { body: '{"items":[]}', refusedBy: everything },
    { body: '{"kind":7,"items":[]}', refusedBy: everything },
    { body: '{"kind":"Status","status":"Failure","message":"hunter2"}', refusedBy: everything },
    { body: '{"kind":"Status","status":"Success"}', refusedBy: ["get", "list", "create"] },
    { body: '{"kind":"WidgetList"}', refusedBy: ["list"] },
    { body: '{"kind":"WidgetList","items":"hunter2"}', refusedBy: ["list"] },
    { body: '{"kind":"WidgetList","items":{"hunter2":1}}', refusedBy: ["list"] },
    { body: '{"kind":"WidgetList","items":[null]}', refusedBy: ["list"] },
    { body: '{"kind":"WidgetList","items":[["hunter2"]]}', refusedBy: ["list"] },
    { body: '{"kind":"WidgetList","items":[]}', refusedBy: [] },
  ])("a 200 with $body is an error that does not quote it: $refusedBy", async ({ body, refusedBy }) => {
    const client = createClient({ transport: scriptedTransport(text(200, body)), server: "https://proxy" });
    for (const name of everything) {
      const error: unknown = await asked[name](client).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (!refusedBy.includes(name)) expect([name, error]).toEqual([name, undefined]);
      else {
        expect(error).toMatchObject({ name: "ConnectionError", code: "ERR_INVALID_RESPONSE", server: "https://proxy" });
        expect(String(error)).toContain(`cannot ${name === "eviction" ? "create eviction of" : name} Widget`);
        expect(String(error)).not.toContain("hunter2");
      }
    }
  });

  test("a list whose items are null, and that has no metadata, is an empty list", async () => {
    const client = createClient({ transport: scriptedTransport(json(200, { kind: "WidgetList", items: null })) });
    expect(await client.list(Widget)).toEqual({ kind: "WidgetList", metadata: {}, items: [] });
  });
});

test("the error of a 401 names the server and the origin of the credentials", async () => {
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "Unauthorized",
    reason: "Unauthorized",
    code: 401,
  });
  const transport = { request: async () => ({ status: 401, headers: {}, body }), close: async () => undefined };
  const told = createClient({ transport, server: "https://c:6443", credentialSource: "/home/me/.kube/config" });
  await expect(told.get(Secret, { name: "s", namespace: "ns" })).rejects.toThrow(
    "cannot get Secret ns/s: Unauthorized; https://c:6443 does not accept the credentials from /home/me/.kube/config: they are wrong, expired, or those of another cluster",
  );
});
