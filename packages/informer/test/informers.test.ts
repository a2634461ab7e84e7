import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fakeClock, type Kind, kind, metadataOnly, seededRandom } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { added, bookmark, id, scripted, widget, Widget } from "./scripted.ts";
import type { Informer } from "../src/informer.ts";
import { createInformers, type Informers, type InformersOptions } from "../src/informers.ts";

const Gadget = kind({ group: "", version: "v1", kind: "Gadget" });

function rig(
  options: Partial<InformersOptions> = {},
): ReturnType<typeof scripted> & { readonly informers: Informers; settle(): Promise<void> } {
  const clock = fakeClock();
  const script = scripted();
  return {
    ...script,
    informers: createInformers({ client: script.client, clock, random: seededRandom(1), ...options }),
    settle: () => clock.advance(0),
  };
}

test("for() returns the same informer for the same kind and scope", () => {
  const { informers } = rig();
  const one = informers.for(Widget, { labelSelector: { a: "1", b: "2" }, namespaces: ["x", "y"] });
  expect(informers.for(Widget, { labelSelector: "b=2, a=1", namespaces: ["y", "x"] })).toBe(one);
  expect(informers.for(Widget)).not.toBe(one);
  expect(informers.for(Widget)).toBe(informers.for({ ...Widget }));
  expect(informers.for(Widget)).not.toBe(informers.for(Gadget));
  expect(informers.for(Widget)).not.toBe(informers.for({ ...Widget, version: "v2" }));
  expect(informers.all()).toHaveLength(4);
});

test.for([
  [{ a: "b" }, "a==b"],
  ["a in (x,y)", "a in ( y, x )"],
  ["!a,b", "b , !a"],
  ["a!=x,a!=y", "a!=y,a!=x"],
  [{}, ""],
] as const)("label selectors with the same meaning share an informer: %j and %j", ([one, other]) => {
  const { informers } = rig();
  expect(informers.for(Widget, { labelSelector: one })).toBe(informers.for(Widget, { labelSelector: other }));
  expect(informers.for(Widget, { labelSelector: "a=c" })).not.toBe(informers.for(Widget, { labelSelector: one }));
});

test("field selectors with the same meaning share an informer", () => {
  const { informers } = rig();
  const one = informers.for(Widget, { fieldSelector: "spec.a==1,spec.b!=2" });
  expect(informers.for(Widget, { fieldSelector: "spec.b!=2,spec.a=1" })).toBe(one);
  expect(informers.for(Widget, { fieldSelector: "spec.b!=2" })).not.toBe(one);
});

test("for() refuses a selector that cannot be parsed", () => {
  const { informers } = rig();
  expect(() => informers.for(Widget, { labelSelector: { app: "a,b!=c" } })).toThrow("Invalid value");
  expect(() => informers.for(Widget, { labelSelector: "a in (" })).toThrow();
  expect(informers.all()).toEqual([]);
});

test("an informer with the common namespaces follows their change; one that names the same namespaces does not", () => {
  const { informers } = rig({ namespaces: ["a", "b"] });
  const one = informers.for(Widget);
  const spelled = informers.for(Widget, { namespaces: ["b", "a"] });
  expect(spelled).not.toBe(one);
  expect(informers.for(Widget, { namespaces: ["a", "b"] })).toBe(spelled);
  expect(informers.get(Widget)).toBe(one);
});

test("metadata only and whole objects are two informers of a kind", () => {
  const { informers } = rig();
  const half = informers.for(metadataOnly(Widget));
  expect(informers.get(Widget)).toBeUndefined();
  expect(() => informers.cache.list(Widget)).toThrow("not declared");
  const whole = informers.for(Widget);
  expect(whole).not.toBe(half);
  expect(whole.kind).toBe(Widget);
  expect(informers.get(metadataOnly(Widget))).toBe(half);
});

test("get prefers the informer without a scope", () => {
  const { informers } = rig();
  expect(informers.get(Widget)).toBeUndefined();
  const scoped = informers.for(Widget, { namespaces: ["x"] });
  expect(informers.get(Widget)).toBe(scoped);
  const whole = informers.for(Widget);
  expect(informers.get(Widget)).toBe(whole);
});

test("get and the cache find informers that are added, and not those that are removed", async () => {
  const { informers } = rig();
  const narrow = informers.for(Widget, { labelSelector: "a=b" });
  expect([informers.get(Widget), informers.get(metadataOnly(Widget))]).toEqual([narrow, narrow]);
  const whole = informers.for(Widget);
  expect(informers.get(Widget)).toBe(whole);
  await informers.remove(whole as unknown as Informer);
  expect(informers.get(Widget)).toBe(narrow);
  await informers.remove(narrow as unknown as Informer);
  expect(() => informers.cache.list(Widget)).toThrow(/is not declared/);
});

test("a kind object that was used for one read can be collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag gives
  const { informers } = rig();
  informers.for(Widget);
  const read = (): WeakRef<Kind> => {
    const made = { ...Widget };
    informers.cache.list(made);
    return new WeakRef(made);
  };
  const seen = read();
  // A WeakRef keeps its object until the end of the present turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(seen.deref()).toBeUndefined();
});

test("for() refuses a second ingest function for one informer", () => {
  const { informers } = rig();
  informers.for(Widget, { ingest: (object) => object });
  expect(informers.for(Widget)).toBeDefined();
  expect(() => informers.for(Widget, { ingest: (object) => ({ ...object }) })).toThrow("Widget.example.dev");
});

test("an informer that names no namespaces watches the common ones", async () => {
  const r = rig({ namespaces: ["x"] });
  r.informers.for(Widget);
  r.informers.for(Gadget, { namespaces: ["y"] });
  r.informers.startAll();
  await r.settle();
  expect(r.waiting.map((call) => call.options.namespace)).toEqual(["x", "y"]);
  await r.informers.stop();
});

test("an informer added after startAll starts at once, and one added after stop does not start", async () => {
  const r = rig();
  r.informers.for(Widget);
  r.informers.startAll();
  r.informers.for(Gadget);
  await r.settle();
  expect(r.waiting).toHaveLength(2);
  const synced = r.informers.synced();
  r.watch().open(bookmark(1, true));
  r.watch().open(bookmark(1, true));
  await synced;
  await r.informers.stop();
  r.informers.for(Widget, { namespaces: ["late"] });
  await r.settle();
  expect(r.waiting).toEqual([]);
});

test("stop before the first list causes no unhandled rejection", async () => {
  const r = rig();
  r.informers.for(Widget, { namespaces: Array.from({ length: 30 }, (_, i) => `ns-${i}`) });
  r.informers.startAll();
  const synced = r.informers.synced();
  void r.informers.synced();
  await r.settle();
  await r.informers.stop();
  await expect(synced).rejects.toThrow("stopped");
});

describe("cache", () => {
  test("the cache reads objects from the informers", async () => {
    const r = rig();
    r.informers.for(Widget);
    r.informers.startAll();
    await r.settle();
    r.watch().open(added(widget("a", 1, { labels: { x: "1" } })), added(widget("b", 2)), bookmark(3, true));
    await r.settle();
    expect(id(r.informers.cache.get(Widget, { name: "a", namespace: "ns" }))).toBe("a@1");
    expect(r.informers.cache.list(Widget, { namespace: "ns", matchLabels: { x: "1" } }).map(id)).toEqual(["a@1"]);
    await r.informers.stop();
  });

  test("the cache throws for a kind without an informer, and names where to declare it", () => {
    const { cache } = rig().informers;
    expect(() => cache.get(Widget, { name: "a" })).toThrow(/Widget\.example\.dev .*is not declared by reads, owns or watch/);
    expect(() => cache.list(Gadget)).toThrow(/Gadget/);
  });
});
