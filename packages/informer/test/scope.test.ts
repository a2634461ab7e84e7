/** The namespaces that an informer covers, the form of its objects, and its retries. */
import { ApiError, fakeClock, isKindNotServed, kind, metadataOnly, seededRandom } from "@treadle/apimachinery";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { describe, expect, test } from "vitest";
import { createInformer, createInformers } from "../src/index.ts";
import { apiError, bookmark, rig, synced, widget } from "./scripted.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const Global = kind({ group: "example.dev", version: "v1", kind: "Global", scope: "Cluster" });
const idle = { list: () => new Promise<never>(() => {}), watch: () => new Promise<never>(() => {}) };
const common = { client: idle, clock: fakeClock(), random: seededRandom(1) };

describe("namespaces", () => {
  test("get and list throw for a namespace that is not watched", () => {
    const informer = createInformer({ ...common, kind: Widget, namespaces: ["a", "b"] });
    expect([informer.covers("a"), informer.covers("c"), informer.covers(undefined), informer.covers("")]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(informer.get({ namespace: "a", name: "x" })).toBeUndefined();
    expect(informer.list()).toEqual([]);
    const problem = {
      code: "ERR_NAMESPACE_NOT_WATCHED",
      message: expect.stringContaining('Widget is not watched in namespace "c": add it to createManager({ namespaces })'),
    };
    expect(() => informer.get({ namespace: "c", name: "x" })).toThrow(expect.objectContaining(problem));
    expect(() => informer.list({ namespace: "c" })).toThrow(expect.objectContaining(problem));
  });

  test("all namespaces are covered for a cluster-scoped kind, and without a restriction", () => {
    expect(createInformer({ ...common, kind: Global, namespaces: ["a"] }).covers("c")).toBe(true);
    expect(createInformer({ ...common, kind: Widget }).covers("c")).toBe(true);
  });
});

test("selects() tells which objects are watched without a request", () => {
  const informer = createInformer({ ...common, kind: Widget, namespaces: ["ns"], labelSelector: "app", fieldSelector: "spec.size=3" });
  const selects = (namespace: string, labels: Record<string, string>, size: number): boolean =>
    informer.selects(widget("a", 1, { namespace, labels, spec: { size } }));
  expect([selects("ns", { app: "x" }, 3), selects("other", { app: "x" }, 3), selects("ns", {}, 3), selects("ns", { app: "x" }, 4)]).toEqual(
    [true, false, false, false],
  );
  expect(createInformer({ ...common, kind: Global, namespaces: ["a"] }).selects(widget("a", 1, { namespace: "" }))).toBe(true);
});

describe("metadata only", () => {
  test("whole objects from a server or from the response of a write are reduced to metadata", async () => {
    const clock = fakeClock();
    const server = createApiServer({ clock, random: seededRandom(1), resources: [Widget] });
    const client = createClient({ transport: server.transport(), clock });
    const informer = createInformer({ client, kind: metadataOnly(Widget), clock, random: seededRandom(1) });
    informer.start();
    await informer.synced();
    const whole = await client.create(Widget, { metadata: { namespace: "default", name: "x" }, spec: { password: "1" } } as never);
    informer.observeWrite(whole);
    expect(Object.keys(informer.get({ namespace: "default", name: "x" }) ?? {}).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    await informer.stop();
  });

  test("metadata is read from an informer of whole objects if there is no other, and never the other way round", () => {
    const informers = createInformers(common);
    const whole = informers.for(Widget);
    expect(informers.get(metadataOnly(Widget))).toBe(whole);
    const others = createInformers(common);
    others.for(metadataOnly(Widget));
    expect(others.get(Widget)).toBeUndefined();
    expect(() => others.cache.get(Widget, { name: "x" })).toThrow("ask the cache for metadataOnly(Widget)");
  });
});

describe("a kind that is not served", () => {
  const notServed = new ApiError({ message: "the server could not find the requested resource", status: 404, reason: "NotFound" });

  test("is requested again after at most kindRetryMs, and at once after retry()", async () => {
    for (const next of [0, 0.999]) {
      const { informer, watch, waiting, clock, settle } = rig({ kindRetryMs: 4000, random: { next: () => next } });
      informer.start();
      await settle();
      watch().fail(notServed);
      await settle();
      await clock.advance(2_999);
      expect(waiting).toHaveLength(0);
      await clock.advance(1_001);
      watch().fail(notServed);
      await settle();
      expect(isKindNotServed(informer.progress().lastError)).toBe(true);
      informer.retry();
      await settle();
      expect(waiting).toHaveLength(1);
      await informer.stop();
    }
  });

  test.for(["watches on", "lists anew"])("reports once that it works again after failures, whether it %s", async (how) => {
    let recovered = 0;
    const onRecovered = (): void => {
      recovered++;
      expect(informer.progress().lastError).toBeUndefined();
    };
    const { informer, watch, clock, settle, stream } = await synced(5, [widget("a", 5)], { onRecovered });
    stream.end();
    await settle();
    await clock.advance(1000);
    for (let i = 0; i < 2; i++) {
      watch().fail(how === "watches on" ? apiError(403) : notServed);
      await settle();
      informer.retry();
      await settle();
    }
    expect(informer.progress().lastError).toBeDefined();
    expect(recovered).toBe(0);
    if (how === "watches on") watch().open();
    else watch().open(bookmark(9, true));
    await settle();
    expect(recovered).toBe(1);
    await informer.stop();
  });

  test("reports each complete list", async () => {
    let listed = 0;
    const { informer, watch, clock, settle, stream } = await synced(5, [widget("a", 5)], { onListed: () => void listed++ });
    expect(listed).toBe(1);
    stream.end();
    await settle();
    await clock.advance(1000);
    watch().fail(notServed);
    await settle();
    informer.retry();
    await settle();
    watch().open(bookmark(9, true));
    await settle();
    expect(listed).toBe(2);
    expect(informer.progress()).toMatchObject({ hasSynced: true, lastError: undefined, objects: 0 });
    await informer.stop();
  });
});

test("an informer without clock and random uses the real ones", async () => {
  const informer = createInformer({ client: idle, kind: Widget });
  const informers = createInformers({ client: idle });
  informer.start();
  informers.for(Widget);
  informers.startAll();
  expect(informer.progress().ageMs).toBeLessThan(60_000);
  await Promise.all([informer.stop(), informers.stop()]);
});
