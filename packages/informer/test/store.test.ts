import { compareResourceVersions, kind } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { added, bookmark, deleted, id, modified, page, apiError, rig, show, synced, widget } from "./scripted.ts";
import { Store } from "../src/internal/store.ts";

const ref = (name: string, namespace = "ns") => ({ name, namespace });

describe("objects", () => {
  test("are frozen at any depth, without managedFields, and identical at every read", async () => {
    const fresh = () => widget("a", 1, { spec: { list: [{ deep: {} }] }, metadata: { managedFields: [{ manager: "m" }] } });
    const r = await synced(2, [fresh()]);
    const object = r.informer.get(ref("a"));
    expect(object).toEqual(widget("a", 1, { spec: { list: [{ deep: {} }] } }));
    expect(object?.metadata).not.toHaveProperty("managedFields");
    const spec = object?.["spec"] as { list: { deep: object }[] };
    for (const part of [object, object?.metadata, spec, spec.list, spec.list[0], spec.list[0]?.deep])
      expect(Object.isFrozen(part)).toBe(true);
    expect(r.informer.list()[0]).toBe(object);
    r.stream.send(modified({ ...fresh(), metadata: { ...fresh().metadata, resourceVersion: "3" } }));
    await r.settle();
    expect(Object.isFrozen(r.informer.get(ref("a")))).toBe(true);
    expect(r.informer.get(ref("a"))?.metadata).not.toHaveProperty("managedFields");
  });

  test("of a list without types get apiVersion and kind", async () => {
    const { apiVersion: _, kind: __, ...untyped } = widget("a", 1);
    const r = rig();
    r.informer.start();
    await r.settle();
    r.watch().fail(apiError(400));
    await r.settle();
    r.list().answer(page(2, [untyped as never]));
    await r.settle();
    expect(r.informer.get(ref("a"))).toMatchObject({ apiVersion: "example.dev/v1", kind: "Widget" });
  });

  test("pass through ingest, and are stored when ingest fails", async () => {
    const r = await synced(2, [widget("a", 1, { spec: { big: 1 } }), widget("b", 2, { spec: { big: 2 } }), widget("c", 2, { spec: {} })], {
      ingest: (object) => {
        if (object.metadata.name === "b") throw new Error("boom");
        if (object.metadata.name === "c") return { ...object, metadata: { name: "other" } };
        return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
      },
    });
    expect(r.informer.get(ref("a"))).toEqual(widget("a", 1));
    expect(r.informer.get(ref("b"))).toEqual(widget("b", 2, { spec: { big: 2 } }));
    expect(r.informer.get(ref("c"))).toBeDefined();
    expect(r.errors.map(({ where }) => where)).toEqual(["ingest", "ingest"]);
  });

  test("of a cluster-scoped kind are found whatever namespace is named", async () => {
    const { informer, ...r } = rig({
      kind: kind({ group: "example.dev", version: "v1", kind: "Widget", scope: "Cluster" }),
      namespaces: ["x", "y"],
    });
    informer.start();
    await r.settle();
    const call = r.watch();
    expect(call.options).not.toHaveProperty("namespace");
    const { namespace: _, ...metadata } = widget("a", 1).metadata;
    call.open(added({ ...widget("a", 1), metadata }), bookmark(2, true));
    await r.settle();
    expect(r.waiting).toEqual([]);
    expect(informer.get({ name: "a" })).toBeDefined();
    expect(informer.get(ref("a"))).toBeDefined();
    expect(informer.list({ namespace: "ns" })).toHaveLength(1);
  });
});

test("list selects by namespace and by every label", async () => {
  const r = await synced(9, [
    widget("a", 1, { labels: { x: "1", y: "1" } }),
    widget("b", 2, { labels: { x: "1" } }),
    widget("a", 3, { namespace: "other", uid: "u3", labels: { x: "1", y: "1" } }),
    widget("d", 4),
  ]);
  const ids = (select?: Parameters<typeof r.informer.list>[0]): string[] => r.informer.list(select).map(id);
  expect(ids()).toEqual(["a@1", "b@2", "d@4", "a@3"]);
  expect(ids({ namespace: "" })).toHaveLength(4);
  expect(ids({ namespace: "ns" })).toEqual(["a@1", "b@2", "d@4"]);
  expect(ids({ namespace: "none" })).toEqual([]);
  expect(ids({ matchLabels: { x: "1", y: "1" } })).toEqual(["a@1", "a@3"]);
  expect(ids({ namespace: "other", matchLabels: { x: "2" } })).toEqual([]);
  expect(ids({ matchLabels: {} })).toHaveLength(4);
  expect(r.informer.progress().objects).toBe(4);
});

describe("handlers", () => {
  test("find the new state in the store when they are called", async () => {
    const r = await synced(5, [widget("a", 1), widget("b", 2)]);
    const found: string[] = [];
    r.informer.addIndex("uid", (object) => [object.metadata.uid ?? ""]);
    r.informer.onEvent((event) => {
      if (event.type === "added" && event.initial) return;
      const { uid = "" } = event.object.metadata;
      found.push(`${show(event)}: ${id(r.informer.get(event.object.metadata))}, ${r.informer.byIndex("uid", uid).map(id).join()}`);
    });
    r.stream.send(modified(widget("a", 6)), added(widget("b", 7, { uid: "uid-2" })), deleted(widget("a", 8)));
    await r.settle();
    expect(found).toEqual(["updated a@6: a@6, a@6", "deleted b@2: none, ", "added b@7: b@7, b@7", "deleted a@8: none, "]);
  });

  test("that subscribe late get the present objects first", async () => {
    const r = await synced(5, [widget("a", 1), widget("b", 2)]);
    const seen: string[] = [];
    const unsubscribe = r.informer.onEvent((event) => void seen.push(show(event)));
    r.stream.send(modified(widget("a", 6)));
    await r.settle();
    unsubscribe();
    unsubscribe();
    r.stream.send(modified(widget("a", 7)));
    await r.settle();
    expect(seen).toEqual(["added a@1 (initial)", "added b@2 (initial)", "updated a@6"]);
  });

  test("that subscribe inside a handler get every event once", async () => {
    const r = await synced(5, []);
    const seen: string[] = [];
    const unsubscribe = r.informer.onEvent(() => {
      unsubscribe();
      r.informer.onEvent((event) => void seen.push(show(event)));
    });
    r.stream.send(added(widget("a", 6)), modified(widget("a", 7)));
    await r.settle();
    expect(seen).toEqual(["added a@6 (initial)", "updated a@7"]);
  });

  test("that throw or reject are reported, and affect neither other handlers nor the watch", async () => {
    const boom = new Error("boom");
    const r = await synced(5, []);
    r.informer.onEvent(() => {
      throw boom;
    });
    // oxlint-disable-next-line typescript/no-misused-promises -- the test is about this mistake
    r.informer.onEvent(() => Promise.reject(boom));
    const seen: string[] = [];
    r.informer.onEvent((event) => void seen.push(show(event)));
    r.stream.send(added(widget("a", 6)), modified(widget("a", 7)));
    await r.settle();
    expect(seen).toEqual(["added a@6", "updated a@7"]);
    expect(r.errors).toEqual(Array.from({ length: 4 }, () => ({ error: boom, where: "handler" })));
  });

  test("still get events when onError throws", async () => {
    const r = await synced(5, [], {
      onError: () => {
        throw new Error("worse");
      },
    });
    r.informer.onEvent(() => {
      throw new Error("boom");
    });
    r.stream.send(added(widget("a", 6)));
    r.stream.fail(new Error("reset"));
    await r.clock.advance(800);
    expect(r.watch().options.resourceVersion).toBe("6");
  });
});

describe("indexes", () => {
  test("have no keys for an object for which the function throws, and the error is reported", async () => {
    const r = await synced(5, [widget("a", 1), widget("b", 2)]);
    r.informer.addIndex("n", (object) => {
      if (object.metadata.name === "a" && object.metadata.resourceVersion === "1") throw new Error("boom");
      return ["k"];
    });
    expect(r.informer.byIndex("n", "k").map(id)).toEqual(["b@2"]);
    expect(r.errors.map(({ where }) => where)).toEqual(["index"]);
    r.stream.send(modified(widget("a", 6)));
    await r.settle();
    expect(r.informer.byIndex("n", "k").map(id)).toEqual(["b@2", "a@6"]);
    expect(r.errors).toHaveLength(1);
  });

  test("have one function for each name", () => {
    const { informer } = rig();
    const keys = (): string[] => [];
    informer.addIndex("n", keys);
    informer.addIndex("n", keys);
    expect(() => informer.addIndex("n", () => [])).toThrow('"n"');
    expect(() => informer.byIndex("m", "k")).toThrow(/"m".*"n"/);
  });

  // Invariant: after any puts and removals, and whenever the index was added, it contains exactly the objects of the store.
  test("always contain the stored objects", () => {
    const change = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      namespace: fc.constantFrom("x", "y"),
      keys: fc.option(fc.array(fc.constantFrom("1", "2", "3"))),
    });
    fc.assert(
      fc.property(fc.array(change), fc.nat(20), (changes, addAt) => {
        const store = new Store<ReturnType<typeof widget>>(() => undefined);
        const add = (): void => store.addIndex("i", (object) => object["spec"] as string[]);
        changes.forEach(({ name, namespace, keys }, at) => {
          if (at === addAt) add();
          const previous = store.get(namespace, name);
          if (keys !== null) store.put(widget(name, at, { namespace, spec: keys }), previous);
          else if (previous !== undefined) store.remove(previous);
        });
        if (changes.length <= addAt) add();
        const all = store.list(undefined, undefined);
        expect(store.size).toBe(all.length);
        for (const key of ["1", "2", "3"]) {
          const want = all.filter((object) => (object["spec"] as string[]).includes(key));
          expect(new Set(store.byIndex("i", key))).toEqual(new Set(want));
        }
      }),
    );
  });
});

// Invariant: a list by labels returns exactly the objects with these labels, whenever it is first called, in any namespace or all.
test("lists by labels find the stored objects", () => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    namespace: fc.constantFrom("x", "y"),
    labels: fc.option(fc.dictionary(fc.constantFrom("l", "m"), fc.constantFrom("1", "2"))),
  });
  const select = fc.dictionary(fc.constantFrom("l", "m", "n"), fc.constantFrom("1", "2", "3"));
  fc.assert(
    fc.property(fc.array(change), fc.nat(10), fc.array(select), (changes, askAt, selects) => {
      const store = new Store<ReturnType<typeof widget>>(() => undefined);
      const check = (): void => {
        for (const labels of selects) {
          for (const namespace of [undefined, "x", "y", "z"]) {
            const all = store.list(namespace, undefined);
            const want = all.filter(({ metadata }) => Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value));
            expect(new Set(store.list(namespace, labels))).toEqual(new Set(want));
          }
        }
      };
      changes.forEach(({ name, namespace, labels }, at) => {
        if (at === askAt) check();
        const previous = store.get(namespace, name);
        if (labels !== null) store.put(widget(name, at, { namespace, metadata: { labels } }), previous);
        else if (previous !== undefined) store.remove(previous);
      });
      check();
    }),
  );
});

test("versions are compared as numbers of any length, and only where both are numbers", () => {
  const sign = (order: number | undefined): number | undefined => (order === undefined ? undefined : Math.sign(order));
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (a, b) => {
      expect(sign(compareResourceVersions(`${a}`, `${b}`))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
  for (const opaque of ["", "x", "01", "-1", "1.0", "1e3", undefined])
    expect(compareResourceVersions(opaque, "1"), `${opaque}`).toBeUndefined();
  expect(compareResourceVersions("x", "x")).toBe(0);
  expect(compareResourceVersions(undefined, undefined)).toBeUndefined();
});

test.for([{ namespaces: [] }, { pageSize: 0 }, { pageSize: 1.5 }])("refuses %j", (wrong) => {
  expect(() => rig(wrong)).toThrow("Widget");
});
