import {
  groupKindOf,
  isMetadataOnly,
  keyOf,
  kind,
  type Kind,
  type KubernetesObject,
  ownerId,
  ownerIdLabel,
  type Ref,
} from "@treadle/apimachinery";
import { ConfigMap, Node, Secret } from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handler } from "./handler.ts";
import { many, type ManySelector, one } from "./reads.ts";
import type { Cache } from "./req.ts";
import { step } from "./step.ts";
import { type Trigger, triggersOf, watchedKindsOf } from "./triggers.ts";

const Local = kind({ group: "w.dev", version: "v1", kind: "Local" });
const Global = kind({ group: "w.dev", version: "v1", kind: "Global", scope: "Cluster" });

function object(of: Kind, key: string, more: { readonly spec?: object; readonly metadata?: object } = {}): KubernetesObject {
  const slash = key.indexOf("/");
  const ref = slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  const apiVersion = of.group === "" ? of.version : `${of.group}/${of.version}`;
  return { apiVersion, kind: of.kind, ...more, metadata: { ...ref, uid: `uid-${key}`, ...more.metadata } } as KubernetesObject;
}

const local = (key: string, given: object = {}): KubernetesObject => object(Local, key, { spec: given });
const global = (key: string, given: object = {}): KubernetesObject => object(Global, key, { spec: given });
const secret = (key: string, labels?: Record<string, string>): KubernetesObject =>
  object(Secret, key, labels === undefined ? {} : { metadata: { labels } });

const NO_CACHE: Cache = { get: () => undefined, list: () => [] };

/** The keys of the primaries that `changed` triggers, found by the trigger's own index. */
function triggered(trigger: Trigger, primaries: readonly KubernetesObject[], changed: KubernetesObject): readonly string[] {
  const byIndex = (name: string, key: string): readonly KubernetesObject[] => {
    if (name !== trigger.index?.name) throw new Error(`no index ${name}`);
    return primaries.filter((primary) => trigger.index?.keys(primary).includes(key));
  };
  return [...trigger.primaries(changed, { byIndex, cache: NO_CACHE })].map(keyOf);
}

function triggerOfOne(of: typeof Local, read: Kind, ref: (primary: KubernetesObject) => unknown): Trigger {
  const reads = { it: one(read, ref as () => Ref) };
  return only(
    handler(of)
      .step(step(of, { name: "s", reads, do() {} }) as never)
      .build() as never,
  );
}

function triggerOfMany(of: typeof Local, read: Kind, select: (primary: KubernetesObject) => unknown): Trigger {
  const reads = { it: many(read, select as () => ManySelector) };
  return only(
    handler(of)
      .step(step(of, { name: "s", reads, do() {} }) as never)
      .build() as never,
  );
}

function only(built: Parameters<typeof triggersOf>[0]): Trigger {
  const [trigger, ...rest] = triggersOf(built);
  expect(rest).toEqual([]);
  return trigger as Trigger;
}

/** What JavaScript sees of an object whose spec is not what the type says. */
const specOf = (primary: KubernetesObject): { readonly secret: never; readonly labels: never } =>
  (primary as { spec?: object }).spec as never;

describe("one", () => {
  const bySecret = triggerOfOne(Local, Secret, (o) => specOf(o).secret);

  test("one() triggers the primaries that name the object, by default in their namespace", () => {
    const primaries = [
      local("ns/plain", { secret: "in" }),
      local("other/plain", { secret: "in" }),
      local("ns/else", { secret: "out" }),
      local("other/full", { secret: { name: "in", namespace: "ns" } }),
      local("ns/bare-ref", { secret: { name: "in" } }),
      local("ns/empty-namespace", { secret: { name: "in", namespace: "" } }),
    ];
    expect(triggered(bySecret, primaries, secret("ns/in"))).toEqual(["ns/plain", "other/full", "ns/bare-ref", "ns/empty-namespace"]);
    expect(bySecret.because).toBe('step "s" reads it');
    expect(groupKindOf(bySecret.kind)).toBe("Secret");
  });

  test.for([undefined, null, "", {}, { name: "" }, { name: undefined }, { namespace: "ns" }])("a reference %j names nothing", (given) => {
    expect(bySecret.index?.keys(local("ns/a", { secret: given }))).toEqual([]);
  });

  test("a primary whose reference function throws is not triggered, and the others are", () => {
    const trigger = triggerOfOne(Local, Secret, (o) => (specOf(o).secret as { deep: { name: string } }).deep.name);
    const primaries = [local("ns/broken"), local("ns/fine", { secret: { deep: { name: "in" } } })];
    expect(triggered(trigger, primaries, secret("ns/in"))).toEqual(["ns/fine"]);
  });

  test("a cluster-scoped kind has no namespace, whatever the primary's", () => {
    const trigger = triggerOfOne(Local, Node, () => ({ name: "n1", namespace: "ignored" }));
    expect(triggered(trigger, [local("ns/a")], object(Node, "n1"))).toEqual(["ns/a"]);
  });

  test("a cluster-scoped primary must say the namespace: without one nothing is filed", () => {
    const trigger = triggerOfOne(Global, Secret, (o) => specOf(o).secret);
    const primaries = [global("g1", { secret: { name: "in", namespace: "ns" } }), global("g2", { secret: "in" })];
    expect(triggered(trigger, primaries, secret("ns/in"))).toEqual(["g1"]);
  });
});

describe("many", () => {
  const byLabels = triggerOfMany(Local, Secret, (o) => ({ matchLabels: specOf(o).labels }));

  test("every label of the selector must match; it is filed under one of them", () => {
    const primaries = [
      local("ns/both", { labels: { app: "x", tier: "db" } }),
      local("ns/app", { labels: { app: "x" } }),
      local("ns/tier", { labels: { tier: "db" } }),
      local("ns/other", { labels: { app: "y" } }),
    ];
    expect(primaries.map((primary) => byLabels.index?.keys(primary).length)).toEqual([1, 1, 1, 1]);
    expect(triggered(byLabels, primaries, secret("ns/s", { app: "x", tier: "db", more: "z" })).toSorted()).toEqual([
      "ns/app",
      "ns/both",
      "ns/tier",
    ]);
    expect(triggered(byLabels, primaries, secret("ns/s", { tier: "db" }))).toEqual(["ns/tier"]);
    expect(triggered(byLabels, primaries, secret("ns/s"))).toEqual([]);
  });

  test("a selector without labels selects every object of the namespace", () => {
    const primaries = [local("ns/all", { labels: {} }), local("other/all", { labels: {} })];
    expect(triggered(byLabels, primaries, secret("ns/s"))).toEqual(["ns/all"]);
    expect(triggered(byLabels, primaries, secret("ns/s", { a: "b" }))).toEqual(["ns/all"]);
  });

  test("a label with the value * is not a wildcard", () => {
    const primaries = [local("ns/star", { labels: { "*": "" } }), local("ns/value", { labels: { app: "*" } })];
    expect(triggered(byLabels, primaries, secret("ns/s", { app: "x" }))).toEqual([]);
    expect(triggered(byLabels, primaries, secret("ns/s", { app: "*" }))).toEqual(["ns/value"]);
  });

  test("in the primary's namespace, in another, or in all", () => {
    const trigger = triggerOfMany(Local, Secret, (o) => ({ matchLabels: { app: "x" }, ...(specOf(o).labels as object) }));
    const primaries = [
      local("ns/own"),
      local("ns/there", { labels: { namespace: "there" } }),
      local("ns/all", { labels: { namespace: "*" } }),
      local("ns/none", { labels: { namespace: "" } }),
    ];
    expect(triggered(trigger, primaries, secret("ns/s", { app: "x" }))).toEqual(["ns/own", "ns/all", "ns/none"]);
    expect(triggered(trigger, primaries, secret("there/s", { app: "x" }))).toEqual(["ns/there", "ns/all"]);
  });

  test("a cluster-scoped primary selects in every namespace, and a cluster-scoped kind has none", () => {
    const everywhere = triggerOfMany(Global, Secret, () => ({ matchLabels: { app: "x" } }));
    expect(triggered(everywhere, [global("g")], secret("any/s", { app: "x" }))).toEqual(["g"]);
    const nodes = triggerOfMany(Local, Node, () => ({ matchLabels: {} }));
    expect(triggered(nodes, [local("ns/a")], object(Node, "n"))).toEqual(["ns/a"]);
  });

  test.for([undefined, null, "text"])("a selector %j, where the schema promised one, selects nothing and hides no other", (given) => {
    const trigger = triggerOfMany(Local, Secret, (o) => (specOf(o).labels === undefined ? given : { matchLabels: specOf(o).labels }));
    const primaries = [local("ns/broken"), local("ns/fine", { labels: { app: "x" } })];
    expect(triggered(trigger, primaries, secret("ns/s", { app: "x" }))).toEqual(["ns/fine"]);
  });

  // What is woken by a change is exactly what a search over all primaries would find, whatever labels and namespaces.
  test("the index finds what comparing every primary would", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"));
    const namespace = fc.constantFrom("x", "y");
    const primaries = fc.array(fc.record({ namespace, labels }), { maxLength: 8 });
    fc.assert(
      fc.property(primaries, namespace, labels, (given, within, has) => {
        const all = given.map((each, i) => local(`${each.namespace}/p${i}`, { labels: each.labels }));
        const want = given.flatMap((each, i) =>
          each.namespace === within && Object.entries(each.labels).every(([key, value]) => has[key] === value) ? [`${within}/p${i}`] : [],
        );
        expect(triggered(byLabels, all, secret(`${within}/s`, has)).toSorted()).toEqual(want.toSorted());
      }),
    );
  });
});

describe("owns", () => {
  const build = (of: typeof Local, owns: readonly Kind[]) =>
    handler(of)
      .step(step(of, { name: "s", owns, do() {} }) as never)
      .build() as Parameters<typeof triggersOf>[0];
  const trigger = only(build(Local, [Secret]));
  const me = local("ns/me");
  const reference = { apiVersion: "w.dev/v1", kind: "Local", name: "me", uid: "uid-ns/me", controller: true };
  const owned = (...ownerReferences: readonly object[]): KubernetesObject => object(Secret, "ns/s", { metadata: { ownerReferences } });

  test.for([
    { name: "ours", given: reference, want: ["ns/me"] },
    { name: "of another version", given: { ...reference, apiVersion: "w.dev/v2beta1" }, want: ["ns/me"] },
    { name: "of an earlier object of the same name", given: { ...reference, uid: "earlier" }, want: [] },
    { name: "of another group", given: { ...reference, apiVersion: "else.dev/v1" }, want: [] },
    { name: "of the core group", given: { ...reference, apiVersion: "v1" }, want: [] },
    { name: "of another kind", given: { ...reference, kind: "Global" }, want: [] },
    { name: "that is not the controller's", given: { ...reference, controller: false }, want: [] },
    { name: "without a word on control", given: { ...reference, controller: undefined }, want: [] },
  ])("a reference $name", ({ given, want }) => {
    expect(triggered(trigger, [me], owned(given))).toEqual(want);
  });

  test("the controller is found among other owners", () => {
    expect(triggered(trigger, [me], owned({ ...reference, name: "x", controller: false }, reference))).toEqual(["ns/me"]);
  });

  test("an object elsewhere is found by its owner-id label", () => {
    const labels = { [ownerIdLabel("locals.w.dev")]: ownerId(me) };
    expect(triggered(trigger, [local("ns/other"), me], secret("far/s", labels))).toEqual(["ns/me"]);
    expect(triggered(trigger, [me], secret("far/s", { [ownerIdLabel("other")]: ownerId(me) })), "another handler's label").toEqual([]);
    expect(triggered(trigger, [me], secret("far/s", { [ownerIdLabel("locals.w.dev")]: "gone" }))).toEqual([]);
  });

  test("an object of ours that got another controller still triggers us, so that the loss is seen", () => {
    const labels = { [ownerIdLabel("locals.w.dev")]: ownerId(me) };
    const taken = object(Secret, "ns/s", { metadata: { labels, ownerReferences: [{ ...reference, kind: "Thief", name: "t" }] } });
    expect(triggered(trigger, [me], taken)).toEqual(["ns/me"]);
  });

  test("a cluster-scoped owner is named without a namespace", () => {
    const byGlobal = only(build(Global, [Secret]));
    expect(triggered(byGlobal, [global("g")], owned({ ...reference, kind: "Global", name: "g", uid: "uid-g" }))).toEqual(["g"]);
  });

  test("an object without an owner triggers no primary, and a primary without a uid is not indexed", () => {
    expect(triggered(trigger, [me], secret("ns/s"))).toEqual([]);
    expect(trigger.index?.keys({ ...me, metadata: { name: "me", namespace: "ns" } })).toEqual([]);
  });

  test("each owned kind triggers once, by one index: an informer takes a name only with the same function", () => {
    const ConfigMap = kind({ group: "", version: "v1", kind: "ConfigMap" });
    const triggers = triggersOf(
      handler(Local)
        .step(step(Local, { name: "a", owns: [Secret, ConfigMap], do() {} }))
        .step(step(Local, { name: "b", owns: [Secret], do() {} }))
        .build(),
    );
    expect(triggers.map((each) => each.because)).toEqual(["a step owns Secret", "a step owns ConfigMap"]);
    expect(triggers[0]?.index).toBe(triggers[1]?.index);
  });
});

describe("watch", () => {
  test("is asked with the object and the cache, and has no index", () => {
    const built = handler(Local)
      .step(step(Local, { name: "s", do() {} }))
      .watch(Node, {
        map: (node, cache) => [{ namespace: "ns", name: node.metadata.name }, ...cache.list(Local).map(({ metadata }) => metadata)],
      })
      .build();
    const trigger = only(built);
    expect(trigger).toMatchObject({ kind: Node, because: "watch()" });
    expect(trigger.index).toBeUndefined();
    const cache = { ...NO_CACHE, list: () => [local("ns/a")] } as unknown as Cache;
    expect([...trigger.primaries(object(Node, "n"), { byIndex: () => [], cache })].map(keyOf)).toEqual(["ns/n", "ns/a"]);
  });

  test("a map that is a method may use this", () => {
    const watch = { names: ["a"], map(): Ref[] { return this.names.map((name) => ({ namespace: "ns", name })); } }; // biome-ignore format: one line reads better
    const trigger = only(
      handler(Local)
        .step(step(Local, { name: "s", do() {} }))
        .watch(Node, watch)
        .build(),
    );
    expect([...trigger.primaries(object(Node, "n"), { byIndex: () => [], cache: NO_CACHE })]).toEqual([{ namespace: "ns", name: "a" }]);
  });
});

test("reads of all steps trigger, parts of all() included, each by its index", () => {
  const reads = { x: one(Secret, () => "x"), y: many(Secret, () => ({ matchLabels: {} })) };
  const triggers = triggersOf(
    handler(Local)
      .step(step(Local, { name: "a", reads, do() {} }))
      .step(step(Local, { name: "b", reads, do() {} }))
      .build(),
  );
  expect(triggers.map((each) => each.because)).toEqual(['step "a" reads x', 'step "a" reads y', 'step "b" reads x', 'step "b" reads y']);
  expect(new Set(triggers.map((each) => each.index?.name)).size).toBe(4);
});

describe("watch by what is declared", () => {
  const idle = step(Local, { name: "s", do() {} });

  test("refs triggers the primaries that name the object, by default in their namespace", () => {
    const trigger = only(
      handler(Local)
        .step(idle)
        .watch(ConfigMap, { refs: ({ spec }) => (spec as { readonly names: readonly (string | Ref)[] }).names })
        .build(),
    );
    const primaries = [
      local("a/one", { names: ["x", "y"] }),
      local("a/two", { names: [] }),
      local("b/three", { names: ["x", { name: "x", namespace: "a" }] }),
    ];
    expect(() => trigger.index?.keys(local("a/broken", {})), "the informer logs it").toThrow(TypeError);
    expect(triggered(trigger, primaries, object(ConfigMap, "a/x"))).toEqual(["a/one", "b/three"]);
    expect(triggered(trigger, primaries, object(ConfigMap, "a/y"))).toEqual(["a/one"]);
    expect(triggered(trigger, primaries, object(ConfigMap, "b/x"))).toEqual(["b/three"]);
    expect(triggered(trigger, primaries, object(ConfigMap, "c/x"))).toEqual([]);
  });

  test("label: its value names a primary in the namespace of the object, or one without", () => {
    const inNamespace = only(handler(Local).step(idle).watch(Secret, { label: "of" }).build());
    expect(triggered(inNamespace, [], secret("a/s", { of: "one" }))).toEqual(["a/one"]);
    expect(triggered(inNamespace, [], secret("a/s", { of: "" }))).toEqual([]);
    expect(triggered(inNamespace, [], secret("a/s"))).toEqual([]);
    const global = only(
      handler(Global)
        .step(step(Global, { name: "g", do() {} }))
        .watch(Secret, { label: "of" })
        .build(),
    );
    expect(triggered(global, [], secret("a/s", { of: "one" }))).toEqual(["one"]);
  });

  test("map: a reference without a namespace means that of the object", () => {
    const trigger = only(
      handler(Local)
        .step(idle)
        .watch(Secret, { map: () => [{ name: "one" }, { name: "two", namespace: "b" }] })
        .build(),
    );
    expect(triggered(trigger, [], secret("a/s"))).toEqual(["a/one", "b/two"]);
  });

  test.for([
    { what: "map", by: { map: () => [{ name: "one" }] } },
    { what: "the label of", by: { label: "of" } },
  ])("$what: a name without a namespace, of what has none, is a mistake that is said", ({ what, by }) => {
    const node = object(Node, "n", { metadata: { labels: { of: "one" } } });
    const namespaced = only(
      handler(Local)
        .step(idle)
        .watch(Node, by as never)
        .build(),
    );
    expect(() => triggered(namespaced, [], node)).toThrow(`${what} gave "one" without a namespace; Local is namespaced, and Node n is not`);
    const clusterScoped = handler(Global)
      .step(step(Global, { name: "g", do() {} }))
      .watch(Node, by as never);
    expect(triggered(only(clusterScoped.build()), [], node)).toEqual(["one"]);
  });

  test("says nothing: refused", () => {
    expect(() =>
      handler(Local)
        .step(idle)
        .watch(Secret, {} as never),
    ).toThrow("handler().watch(Secret): give map, refs, label, owner: true or owned: true");
  });
});

describe("the form in which a kind is watched", () => {
  const forms = (reads: Record<string, unknown>, owns: readonly Kind[] = []): readonly string[] =>
    watchedKindsOf([
      handler(Local)
        .step(step(Local, { name: "s", reads: reads as {}, owns, do() {} }))
        .build(),
    ]).map((watched) => `${watched.kind}${isMetadataOnly(watched) ? " (metadata)" : ""}`);

  test.for<[string, Record<string, unknown>, readonly Kind[], readonly string[]]>([
    ["a read: whole", { a: one(ConfigMap, () => "x") }, [], ["Local", "ConfigMap"]],
    ["a Secret: metadata", { a: one(Secret, () => "x") }, [], ["Local", "Secret (metadata)"]],
    ["an owned Secret: metadata", {}, [Secret], ["Local", "Secret (metadata)"]],
    ["an owned kind: whole, since req.cache may be asked for it", {}, [ConfigMap], ["Local", "ConfigMap"]],
    [
      "a live read: metadata, for it triggers only",
      { a: one(ConfigMap, () => "x", { live: true }) },
      [],
      ["Local", "ConfigMap (metadata)"],
    ],
    ["an unwatched read: not at all", { a: one(ConfigMap, () => "x", { watch: false }) }, [], ["Local"]],
    [
      "metadata here and the whole there: the whole, once",
      { a: one(ConfigMap, () => "x", { metadata: true }), b: many(ConfigMap, () => ({ matchLabels: {} })) },
      [],
      ["Local", "ConfigMap"],
    ],
    ["its own kind: whole, whatever else", { a: one(Local, () => "x", { metadata: true }) }, [], ["Local"]],
  ])("%s", ([, reads, owns, want]) => {
    expect(forms(reads, owns)).toEqual(want);
  });

  test("a custom kind can be cached as metadata, as Secrets are", () => {
    const Credential = { ...kind({ group: "w.dev", version: "v1", kind: "Credential" }), cachedAs: "metadata" as const };
    expect(forms({ a: one(Credential, () => "x"), b: many(Credential, () => ({ matchLabels: {} })) })).toEqual([
      "Local",
      "Credential (metadata)",
    ]);
  });

  test("a Secret that is reconciled is watched whole", () => {
    const ofSecrets = handler(Secret)
      .step(step(Secret, { name: "s", do() {} }))
      .build();
    expect(watchedKindsOf([ofSecrets]).map(isMetadataOnly)).toEqual([false]);
  });
});
