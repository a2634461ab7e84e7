import { describe, expect, test } from "vitest";
import { z } from "zod";
import { crdOf, defineResource } from "./define-resource.ts";
import type { VersionDefinition } from "./resource-definition.ts";
import { DefinitionError } from "./definition-error.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";

const names = { group: "examples.treadle.dev", kind: "Widget", scope: "Namespaced" } as const;
const define = (version: VersionDefinition): Kind => defineResource({ ...names, version: "v1", ...version } as never); // tests try what types forbid
const problemsOf = (attempt: () => unknown): readonly (readonly [path: string, reason: string])[] => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems.map(({ path, reason }) => [path, reason]);
    throw error;
  }
  return [];
};

describe("several versions", () => {
  const versions = {
    v1: { spec: z.object({ size: z.int32() }), printerColumns: [{ name: "Size", path: "spec.size" }] },
    v1beta1: { spec: z.object({ size: z.int32().default(1) }), deprecated: "use v1", served: false },
  } as const;

  test("the first version is stored and is that of the kind; each version has its schema, columns and kind", () => {
    const Gadget = defineResource({ ...names, kind: "Gadget", versions });
    expect(Gadget.version).toBe("v1");
    expect(Gadget.versions.v1beta1).toMatchObject({ version: "v1beta1", kind: "Gadget", plural: "gadgets" });
    const crd = crdOf(Gadget);
    expect(crdOf(Gadget.versions.v1beta1)).toBe(crd);
    expect(crd.spec.conversion).toEqual({ strategy: "None" });
    expect(crd.spec.versions).toMatchObject([
      { name: "v1", storage: true, served: true },
      { name: "v1beta1", storage: false, served: false, deprecated: true, deprecationWarning: "use v1" },
    ]);
    expect(crd.spec.versions.map((version) => version.additionalPrinterColumns?.[0]?.name)).toEqual(["Size", "Ready"]);
  });

  test("the kinds of all versions are found from each of them, the hub first", () => {
    const Gadget = defineResource({ ...names, kind: "Gadget", versions });
    const plain: Kind = { ...Gadget.versions.v1beta1, cachedAs: "metadata" };
    const found = plain.resource?.versions() ?? {};
    expect(Object.keys(found)).toEqual(["v1", "v1beta1"]);
    expect(found["v1beta1"]).toBe(Gadget.versions.v1beta1);
    expect(Gadget.resource.versions()).toBe(Gadget.versions);
    const Widget = define({ spec: z.object({}) });
    expect(Widget.resource?.versions()).toEqual({ v1: Widget });
  });

  test("each kind checks objects by its own schema", () => {
    const Gadget = defineResource({ ...names, kind: "Gadget", versions });
    const object = { apiVersion: "examples.treadle.dev/v1", kind: "Gadget", metadata: { name: "g" }, spec: {} };
    expect(Gadget.resource.problems(object)).toHaveLength(1);
    expect(Gadget.versions.v1beta1.resource.problems(object)).toEqual([]);
  });

  test("problems name their version", () => {
    const bad = {
      v1: { spec: z.object({ a: z.date() }) },
      V2: { spec: z.object({ b: z.bigint() }), printerColumns: [{ name: "X", path: "spec.x" }] },
    };
    expect(problemsOf(() => defineResource({ ...names, versions: bad })).map(([path]) => path)).toEqual([
      "versions.V2",
      "versions.v1.spec.a",
      "versions.V2.spec.b",
      "versions.V2.printerColumns[0]",
    ]);
    expect(problemsOf(() => defineResource({ ...names, versions: {} as Record<string, VersionDefinition> })).map(([path]) => path)).toEqual(
      ["versions"],
    );
    expect(problemsOf(() => defineResource({ ...names, versions, version: "v1beta1" })).map(([path]) => path)).toEqual(["version"]);
  });
});

describe("the hub", () => {
  const given = { spec: z.object({}) };

  test.for([
    { versions: ["v1", "v1alpha1"], known: true },
    { versions: ["v2", "v1"], known: true },
    { versions: ["v10", "v9"], known: true },
    { versions: ["v1", "v3alpha1", "v2beta1"], known: true },
    { versions: ["v2beta1", "v1beta2"], known: true },
    { versions: ["v1beta10", "v1beta9", "v1alpha11"], known: true },
    { versions: ["v1", "zeta"], known: true },
    { versions: ["zeta"], known: true },
    { versions: ["v1alpha1", "v1"], known: false },
    { versions: ["v1", "v2"], known: false },
    { versions: ["v9", "v10"], known: false },
    { versions: ["v1beta1", "v1beta2"], known: false },
    { versions: ["v1alpha2", "v1beta1"], known: false },
    { versions: ["zeta", "alpha"], known: false },
    { versions: ["v01", "v1alpha1"], known: false },
  ])("$versions need no version: $known", ({ versions, known }) => {
    const all = Object.fromEntries(versions.map((version) => [version, given]));
    expect(problemsOf(() => defineResource({ ...names, versions: all })).map(([path]) => path)).toEqual(known ? [] : ["version"]);
    expect(defineResource({ ...names, versions: all, version: versions[0] ?? "" }).version).toBe(versions[0]);
  });

  test("a spread that puts another version first is refused, whatever its type is", () => {
    const older = { v1alpha1: given };
    const versions = { ...older, v1: given };
    const define = () => defineResource({ ...names, versions } as never);
    expect(problemsOf(define)).toMatchObject([["version", expect.stringContaining('"v1alpha1" is the first of versions')]]);
    expect(define).toThrow('Write version: "v1alpha1", or put another version first');
  });
});

describe("a conversion webhook", () => {
  const Gadget = defineResource({ ...names, kind: "Gadget", versions: { v1: { spec: z.object({}) }, v1beta1: { spec: z.object({}) } } });
  const service = { name: "operator", namespace: "ops" };

  test.for([
    { conversion: { service }, clientConfig: { service: { ...service, path: "/convert" } } },
    {
      conversion: { service: { ...service, path: "/convert/g/widgets", port: 9443 }, caBundle: "Q0E=" },
      clientConfig: { service: { ...service, path: "/convert/g/widgets", port: 9443 }, caBundle: "Q0E=" },
    },
    { conversion: { url: "https://127.0.0.1:9443/convert" }, clientConfig: { url: "https://127.0.0.1:9443/convert" } },
  ])("$conversion is in the CRD", ({ conversion, clientConfig }) => {
    const crd = crdOf(Gadget, { conversion });
    expect(crd).toEqual({
      ...crdOf(Gadget),
      spec: { ...crdOf(Gadget).spec, conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } } },
    });
    expect(Object.isFrozen(crd.spec.conversion?.webhook?.clientConfig)).toBe(true);
  });

  test("may be set for a resource with one version, and changes no other CRD of the kind", () => {
    const Widget = define({ spec: z.object({}) });
    expect(crdOf(Widget, { conversion: { service } }).spec.conversion?.strategy).toBe("Webhook");
    expect(crdOf(Widget).spec.conversion).toBeUndefined();
    expect(crdOf(Widget, {})).toBe(crdOf(Widget));
  });
});

describe("objects stored under an older schema", () => {
  const Widget = define({
    spec: z.object({
      size: z.int32().max(5),
      labels: z.record(z.string(), z.string()).optional(),
      parts: z.array(z.object({ name: z.string() })).optional(),
    }),
  });
  const problems = (spec?: unknown): readonly unknown[] =>
    Widget.resource?.problems({
      apiVersion: "examples.treadle.dev/v1",
      kind: "Widget",
      metadata: { name: "w" },
      ...(spec === undefined ? {} : { spec }),
    } as KubernetesObject) ?? [];

  test("a valid object has no problems, with or without unknown fields", () => {
    expect(problems(Object.freeze({ size: 1, gone: "x" }))).toEqual([]);
  });

  test.for([
    { spec: { size: 6 }, paths: ["spec.size"] },
    { spec: { size: 1, parts: [{ name: "a" }, { name: 2 }] }, paths: ["spec.parts[1].name"] },
    { spec: { size: 1, labels: { "a.b/c": 1 } }, paths: ['spec.labels["a.b/c"]'] },
    { spec: "x", paths: ["spec"] },
    { spec: {}, paths: ["spec.size"] },
    { spec: { size: "x", parts: 1 }, paths: ["spec.size", "spec.parts"] },
    { spec: undefined, paths: ["spec"] },
  ])("$spec breaks it at $paths", ({ spec, paths }) => {
    expect(problems(spec)).toMatchObject(paths.map((path) => ({ path, message: expect.any(String) })));
  });

  test("a schema that throws gives a problem, not an exception", () => {
    const boom = z.object({
      a: z
        .string()
        .refine(() => {
          throw new Error("boom");
        })
        .meta({ "x-kubernetes-validations": [{ rule: "true" }] }),
    });
    const Boom = define({ spec: boom });
    expect(
      Boom.resource?.problems({ apiVersion: "v1", kind: "Widget", metadata: { name: "w" }, spec: { a: "x" } } as KubernetesObject),
    ).toEqual([{ path: "spec", message: "the schema failed: boom" }]);
  });
});

describe("withDefaults", () => {
  const Widget = define({
    spec: z.object({ size: z.int32().default(3), options: z.object({ deep: z.boolean().default(true) }).prefault({}) }),
  });
  const object = (spec: object): KubernetesObject =>
    Object.freeze({ apiVersion: "examples.treadle.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: Object.freeze(spec) });

  test("fills in the defaults of a copy, and leaves all other fields as they are", () => {
    const given = object({ options: {} });
    expect(Widget.resource?.withDefaults(given)).toEqual({ ...given, spec: { size: 3, options: { deep: true } } });
    expect(given).toEqual(object({ options: {} }));
    expect(Widget.resource?.withDefaults(object({ size: 1 }))).toMatchObject({ spec: { size: 1, options: { deep: true } } });
  });

  test("returns an invalid object as it is", () => {
    const invalid = object({ size: "x" });
    expect(Widget.resource?.withDefaults(invalid)).toBe(invalid);
  });
});
