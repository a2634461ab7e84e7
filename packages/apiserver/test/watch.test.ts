import { getEventListeners } from "node:events";
import { ApiError } from "@treadle/apimachinery";
import { describe, expect, test, vi } from "vitest";
import { CONFIG_MAPS, configMap, harness, seen, WIDGETS, widget, widgetCrd } from "./harness.ts";

describe("watch", () => {
  test("begins with the current state and continues with changes, in order", async () => {
    const { call, watch, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const watching = await watch(`${WIDGETS}?watch=true`);
    await call("POST", WIDGETS, widget("b"));
    await merge(`${WIDGETS}/a`, { spec: { size: 2 } });
    await call("DELETE", `${WIDGETS}/a`);
    expect(seen(await watching.take())).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED a"]);
  });

  test("continues after a version without losing or repeating a change", async () => {
    const { call, watch, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const { body: list } = await call("GET", WIDGETS);
    await merge(`${WIDGETS}/a`, { spec: { size: 2 } });
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${list["metadata"].resourceVersion}`);
    await merge(`${WIDGETS}/a`, { spec: { size: 3 } });
    const events = await watching.take();
    expect(events.map((event) => [event["type"], event["object"].spec.size])).toEqual([
      ["MODIFIED", 2],
      ["MODIFIED", 3],
    ]);
  });

  test("an object that enters or leaves the selection is added or deleted", async () => {
    const { call, watch, merge } = harness();
    const watching = await watch(`${WIDGETS}?watch=true&labelSelector=${encodeURIComponent("color=red")}`);
    await call("POST", WIDGETS, widget("a"));
    await merge(`${WIDGETS}/a`, { metadata: { labels: { color: "red" } } });
    await merge(`${WIDGETS}/a`, { spec: { size: 2 } });
    const left = await merge(`${WIDGETS}/a`, { metadata: { labels: { color: "blue" } }, spec: { size: 3 } });
    await call("DELETE", `${WIDGETS}/a`);
    const events = await watching.take();
    expect(seen(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    // The last selected state, with the version of the change that ended the selection.
    expect(events[2]?.["object"]).toMatchObject({
      spec: { size: 2 },
      metadata: { labels: { color: "red" }, resourceVersion: left.body["metadata"].resourceVersion },
    });
  });

  test("a deletion has the last state with its own version", async () => {
    const { call, watch } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${body["metadata"].resourceVersion}`);
    await call("DELETE", `${WIDGETS}/a`);
    const [event] = await watching.take();
    expect(event?.["object"].spec).toEqual(body["spec"]);
    expect(Number(event?.["object"].metadata.resourceVersion)).toBeGreaterThan(Number(body["metadata"].resourceVersion));
  });

  test("can be limited to a namespace, or to a name by path or field selector", async () => {
    const { call, watch } = harness();
    await call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    const inDefault = await watch(`${CONFIG_MAPS}?watch=true`);
    const byField = await watch("/api/v1/configmaps?watch=true&fieldSelector=metadata.name%3Da,metadata.namespace%3Dother");
    const byPath = await watch("/api/v1/watch/namespaces/other/configmaps/b");
    for (const name of ["a", "b"]) await call("POST", "/api/v1/namespaces/other/configmaps", configMap(name));
    await call("POST", CONFIG_MAPS, configMap("a"));
    expect(seen(await inDefault.take())).toEqual(["ADDED a"]);
    expect((await byField.take()).map((event) => event["object"].metadata.namespace)).toEqual(["other"]);
    expect(seen(await byPath.take())).toEqual(["ADDED b"]);
  });

  test("sends the state, marks its end and continues (WatchList)", async () => {
    const { call, watch } = harness();
    await call("POST", WIDGETS, widget("a"));
    const watching = await watch(
      `${WIDGETS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=`,
    );
    await call("POST", WIDGETS, widget("b"));
    const events = await watching.take();
    expect(seen(events)).toEqual(["ADDED a", "BOOKMARK", "ADDED b"]);
    const { body } = await call("GET", `${WIDGETS}/a`);
    expect(events[1]?.["object"]).toMatchObject({
      kind: "Widget",
      apiVersion: "example.com/v1",
      metadata: { resourceVersion: body["metadata"].resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });

  test.for([
    { query: "sendInitialEvents=true", message: /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/ },
    {
      query: "resourceVersionMatch=NotOlderThan&resourceVersion=1",
      message: /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
    },
    { query: "labelSelector=a%20b%20c", message: /unable to parse requirement/ },
    { query: "fieldSelector=spec.size%3D1", message: /field label not supported: spec.size/ },
    { query: "resourceVersion=abc", message: /resourceVersion: Invalid value: "abc"/ },
  ])("refuses $query", async ({ query, message }) => {
    const { call } = harness();
    const answer = await call("GET", `${WIDGETS}?watch=true&${query}`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body["message"]).toMatch(message);
  });

  test("with an expired version gets 410 as its only event", async () => {
    const { call, watch, server } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    await call("POST", WIDGETS, widget("b"));
    server.compact();
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${body["metadata"].resourceVersion}`);
    const events = await watching.take();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
    expect(events[0]?.["object"].message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
    expect(watching.hasEnded()).toBe(true);
    const present = await watch(`${WIDGETS}?watch=true&resourceVersion=${server.resourceVersion}`);
    expect(await present.take()).toEqual([]);
    expect(present.hasEnded()).toBe(false);
  });

  test("with an expired version gets 410 also for a kind that was never read", async () => {
    const { call, watch, server } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    await call("POST", WIDGETS, widget("b"));
    server.compact();
    const watching = await watch(`/api/v1/secrets?watch=true&resourceVersion=${body["metadata"].resourceVersion}`);
    expect(await watching.take()).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
  });

  test("sends bookmarks with the newest version of any kind", async () => {
    const { call, watch, clock, server } = harness();
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=0&allowWatchBookmarks=true`);
    const silent = await watch(`${WIDGETS}?watch=true&resourceVersion=0`);
    await call("POST", CONFIG_MAPS, configMap("a"));
    await clock.advance(60_000);
    const [event] = await watching.take();
    expect(event).toMatchObject({ type: "BOOKMARK", object: { metadata: { resourceVersion: server.resourceVersion } } });
    expect(await silent.take()).toEqual([]);
  });

  test("ends after its timeout, on abort and when the server closes, and leaves nothing behind", async () => {
    const { watch, clock, server } = harness();
    const timed = await watch(`${WIDGETS}?watch=true&timeoutSeconds=5&allowWatchBookmarks=true`);
    const aborted = await watch(`${WIDGETS}?watch=true`);
    const open = await watch(`${WIDGETS}?watch=true`);
    expect(server.watchCount).toBe(3);
    await clock.advance(5000);
    aborted.stop();
    await timed.take();
    expect([timed.hasEnded(), aborted.hasEnded(), open.hasEnded()]).toEqual([true, true, false]);
    expect(server.watchCount).toBe(1);
    await server.close();
    await open.take();
    expect(open.hasEnded()).toBe(true);
    expect(server.watchCount).toBe(0);
    expect(clock.nextDue()).toBeUndefined();
  });

  test("ends when its reader is too slow, before the server runs out of memory", async () => {
    const { server, call } = harness({ watchBuffer: 3 });
    const response = await server.handle({ method: "GET", path: `${CONFIG_MAPS}?watch=true`, headers: {}, stream: true });
    for (const name of ["a", "b", "c", "d", "e"]) await call("POST", CONFIG_MAPS, configMap(name));
    expect(server.watchCount).toBe(0);
    const chunks: string[] = [];
    for await (const chunk of response.stream ?? []) chunks.push(chunk);
    expect(chunks).toEqual([]);
  });

  test("shows metadata only when asked", async () => {
    const { call, watch } = harness();
    await call("POST", WIDGETS, widget("a", { metadata: { labels: { a: "b" } } }));
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const watching = await watch(`${WIDGETS}?watch=true`, { accept });
    const [event] = await watching.take();
    expect(event?.["object"]).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a", labels: { a: "b" } },
    });
    expect(event?.["object"]).not.toHaveProperty("spec");
    const list = await call("GET", WIDGETS, undefined, { accept: accept.replace("Metadata;", "MetadataList;") });
    expect(list.body).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ kind: "PartialObjectMetadata" }] });
  });

  test("ends when the definition of the kind changes or is deleted", async () => {
    const { watch, server, call } = harness();
    const first = await watch(`${WIDGETS}?watch=true`);
    server.install(widgetCrd(undefined, { schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } }));
    await first.take();
    expect(first.hasEnded()).toBe(true);
    const second = await watch(`${WIDGETS}?watch=true`);
    await call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
    await second.take();
    expect(second.hasEnded()).toBe(true);
  });
});

describe("the in-process transport", () => {
  test("ends its watches when it closes, and accepts no more requests", async () => {
    const { server } = harness();
    const transport = server.transport();
    const { stream } = await transport.request({ method: "GET", path: `${WIDGETS}?watch=true`, headers: {}, stream: true });
    await transport.close();
    const chunks: string[] = [];
    for await (const chunk of stream ?? []) chunks.push(chunk);
    expect(chunks).toEqual([]);
    expect(server.watchCount).toBe(0);
    await expect(transport.request({ method: "GET", path: "/version", headers: {} })).rejects.toMatchObject({ name: "AbortError" });
    expect((await server.transport().request({ method: "GET", path: "/version", headers: {} })).status).toBe(200);
  });

  test("does not combine two signals, because a long-lived one would keep memory of each request", async () => {
    const { server } = harness();
    const any = vi.spyOn(AbortSignal, "any");
    const { signal } = new AbortController();
    const transport = server.transport();
    await transport.request({ method: "GET", path: WIDGETS, headers: {}, signal });
    await transport.request({ method: "GET", path: `${WIDGETS}?watch=true`, headers: {}, signal, stream: true });
    expect(any).not.toHaveBeenCalled();
    any.mockRestore();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await transport.close();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("ends a watch with the signal of its request, also when the transport closes at the same time", async () => {
    const { server } = harness();
    const controller = new AbortController();
    const transport = server.transport();
    const ask = (signal?: AbortSignal) =>
      transport.request({
        method: "GET",
        path: `${WIDGETS}?watch=true`,
        headers: {},
        stream: true,
        ...(signal === undefined ? {} : { signal }),
      });
    await ask(controller.signal);
    expect(server.watchCount).toBe(1);
    controller.abort();
    expect(server.watchCount).toBe(0);
    const late = ask();
    await transport.close();
    await expect(late).rejects.toMatchObject({ name: "AbortError" });
    expect(server.watchCount).toBe(0);
  });

  test("observers see each request, and an ApiError of an observer is the answer", async () => {
    const { server, call } = harness();
    const paths: string[] = [];
    const stop = server.onRequest(({ method, path }) => {
      paths.push(`${method} ${path}`);
      if (path === CONFIG_MAPS) throw new ApiError({ status: 429, message: "slow down", reason: "TooManyRequests", retryAfterMs: 1500 });
    });
    expect(await call("GET", CONFIG_MAPS)).toMatchObject({
      status: 429,
      headers: { "retry-after": "2" },
      body: { kind: "Status", message: "slow down" },
    });
    stop();
    expect((await call("GET", CONFIG_MAPS)).status).toBe(200);
    expect(paths).toEqual([`GET ${CONFIG_MAPS}`]);
  });
});
