import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, HorizontalPodAutoscaler, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply, layered } from "@treadle/dependents";
import { anyKind, many, one, optional, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { component } from "./component.ts";

const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    image: z.string().default("web:1"),
    replicas: z.int32().default(2),
    shards: z.array(z.string()).default([]),
    tracing: z.boolean().default(false),
    debug: z.boolean().default(false),
  }),
});
type App = ObjectOf<typeof App>;

const condition = "WebReady";
const config = dependentApply(App, { name: "config", kind: ConfigMap, desired: (app) => ({ data: { image: app.spec.image } }) });
const web = dependentApply(App, {
  name: "web",
  kind: Deployment,
  desired: layered(
    (app) => ({ metadata: { labels: { app: app.metadata.name } }, spec: { replicas: app.spec.replicas } }),
    [
      { name: "final", layer: "final", when: (app) => app.spec.debug, merge: { spec: { paused: true } } },
      { name: "tracing", when: (app) => app.spec.tracing, merge: { metadata: { annotations: { tracing: "on" } } } },
    ],
  ),
});
const both = component(App, { name: "web", condition, resources: [web, config] });
const shop = { metadata: { name: "shop", namespace: "prod" }, spec: {} };

describe("preview", () => {
  test("the objects are in the order of the resources, with identity and without marks", () => {
    expect(both.preview(shop)).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "shop", namespace: "prod", labels: { app: "shop" } },
        spec: { replicas: 2 },
      },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop", namespace: "prod" }, data: { image: "web:1" } },
    ]);
  });

  test("the layers that apply are merged in the order of their phases", () => {
    expect(both.preview({ ...shop, spec: { tracing: true, debug: true } })[0]).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "prod", labels: { app: "shop" }, annotations: { tracing: "on" } },
      spec: { replicas: 2, paused: true },
    });
  });

  test("a resource whose gate does not hold has no objects", () => {
    const gated = (gate: object, name: string) =>
      dependentApply(App, { name, kind: ConfigMap, objectName: name, desired: {}, ...gate } as never) as typeof config;
    const given = component(App, {
      name: "web",
      condition,
      resources: [
        gated({ when: (app: App) => app.spec.debug }, "when"),
        gated({ when: [() => true, () => undefined] }, "not-known"),
        gated({ orphanWhen: (app: App) => !app.spec.debug }, "released"),
        gated({ includeWhen: (app: App) => app.spec.debug }, "included"),
        gated({ includeWhen: (_app: App, { isServed }: { isServed: (kind: unknown) => boolean }) => isServed(ConfigMap) }, "served"),
        gated({ desired: () => undefined }, "undesired"),
        gated({ until: () => "never" }, "until"),
      ],
    });
    const names = (spec: object): readonly string[] => given.preview({ ...shop, spec }).map(({ metadata: { name } }) => name);
    expect(names({})).toEqual(["served", "until"]);
    expect(names({ debug: true })).toEqual(["when", "released", "included", "served", "until"]);
  });

  test("a gate that returns anything but a boolean is an error of its step", () => {
    const strange = dependentApply(App, { name: "strange", kind: ConfigMap, desired: {}, includeWhen: () => 1 as never });
    const given = component(App, { name: "web", condition, resources: [strange] });
    expect(() => given.preview(shop)).toThrow('step "strange": includeWhen returned a number, but must return true or false');
  });

  test("a resource with each has one object for each item", () => {
    const shards = dependentApply(App, {
      name: "shards",
      kind: ConfigMap,
      each: (app) => app.spec.shards.map((key) => ({ key })),
      desired: (_app, _inputs, { key }) => ({ data: { key } }),
    });
    const given = component(App, { name: "web", condition, resources: [shards] });
    expect(given.preview({ ...shop, spec: { shards: ["a", "b"] } })).toMatchObject([
      { metadata: { name: "shop-a" }, data: { key: "a" } },
      { metadata: { name: "shop-b" }, data: { key: "b" } },
    ]);
  });

  describe("an autoscaler of the component", () => {
    const scaler = (options: object = {}) =>
      dependentApply(App, {
        name: "scaler",
        kind: HorizontalPodAutoscaler,
        desired: (app: App) => ({
          spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: app.metadata.name } },
        }),
        ...options,
      } as never) as typeof web;
    const specOfWeb = (options?: object, previewOptions?: object): unknown => {
      const given = component(App, { name: "web", condition, resources: [web, scaler(options)] });
      return given.preview(shop, previewOptions as never).find(({ kind }) => kind === "Deployment");
    };

    test("takes spec.replicas of its target away, in whatever order they are listed", () => {
      expect(specOfWeb()).toMatchObject({ spec: {} });
      expect(specOfWeb()).not.toHaveProperty("spec.replicas");
    });

    test("takes nothing away where its gate does not hold", () => {
      for (const gate of ["when", "includeWhen"]) expect(specOfWeb({ [gate]: () => false })).toMatchObject({ spec: { replicas: 2 } });
    });

    test("finds its target by vars as well", () => {
      const region = step(App, { name: "region", do: (req) => req.next({ target: "shop" }) });
      const desired = (_app: App, { vars }: { vars: { target: string } }) => ({
        spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: vars.target } },
      });
      expect(specOfWeb({ needs: [region], desired }, { data: { target: "shop" } })).not.toHaveProperty("spec.replicas");
      expect(specOfWeb({ needs: [region], desired }, { data: { target: "other" } })).toMatchObject({ spec: { replicas: 2 } });
    });
  });

  describe("values of a cluster", () => {
    const secret = dependentApply(App, { name: "secret", kind: Secret, created: false, gives: { user: (live) => live.data?.["user"] } });
    const region = step(App, { name: "region", do: (req) => req.next({ region: "eu" }) });
    const user = dependentApply(App, {
      name: "user",
      kind: ConfigMap,
      needs: [secret],
      desired: (_app, { vars }) => ({ data: { user: vars.user } }),
    });
    const given = component(App, { name: "web", condition, resources: [secret, user] });

    test("come from data; objects of other writers are not shown", () => {
      expect(given.preview(shop, { data: { user: "anna" } })).toMatchObject([{ kind: "ConfigMap", data: { user: "anna" } }]);
    });

    test("a missing var is an error that names the step, the var and the fix", () => {
      expect(() => given.preview(shop)).toThrow(
        'step "user": desired threw: the preview has no value for vars.user: give it in data: { user: ... }',
      );
    });

    test("a layer that misses a var is named", () => {
      const layers = dependentApply(App, {
        name: "layers",
        kind: ConfigMap,
        needs: [region],
        desired: layered({}, [{ name: "eu", when: (_app, { vars }) => vars.region === "eu", merge: { data: { eu: "yes" } } }]),
      });
      const inRegion = component(App, { name: "web", condition, resources: [layers] });
      expect(() => inRegion.preview(shop)).toThrow('step "layers": layer "eu": when threw: the preview has no value for vars.region');
      expect(() => inRegion.firing(shop)).toThrow('step "layers": layer "eu": when threw: the preview has no value for vars.region');
      expect(inRegion.firing(shop, { data: { region: "eu" } })).toEqual({ layers: ["eu"] });
    });

    test("a missing var of an optional step is undefined", () => {
      const free = dependentApply(App, {
        name: "free",
        kind: ConfigMap,
        needs: [optional(secret), optional(region)],
        desired: (_app, { vars }) => ({ data: { user: vars.user ?? "nobody", region: vars.region ?? "none" } }),
      });
      const isFree = component(App, { name: "web", condition, resources: [free] });
      expect(isFree.preview(shop)).toMatchObject([{ data: { user: "nobody", region: "none" } }]);
      expect(isFree.preview(shop, { data: { user: "anna" } })).toMatchObject([{ data: { user: "anna", region: "none" } }]);
    });

    test("reads and dependents find nothing unless they are given", () => {
      const shards = dependentApply(App, { name: "shards", kind: ConfigMap, each: () => [{ key: "a" }], desired: {} });
      const reader = dependentApply(App, {
        name: "reader",
        kind: ConfigMap,
        dependsOn: [config, shards],
        reads: { one: one(ConfigMap, () => "one"), many: many(ConfigMap, () => ({ matchLabels: {} })) },
        desired: (_app, { reads, dependents, now }) => ({
          data: {
            one: reads.one?.data?.["a"] ?? "none",
            many: String(reads.many.length),
            config: dependents.config?.metadata.uid ?? "none",
            shards: Object.keys(dependents.shards).join(","),
            now: String(now()),
          },
        }),
      });
      const reads = component(App, { name: "web", condition, resources: [config, shards, reader] });
      expect(reads.preview(shop)[2]).toMatchObject({ data: { one: "none", many: "0", config: "none", shards: "", now: "0" } });
      const values = {
        reads: { one: { data: { a: "b" } }, many: [{}] },
        dependents: { config: { metadata: { uid: "1" } }, shards: { a: {} } },
        nowMs: 7,
      };
      expect(reads.preview(shop, values)[2]).toMatchObject({ data: { one: "b", many: "1", config: "1", shards: "a", now: "7" } });
    });
  });

  test("the stringData of a Secret stays readable", () => {
    const secret = dependentApply(App, { name: "secret", kind: Secret, desired: { stringData: { password: "x" } } });
    expect(component(App, { name: "web", condition, resources: [secret] }).preview(shop)).toEqual([
      { apiVersion: "v1", kind: "Secret", metadata: { name: "shop", namespace: "prod" }, stringData: { password: "x" } },
    ]);
  });

  test("status and undefined fields are left out, and what is not JSON is refused", () => {
    const of = (desired: object) =>
      component(App, {
        name: "web",
        condition,
        resources: [dependentApply(App, { name: "config", kind: ConfigMap, desired: () => desired as never })],
      }).preview(shop);
    expect(of({ apiVersion: "v9", data: { a: "b", c: undefined }, status: {}, metadata: { labels: undefined } })).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop", namespace: "prod" }, data: { a: "b" } },
    ]);
    expect(() => of({ data: { a: 1n } })).toThrow('step "config": desired holds at data.a a bigint, which is not JSON');
    expect(() => of({ metadata: { name: "other" } })).toThrow('step "config": desired has the name "other": set it by objectName');
  });

  test("the returned objects are copies: changing one changes no later preview", () => {
    const desired = { data: { a: "b" } };
    const constant = component(App, {
      name: "web",
      condition,
      resources: [dependentApply(App, { name: "config", kind: ConfigMap, desired })],
    });
    const [first] = constant.preview(shop) as unknown as [{ data: Record<string, string> }];
    first.data["a"] = "changed";
    expect(constant.preview(shop)).toMatchObject([{ data: { a: "b" } }]);
    expect(desired).toEqual({ data: { a: "b" } });
  });
});

describe("the owner of a preview", () => {
  test("has the kind in lower case as its name, and the namespace default, unless it has others", () => {
    expect(both.preview({ spec: {} })[0]?.metadata).toMatchObject({ name: "app", namespace: "default" });
  });

  test("gets the defaults of its spec, and is not modified", () => {
    const given = Object.freeze({ spec: Object.freeze({ image: "web:2" }) });
    expect(both.preview(given)).toMatchObject([{ spec: { replicas: 2 } }, { data: { image: "web:2" } }]);
    expect(given).toEqual({ spec: { image: "web:2" } });
  });

  test("is frozen for the functions of the author, as in a pass", () => {
    const rude = dependentApply(App, {
      name: "rude",
      kind: ConfigMap,
      desired: (app) => {
        (app.spec as { image: string }).image = "changed";
        return {};
      },
    });
    expect(() => component(App, { name: "web", condition, resources: [rude] }).preview(shop)).toThrow(TypeError);
  });

  test("an invalid spec is refused with all problems", () => {
    expect(() => both.preview({ spec: { replicas: "many" as never } })).toThrow(
      /^component "web": the owner of the preview is not a valid App: spec\.replicas /,
    );
    expect(() => both.firing({})).toThrow(/^component "web": the owner of the preview is not a valid App: spec is missing$/);
    expect(() => both.preview(undefined as never)).toThrow(
      'component "web": a preview needs an owner, an object such as { spec: { ... } }',
    );
  });

  test("of a component for any kind needs its apiVersion and kind", () => {
    const Shape = anyKind<{ spec: { image: string } }>();
    const image = dependentApply(Shape, { name: "image", kind: ConfigMap, desired: (o) => ({ data: { image: o.spec.image } }) });
    const given = component(Shape, { name: "web", condition, resources: [image] });
    expect(() => given.preview({ spec: { image: "a" } })).toThrow(
      'component "web": it is for owners of any kind: give the owner of the preview its apiVersion and kind',
    );
    expect(given.preview({ apiVersion: "a.b/v1", kind: "Any", spec: { image: "a" } })).toMatchObject([
      { metadata: { name: "any" }, data: { image: "a" } },
    ]);
  });
});

describe("firing", () => {
  test("returns the layers that apply, by resource, in their order", () => {
    expect(both.firing(shop)).toEqual({ web: [] });
    expect(both.firing({ ...shop, spec: { tracing: true, debug: true } })).toEqual({ web: ["tracing", "final"] });
  });

  test("layers lists all of them, and cannot be changed", () => {
    expect(both.layers).toEqual({ web: ["tracing", "final"] });
    expect(Object.isFrozen(both.layers) && Object.isFrozen(both.layers["web"])).toBe(true);
  });

  test("no layer applies to an object that is not desired", () => {
    const always = { name: "always", merge: {} };
    const off = dependentApply(App, { name: "off", kind: ConfigMap, when: () => false, desired: layered({}, [always]) });
    const none = dependentApply(App, { name: "none", kind: ConfigMap, objectName: "none", desired: layered(() => undefined, [always]) });
    expect(component(App, { name: "web", condition, resources: [off, none] }).firing(shop)).toEqual({ off: [], none: [] });
  });

  const keyOf = (item: unknown): string => (item as { key: string }).key;
  test("with each, a layer applies if it applies to one of the objects", () => {
    const shards = dependentApply(App, {
      name: "shards",
      kind: ConfigMap,
      each: (app) => app.spec.shards.map((key) => ({ key })),
      desired: layered({}, [
        { name: "first", when: (_app, _inputs, item) => keyOf(item) === "a", merge: {} },
        { name: "last", when: (_app, _inputs, item) => keyOf(item) === "z", merge: {} },
      ]),
    });
    const given = component(App, { name: "web", condition, resources: [shards] });
    expect(given.firing({ ...shop, spec: { shards: ["b", "a"] } })).toEqual({ shards: ["first"] });
    expect(given.firing(shop)).toEqual({ shards: [] });
  });
});
