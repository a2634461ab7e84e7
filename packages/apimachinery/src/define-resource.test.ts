import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CustomResourceDefinitionVersion, JsonSchema } from "./crd-types.ts";
import { crdOf, defineResource } from "./define-resource.ts";
import type { ResourceCommon, VersionDefinition } from "./resource-definition.ts";
import { DefinitionError } from "./definition-error.ts";
import { kind, type Kind } from "./kind.ts";
import { Secret } from "./kinds.ts";

const names = { group: "examples.treadle.dev", kind: "Widget", scope: "Namespaced" } as const;
const define = (version: VersionDefinition, common: Partial<ResourceCommon> = {}): Kind =>
  defineResource({ ...names, version: "v1", ...version, ...common } as never); // tests try what types forbid
const versionOf = (defined: Kind): CustomResourceDefinitionVersion => {
  const [version] = crdOf(defined).spec.versions;
  if (version === undefined) throw new Error("no version");
  return version;
};
const schemaOf = (version: VersionDefinition, common: Partial<ResourceCommon> = {}): JsonSchema =>
  versionOf(define(version, common)).schema?.openAPIV3Schema ?? {};
const specOf = (spec: z.ZodObject): JsonSchema => schemaOf({ spec }).properties?.["spec"] ?? {};
const fieldOf = (field: z.ZodType): JsonSchema => specOf(z.object({ f: field, other: z.string() })).properties?.["f"] ?? {};
const problemsOf = (attempt: () => unknown): readonly (readonly [path: string, reason: string])[] => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems.map(({ path, reason }) => [path, reason]);
    throw error;
  }
  return [];
};

describe("the CRD", () => {
  test("one declaration gives names, status subresource, engine fields and default columns", () => {
    const Widget = defineResource({
      ...names,
      version: "v1",
      shortNames: ["wd"],
      categories: ["all"],
      description: "A widget.",
      labels: { app: "x" },
      annotations: { "example.dev/note": "y" },
      spec: z.object({ size: z.int32().min(1).describe("How big.") }),
      status: z.object({ url: z.string() }),
    });
    expect(Widget).toMatchObject({ group: "examples.treadle.dev", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" });
    const crd = crdOf(Widget);
    expect(crd).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.examples.treadle.dev", labels: { app: "x" }, annotations: { "example.dev/note": "y" } },
      spec: {
        group: "examples.treadle.dev",
        scope: "Namespaced",
        names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget", shortNames: ["wd"], categories: ["all"] },
      },
    });
    expect(crd.spec.conversion).toBeUndefined();
    const version = versionOf(Widget);
    expect(version).toMatchObject({ name: "v1", served: true, storage: true, subresources: { status: {} } });
    expect(version.additionalPrinterColumns?.map(({ name, jsonPath }) => [name, jsonPath])).toEqual([
      ["Ready", '.status.conditions[?(@.type=="Ready")].status'],
      ["Reason", '.status.conditions[?(@.type=="Ready")].reason'],
      ["Message", '.status.conditions[?(@.type=="Ready")].message'],
      ["Age", ".metadata.creationTimestamp"],
    ]);
    const root = version.schema?.openAPIV3Schema;
    expect(root).toMatchObject({ type: "object", description: "A widget.", required: ["spec"] });
    expect(root?.properties?.["spec"]).toEqual({
      type: "object",
      properties: { size: { type: "integer", format: "int32", minimum: 1, description: "How big." } },
      required: ["size"],
    });
    const status = root?.properties?.["status"];
    // steps fill the status one by one, so no field is required
    expect(status?.required).toBeUndefined();
    expect(Object.keys(status?.properties ?? {})).toEqual(["url", "conditions", "observedGeneration", "lastHandledReconcileAt"]);
    expect(status?.properties?.["conditions"]).toMatchObject({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    });
  });

  test("stepState and dependents add their fields to the status, and nothing else does", () => {
    const fields = (common: Partial<ResourceCommon>): readonly string[] =>
      Object.keys(schemaOf({ spec: z.object({ a: z.string() }) }, common).properties?.["status"]?.properties ?? {});
    expect(fields({})).toEqual(["conditions", "observedGeneration", "lastHandledReconcileAt"]);
    expect(fields({ stepState: true, dependents: true })).toEqual([
      "conditions",
      "observedGeneration",
      "lastHandledReconcileAt",
      "steps",
      "dependents",
    ]);
    expect(define({ spec: z.object({}) }, { stepState: true }).resource).toMatchObject({ stepState: true, statusParts: [] });
  });

  test("the server refuses an incomplete entry of status.dependents", () => {
    const schema = schemaOf({ spec: z.object({ a: z.string() }) }, { dependents: true }).properties?.["status"]?.properties?.["dependents"];
    expect(schema).toMatchObject({
      "x-kubernetes-list-type": "atomic",
      items: {
        required: ["apiVersion", "kind", "lastTransitionTime", "message", "name", "reason", "step", "type"],
        "x-kubernetes-preserve-unknown-fields": true,
      },
    });
  });

  test("a spec without required fields gets a default, so that its defaults are always set", () => {
    const schema = schemaOf({ spec: z.object({ size: z.int32().default(1) }) });
    expect(schema.required).toBeUndefined();
    expect(schema.properties?.["spec"]).toMatchObject({ default: {}, properties: { size: { default: 1 } } });
  });

  test("the CRD is the same frozen object each time, and does not freeze the author's", () => {
    const rule = { rule: "self.size > 0", message: "m" };
    const Widget = define({ spec: z.object({ size: z.int32() }).meta({ "x-kubernetes-validations": [rule] }) });
    expect(crdOf(Widget)).toBe(crdOf(Widget));
    expect(Object.isFrozen(versionOf(Widget).schema?.openAPIV3Schema?.properties?.["spec"])).toBe(true);
    expect(Object.isFrozen(rule)).toBe(false);
  });

  test("crdOf refuses a kind that defineResource did not make", () => {
    expect(() => crdOf(Secret)).toThrow("Secret (v1) was not made by defineResource");
    expect(() => crdOf(kind({ group: "g.io", version: "v1", kind: "X" }))).toThrow("X (g.io/v1)");
  });

  test.for([
    { kind: "Widget", plural: "widgets" },
    { kind: "Policy", plural: "policies" },
    { kind: "Gateway", plural: "gateways" },
    { kind: "Ingress", plural: "ingresses" },
    { kind: "Box", plural: "boxes" },
    { kind: "Branch", plural: "branches" },
  ])("the plural of $kind is $plural", ({ kind, plural }) => {
    expect(define({ spec: z.object({}) }, { kind }).plural).toBe(plural);
  });
});

describe("fields", () => {
  test.for<{ name: string; field: z.ZodType; want: JsonSchema }>([
    { name: "string bounds", field: z.string().min(1).max(9), want: { type: "string", minLength: 1, maxLength: 9 } },
    { name: "one pattern", field: z.string().regex(/^a$/), want: { type: "string", pattern: "^a$" } },
    {
      name: "several patterns",
      field: z.string().regex(/^a/).regex(/b$/),
      want: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    },
    {
      name: "int64 within what JavaScript can hold",
      field: z.int(),
      want: { type: "integer", format: "int64", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    },
    { name: "int32", field: z.int32(), want: { type: "integer", format: "int32" } },
    {
      name: "exclusive bounds",
      field: z.number().gt(0).lt(1),
      want: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    },
    {
      name: "fractional bounds in CEL, for the server would cut them off for whole numbers",
      field: z.number().min(0.5).lt(1.5),
      want: {
        type: "number",
        "x-kubernetes-validations": [
          { rule: "self >= 0.5", message: "should be greater than or equal to 0.5" },
          { rule: "self < 1.5", message: "should be less than 1.5" },
        ],
      },
    },
    {
      name: "bounds beyond int64 in CEL, as doubles",
      field: z.number().max(2 ** 63),
      want: {
        type: "number",
        "x-kubernetes-validations": [
          { rule: "self <= 9.223372036854776e+18", message: "should be less than or equal to 9.223372036854776e+18" },
        ],
      },
    },
    {
      name: "bounds of integers, rounded inwards",
      field: z.int32().min(-0.5).lt(2.5),
      want: { type: "integer", format: "int32", minimum: 0, maximum: 2 },
    },
    { name: "an e-mail address", field: z.email(), want: { type: "string", format: "email", pattern: z.regexes.email.source } },
    {
      name: "an e-mail address by the author's pattern, wider than the server's format",
      field: z.email({ pattern: /^.+@.+$/ }),
      want: { type: "string", pattern: "^.+@.+$" },
    },
    { name: "boolean", field: z.boolean(), want: { type: "boolean" } },
    { name: "enum", field: z.enum(["a", "b"]), want: { type: "string", enum: ["a", "b"] } },
    { name: "enum of numbers", field: z.literal([1, 2]), want: { type: "integer", enum: [1, 2] } },
    { name: "union of literals", field: z.union([z.literal("a"), z.literal("b")]), want: { type: "string", enum: ["a", "b"] } },
    { name: "a union of one", field: z.union([z.string()]), want: { type: "string" } },
    { name: "nullable", field: z.string().nullable(), want: { type: "string", nullable: true } },
    {
      name: "nullable enum, which an API server would never take as an enum",
      field: z.enum(["a.b", "c"]).nullable(),
      want: { type: "string", nullable: true, maxLength: 3, pattern: "^(?:a\\.b|c)$" },
    },
    {
      name: "int or string",
      field: z.union([z.int32(), z.string().max(5)]),
      want: { "x-kubernetes-int-or-string": true, minimum: -2147483648, maximum: 2147483647, maxLength: 5 },
    },
    {
      name: "list",
      field: z.array(z.string()).min(1).max(3),
      want: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    },
    {
      name: "set",
      field: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }),
      want: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    },
    {
      name: "map",
      field: z.record(z.string(), z.int32()),
      want: { type: "object", additionalProperties: { type: "integer", format: "int32" } },
    },
    {
      name: "bounded map",
      field: z.record(z.string(), z.string()).meta({ maxProperties: 8 }),
      want: { type: "object", additionalProperties: { type: "string" }, maxProperties: 8 },
    },
    {
      name: "record over an enum",
      field: z.record(z.enum(["a"]), z.string()),
      want: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    },
    {
      name: "partial record",
      field: z.partialRecord(z.enum(["a"]), z.string()),
      want: { type: "object", properties: { a: { type: "string" } } },
    },
    {
      name: "free form",
      field: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }),
      want: { nullable: true, "x-kubernetes-preserve-unknown-fields": true },
    },
    {
      name: "an object with free fields",
      field: z.looseObject({ a: z.string() }).meta({ "x-kubernetes-preserve-unknown-fields": true }),
      want: { type: "object", properties: { a: { type: "string" } }, required: ["a"], "x-kubernetes-preserve-unknown-fields": true },
    },
    { name: "default", field: z.string().default("x"), want: { type: "string", default: "x" } },
    {
      name: "default behind optional and readonly",
      field: z.string().default("x").optional().readonly(),
      want: { type: "string", default: "x" },
    },
    {
      name: "prefault with defaults inside",
      field: z.object({ a: z.int32().default(1) }).prefault({}),
      want: { type: "object", properties: { a: { type: "integer", format: "int32", default: 1 } }, default: {} },
    },
    {
      name: "a default that nonoptional() makes useless",
      field: z.int32().default(1).nonoptional(),
      want: { type: "integer", format: "int32" },
    },
    {
      name: "bounds of lengths at infinity",
      field: z.array(z.string().max(Number.POSITIVE_INFINITY)).max(Number.POSITIVE_INFINITY),
      want: { type: "array", items: { type: "string" } },
    },
    {
      name: "set of lists, which are compared whole",
      field: z.array(z.array(z.string())).meta({ "x-kubernetes-list-type": "set" }),
      want: { type: "array", items: { type: "array", items: { type: "string" } }, "x-kubernetes-list-type": "set" },
    },
    {
      name: "a rule that says oldSelf in a text only, below a list",
      field: z.array(z.string().meta({ "x-kubernetes-validations": [{ rule: "self != 'oldSelf'" }] })),
      want: { type: "array", items: { type: "string", "x-kubernetes-validations": [{ rule: "self != 'oldSelf'" }] } },
    },
    { name: "describe at any layer", field: z.string().describe("d").optional(), want: { type: "string", description: "d" } },
    {
      name: "the outer description wins",
      field: z.string().describe("in").optional().describe("out"),
      want: { type: "string", description: "out" },
    },
    { name: "a brand", field: z.string().brand("B"), want: { type: "string" } },
    { name: "a lazy schema that does not recur", field: z.lazy(() => z.string()), want: { type: "string" } },
    {
      name: "base64",
      field: z.base64(),
      want: { type: "string", pattern: "^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=)?$" },
    },
    {
      name: "refine with a CEL rule beside it",
      field: z
        .string()
        .refine((text) => text !== "x")
        .meta({ "x-kubernetes-validations": [{ rule: "self != 'x'", message: "not x" }] }),
      want: { type: "string", "x-kubernetes-validations": [{ rule: "self != 'x'", message: "not x" }] },
    },
  ])("$name", ({ field, want }) => {
    expect(fieldOf(field)).toEqual(want);
  });

  test("required, optional and default fields", () => {
    const spec = specOf(
      z.object({
        a: z.string(),
        b: z.string().optional(),
        c: z.string().default("x"),
        d: z.string().nullish(),
        e: z.string().optional().nonoptional(),
      }),
    );
    expect(spec.required).toEqual(["a", "e"]);
  });

  test("a list-map with its keys", () => {
    const parts = z
      .array(z.object({ name: z.string(), count: z.int32() }))
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
    expect(fieldOf(parts)).toMatchObject({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
  });

  test("one schema may be used in several places", () => {
    const port = z.object({ port: z.int32() }).meta({ id: "Port" });
    expect(specOf(z.object({ a: port, b: port, c: z.array(port) })).properties?.["b"]).toEqual({
      type: "object",
      properties: { port: { type: "integer", format: "int32" } },
      required: ["port"],
    });
  });
});

describe("immutable fields", () => {
  test("a required field gets a transition rule", () => {
    expect(fieldOf(z.string().meta({ immutable: true }))["x-kubernetes-validations"]).toEqual([
      { rule: "self == oldSelf", message: "is immutable" },
    ]);
  });

  test("an optional field gets a rule of its parent that it must not be removed", () => {
    const spec = specOf(
      z.object({
        a: z.string(),
        "storage-class": z.string().optional().meta({ immutable: true }),
        for: z.string().meta({ immutable: true }).optional(),
      }),
    );
    expect(spec["x-kubernetes-validations"]).toEqual([
      {
        rule: "!has(oldSelf.storage__dash__class) || has(self.storage__dash__class)",
        message: "storage-class is immutable: it cannot be removed",
      },
      { rule: "!has(oldSelf.__for__) || has(self.__for__)", message: "for is immutable: it cannot be removed" },
    ]);
  });

  test("the keys of a partial record get a rule that they must not be removed", () => {
    expect(fieldOf(z.partialRecord(z.enum(["x", "y"]), z.int32().meta({ immutable: true })))["x-kubernetes-validations"]).toEqual(
      ["x", "y"].map((key) => ({ rule: `!has(oldSelf.${key}) || has(self.${key})`, message: `${key} is immutable: it cannot be removed` })),
    );
  });

  // kube-apiserver 1.36 accepts and refuses the same fields, for their cost
  const fixed = { immutable: true };
  const listMap = (v: z.ZodType, max = Number.POSITIVE_INFINITY): z.ZodType =>
    z
      .array(z.object({ name: z.string(), v }))
      .max(max)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
  test.for<{ name: string; field: z.ZodType; path?: string }>([
    { name: "an unbounded text", field: z.string().meta(fixed) },
    { name: "unbounded lists as a whole", field: z.array(z.array(z.string())).meta(fixed) },
    { name: "short texts in an unbounded list-map", field: listMap(z.string().max(16).meta(fixed)) },
    { name: "longer texts in an unbounded list-map", field: listMap(z.string().max(63).meta(fixed)), path: "spec.f[].v" },
    { name: "unbounded texts in a short list-map", field: listMap(z.string().meta(fixed), 31) },
    { name: "unbounded texts in a longer list-map", field: listMap(z.string().meta(fixed), 32), path: "spec.f[].v" },
    { name: "unbounded texts in an unbounded map", field: z.record(z.string(), z.string().meta(fixed)), path: "spec.f[*]" },
    { name: "unbounded texts in a short map", field: z.record(z.string(), z.string().meta(fixed)).meta({ maxProperties: 5 }) },
    { name: "an enum", field: listMap(z.enum(["a", "b"]).meta(fixed)) },
    { name: "a nullable enum", field: listMap(z.enum(["a", "b"]).nullable().meta(fixed)) },
    { name: "a time", field: listMap(z.iso.datetime().meta(fixed)) },
    { name: "a number", field: listMap(z.number().meta(fixed)) },
    { name: "maps of maps of integers", field: z.record(z.string(), z.record(z.string(), z.int32().meta(fixed))) },
    { name: "int-or-string", field: listMap(z.union([z.int(), z.string()]).meta(fixed)), path: "spec.f[].v" },
    { name: "int-or-string with a bound", field: listMap(z.union([z.int(), z.string().max(5)]).meta(fixed)) },
    { name: "short lists", field: listMap(z.array(z.string().max(5)).max(5).meta(fixed)) },
    { name: "unbounded lists", field: listMap(z.array(z.int()).meta(fixed)), path: "spec.f[].v" },
  ])("the cost of comparing $name", ({ field, path }) => {
    expect(problemsOf(() => define({ spec: z.object({ f: field }) }))).toEqual(
      path === undefined ? [] : [[path, expect.stringMatching(/costs more than the API server allows/)]],
    );
  });

  test("a field with a default needs no rule against removal", () => {
    expect(
      specOf(z.object({ a: z.string(), b: z.string().default("x").meta({ immutable: true }) }))["x-kubernetes-validations"],
    ).toBeUndefined();
  });

  test("rules of the author and of immutability are both kept, inner ones first", () => {
    const field = z
      .string()
      .meta({ "x-kubernetes-validations": [{ rule: "self != ''" }] })
      .optional()
      .meta({ "x-kubernetes-validations": [{ rule: "self != 'x'" }], immutable: true });
    expect(fieldOf(field)["x-kubernetes-validations"]?.map(({ rule }) => rule)).toEqual(["self != ''", "self != 'x'", "self == oldSelf"]);
  });

  test("an immutable field below a list without keys is refused", () => {
    const spec = (meta: Record<string, unknown>): z.ZodObject =>
      z.object({ l: z.array(z.object({ name: z.string(), v: z.string().max(9).meta({ immutable: true }) })).meta(meta) });
    expect(problemsOf(() => define({ spec: spec({}) }))).toEqual([["spec.l[].v", expect.stringContaining("is not possible below a list")]]);
    expect(problemsOf(() => define({ spec: spec({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }) }))).toEqual(
      [],
    );
  });
});

describe("what is refused, with its path", () => {
  const recursive: z.ZodType = z.object({ child: z.lazy(() => recursive).optional() });
  const self: z.ZodType = z.lazy(() => self);
  const getter = z.object({
    get children(): z.ZodType {
      return z.array(getter).optional();
    },
  });

  const endless = (): z.ZodType => z.object({ left: z.lazy(endless).optional(), right: z.lazy(endless).optional() });
  const endlessList = (): z.ZodType => z.array(z.lazy(endlessList));
  const listMap = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
  const named = z.object({ name: z.string() });
  const preserved = { "x-kubernetes-preserve-unknown-fields": true };
  const rule = (more: Record<string, unknown>): z.ZodType => z.string().meta({ "x-kubernetes-validations": [{ rule: "true", ...more }] });

  test.for<{ name: string; field: z.ZodType; path?: string; reason: RegExp }>([
    { name: "recursion that makes new schemas", field: endless(), path: `spec.f${".left".repeat(63)}`, reason: /recursive/ },
    { name: "recursion through lists", field: endlessList(), path: `spec.f${"[]".repeat(63)}`, reason: /recursive/ },
    {
      name: "a lazy schema that throws",
      field: z.lazy(() => {
        throw new Error("boom");
      }),
      reason: /failed: boom/,
    },
    { name: "fractional length", field: z.string().max(2.5), reason: /length 2.5/ },
    { name: "fractional length of a list", field: z.array(z.string()).min(0.5), reason: /length 0.5/ },
    { name: "description that is a number", field: z.string().meta({ description: 5 as never }), reason: /description is not a string/ },
    { name: "title that is not a string", field: z.string().meta({ title: 5 as never }), reason: /title is not a string/ },
    { name: "immutable value of any kind", field: z.unknown().meta({ ...preserved, immutable: true }), reason: /CEL has no type/ },
    {
      name: "rule on a value of any kind",
      field: z.unknown().meta({ ...preserved, "x-kubernetes-validations": [{ rule: "true" }] }),
      reason: /CEL has no type/,
    },
    { name: "list-map of nullable elements", field: z.array(named.nullable()).meta(listMap), reason: /cannot be nullable/ },
    {
      name: "list-map key given twice",
      field: z.array(named).meta({ ...listMap, "x-kubernetes-list-map-keys": ["name", "name"] }),
      reason: /given twice/,
    },
    {
      name: "embedded resource without fields",
      field: z.object({}).meta({ "x-kubernetes-embedded-resource": true }),
      reason: /needs fields/,
    },
    {
      name: "default of an embedded resource without kind",
      field: z
        .looseObject({})
        .meta({ ...preserved, "x-kubernetes-embedded-resource": true })
        .default({}),
      reason: /without apiVersion and kind/,
    },
    {
      name: "default of a set with an element twice",
      field: z.array(z.string()).default(["a", "a"]).meta({ "x-kubernetes-list-type": "set" }),
      reason: /element twice/,
    },
    {
      name: "default around a list-map with a key twice",
      field: z.object({ l: z.array(named).meta(listMap) }).default({ l: [{ name: "a" }, { name: "a" }] }),
      reason: /element twice/,
    },
    { name: "CEL rule with a blank message", field: rule({ message: " " }), reason: /message of a CEL rule has no text/ },
    { name: "CEL rule whose message is not a string", field: rule({ message: 5 }), reason: /message of a CEL rule has no text/ },
    { name: "CEL rule with another reason", field: rule({ reason: "Nope" }), reason: /no reason "Nope"/ },
    { name: "CEL rule with a fieldPath without its dot", field: rule({ fieldPath: "a" }), reason: /fieldPath "a"/ },
    {
      name: "immutable field that CEL cannot name",
      field: z.object({ "a b": z.string().optional().meta({ immutable: true }) }),
      path: "spec.f.a b",
      reason: /CEL cannot name/,
    },
    { name: "transform", field: z.string().transform((text) => text.length), reason: /computes? a value/ },
    { name: "pipe", field: z.string().pipe(z.string()), reason: /computes? a value/ },
    { name: "preprocess", field: z.preprocess((value) => value, z.string()), reason: /computes? a value/ },
    { name: "codec", field: z.codec(z.string(), z.number(), { decode: Number, encode: String }), reason: /computes? a value/ },
    { name: "stringbool", field: z.stringbool(), reason: /computes? a value/ },
    { name: "coerce number", field: z.coerce.number(), reason: /coerce computes/ },
    { name: "coerce string", field: z.coerce.string(), reason: /coerce computes/ },
    { name: "coerce boolean", field: z.coerce.boolean(), reason: /coerce computes/ },
    { name: "trim", field: z.string().trim(), reason: /trim\(\)/ },
    { name: "toLowerCase", field: z.string().toLowerCase(), reason: /trim\(\)/ },
    { name: "overwrite", field: z.string().overwrite((text) => text), reason: /overwrite\(\)/ },
    { name: "catch", field: z.string().catch("x"), reason: /catch\(\) replaces/ },
    { name: "refine", field: z.string().refine(() => true), reason: /refine\(\)/ },
    {
      name: "refine behind optional",
      field: z
        .string()
        .optional()
        .refine(() => true),
      reason: /refine\(\)/,
    },
    { name: "superRefine", field: z.object({ a: z.string() }).superRefine(() => undefined), reason: /refine\(\)/ },
    { name: "refine on a list", field: z.array(z.string()).refine(() => true), reason: /refine\(\)/ },
    { name: "custom", field: z.custom<string>(() => true), reason: /custom\(\)/ },
    { name: "instanceof", field: z.instanceof(URL), reason: /custom\(\)/ },
    { name: "regex with a flag", field: z.string().regex(/a/i), reason: /flag i/ },
    { name: "look-ahead", field: z.string().regex(/(?!a)/), reason: /look-ahead/ },
    { name: "ISO duration", field: z.iso.duration(), reason: /look-ahead/ },
    { name: "jwt", field: z.jwt(), reason: /decodes/ },
    { name: "own format by function", field: z.stringFormat("even", (text) => text.length % 2 === 0), reason: /is a function/ },
    { name: "own format named like an object's member", field: z.stringFormat("toString", () => true), reason: /is a function/ },
    { name: "URL with conditions", field: z.url({ protocol: /^https$/ }), reason: /conditions on host or protocol/ },
    {
      name: "union of objects",
      field: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      reason: /union of different types/,
    },
    {
      name: "discriminated union",
      field: z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
      reason: /discriminated union/,
    },
    { name: "string or boolean", field: z.union([z.string(), z.boolean()]), reason: /union of different types/ },
    { name: "number or string", field: z.union([z.number(), z.string()]), reason: /only an integer/ },
    { name: "tuple", field: z.tuple([z.string()]), reason: /tuple/ },
    { name: "map", field: z.map(z.string(), z.string()), reason: /Map/ },
    { name: "set", field: z.set(z.string()), reason: /Set/ },
    { name: "date", field: z.date(), reason: /Date/ },
    { name: "bigint", field: z.bigint(), reason: /bigint/ },
    { name: "int64, which is a bigint", field: z.int64(), reason: /bigint/ },
    { name: "symbol", field: z.symbol(), reason: /symbol/ },
    { name: "undefined", field: z.undefined(), reason: /undefined/ },
    { name: "void", field: z.void(), reason: /undefined/ },
    { name: "never", field: z.never(), reason: /never be set/ },
    { name: "null", field: z.null(), reason: /always null/ },
    { name: "NaN", field: z.nan(), reason: /NaN/ },
    { name: "any", field: z.any(), reason: /prunes/ },
    { name: "unknown", field: z.unknown(), reason: /prunes/ },
    { name: "json", field: z.json(), reason: /union of different types|recursive/ },
    { name: "promise", field: z.promise(z.string()), reason: /promise/ },
    { name: "intersection", field: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })), reason: /intersection/ },
    { name: "strict object", field: z.strictObject({ a: z.string() }), reason: /strict object/ },
    { name: "loose object", field: z.looseObject({ a: z.string() }), reason: /additionalProperties beside properties/ },
    { name: "catchall", field: z.object({ a: z.string() }).catchall(z.string()), reason: /additionalProperties beside properties/ },
    { name: "checked keys", field: z.record(z.string().min(1), z.string()), reason: /no rules for the keys/ },
    { name: "number keys", field: z.record(z.number(), z.string()), reason: /no rules for the keys/ },
    { name: "mixed literals", field: z.literal(["a", 1]), reason: /several types/ },
    { name: "undefined among literals", field: z.literal(["a", undefined]), reason: /not a JSON value/ },
    { name: "infinite bound", field: z.number().max(Number.POSITIVE_INFINITY), reason: /not a JSON number/ },
    { name: "multiple of zero", field: z.number().multipleOf(0), reason: /multipleOf/ },
    { name: "fractional divisor", field: z.number().multipleOf(0.01), reason: /multipleOf\(0.01\)/ },
    { name: "fractional divisor of an integer", field: z.int().multipleOf(0.5), reason: /multipleOf\(0.5\)/ },
    { name: "optional element", field: z.array(z.string().optional()), path: "spec.f[]", reason: /never absent/ },
    { name: "default element", field: z.record(z.string(), z.string().default("x")), path: "spec.f[*]", reason: /never absent/ },
    { name: "nested", field: z.array(z.object({ a: z.record(z.string(), z.date()) })), path: "spec.f[].a[*]", reason: /Date/ },
    { name: "recursion", field: recursive, path: "spec.f.child", reason: /recursive/ },
    { name: "recursion by a getter", field: getter, path: "spec.f.children[]", reason: /recursive/ },
    { name: "recursion into itself", field: self, reason: /recursive/ },
    { name: "nullable enum of numbers", field: z.literal([1, 2]).nullable(), reason: /never accepts null/ },
    {
      name: "a field that every object has",
      field: z.object({ constructor: z.string() }),
      path: "spec.f.constructor",
      reason: /every JavaScript object/,
    },
    { name: "null as the default", field: z.string().nullable().default(null), reason: /drops a null default/ },
    { name: "null as the prefault", field: z.string().nullable().prefault(null), reason: /drops a null default/ },
    { name: "computed default", field: z.string().default(() => String(Math.random())), reason: /computed again/ },
    { name: "default that does not fit", field: z.int32().default(1.5), reason: /does not fit/ },
    {
      name: "default with unknown fields",
      field: z.object({ a: z.string() }).default({ a: "x", b: 1 } as { a: string }),
      reason: /does not know/,
    },
    {
      name: "default without its inner defaults",
      field: z.object({ a: z.int32().default(1) }).default({} as { a: number }),
      reason: /fills in the defaults/,
    },
    { name: "default that is not JSON", field: z.number().default(Number.NaN), reason: /not a JSON value/ },
    { name: "unknown extension", field: z.string().meta({ "x-kubernetes-nope": true }), reason: /not known to Kubernetes/ },
    { name: "list type on a string", field: z.string().meta({ "x-kubernetes-list-type": "set" }), reason: /for arrays/ },
    {
      name: "set of objects",
      field: z.array(z.object({ a: z.string() })).meta({ "x-kubernetes-list-type": "set" }),
      reason: /needs scalars/,
    },
    { name: "map of scalars", field: z.array(z.string()).meta({ "x-kubernetes-list-type": "map" }), reason: /needs objects/ },
    {
      name: "list-map without keys",
      field: z.array(z.object({ a: z.string() })).meta({ "x-kubernetes-list-type": "map" }),
      reason: /without x-kubernetes-list-map-keys/,
    },
    {
      name: "keys without list type",
      field: z.array(z.object({ a: z.string() })).meta({ "x-kubernetes-list-map-keys": ["a"] }),
      reason: /needs x-kubernetes-list-type "map"/,
    },
    {
      name: "unknown list-map key",
      field: z.array(z.object({ a: z.string() })).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] }),
      reason: /"b" is not a field/,
    },
    {
      name: "optional list-map key",
      field: z.array(z.object({ a: z.string().optional() })).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] }),
      reason: /neither required nor/,
    },
    { name: "CEL rule without text", field: z.string().meta({ "x-kubernetes-validations": [{ message: "x" }] }), reason: /has no text/ },
    {
      name: "CEL rule with an unknown field",
      field: z.string().meta({ "x-kubernetes-validations": [{ rule: "true", msg: "x" }] }),
      reason: /no field msg/,
    },
    {
      name: "transition rule below a list",
      field: z.array(z.string().meta({ "x-kubernetes-validations": [{ rule: "self == oldSelf" }] })),
      path: "spec.f[]",
      reason: /is not possible below a list/,
    },
  ])("$name", ({ field, path, reason }) => {
    expect(problemsOf(() => define({ spec: z.object({ f: field }) }))).toEqual([[path ?? "spec.f", expect.stringMatching(reason)]]);
  });

  test("all problems are in one error, each with its fix", () => {
    const attempt = (): unknown =>
      define(
        { spec: z.object({ a: z.date(), b: z.object({ c: z.string().trim() }) }), status: z.object({ conditions: z.string() }) },
        { group: "nodot", shortNames: ["W d"] },
      );
    expect(problemsOf(attempt).map(([path]) => path)).toEqual(["group", "shortNames[0]", "spec.a", "spec.b.c", "status.conditions"]);
    expect(attempt).toThrow(/^cannot define resource Widget \(nodot\):\n {2}- group: .* Use a domain that is yours/);
  });
});

describe("names", () => {
  test.for<{ name: string; common: Partial<ResourceCommon> & { version?: string }; path: string }>([
    { name: "an empty group", common: { group: "" }, path: "group" },
    { name: "a group in capitals", common: { group: "Example.dev" }, path: "group" },
    { name: "a group without a dot", common: { group: "widgets" }, path: "group" },
    {
      name: "a kind with a dash at its end",
      common: { kind: "Widget-", plural: "widgets", singular: "widget", listKind: "WidgetList" },
      path: "kind",
    },
    { name: "a plural in capitals", common: { plural: "Widgets" }, path: "plural" },
    { name: "a singular with a dot", common: { singular: "wid.get" }, path: "singular" },
    { name: "a group of Kubernetes without approval", common: { group: "foo.k8s.io" }, path: "group" },
    { name: "another group of Kubernetes", common: { group: "foo.kubernetes.io" }, path: "group" },
    { name: "a name over 253 characters", common: { group: `${"abcdefghi.".repeat(25)}de` }, path: "group" },
    { name: "an empty deprecation", common: { deprecated: "" } as never, path: "deprecated" },
    { name: "a long deprecation", common: { deprecated: "x".repeat(257) } as never, path: "deprecated" },
    { name: "a deprecation over two lines", common: { deprecated: "a\nb" } as never, path: "deprecated" },
    { name: "a list kind that is the kind", common: { listKind: "Widget" }, path: "listKind" },
    { name: "a short name with a space", common: { shortNames: ["w d"] }, path: "shortNames[0]" },
    { name: "a short name given twice", common: { shortNames: ["w", "w"] }, path: "shortNames" },
    { name: "a category in capitals", common: { categories: ["ALL"] }, path: "categories[0]" },
    { name: "a version that begins with a digit", common: { version: "1" }, path: "version" },
    { name: "a bad label", common: { labels: { "a b": "c" } }, path: 'labels["a b"]' },
    { name: "a bad annotation key", common: { annotations: { "/a": "c" } }, path: 'annotations["/a"]' },
  ])("refuses $name", ({ common, path }) => {
    expect(problemsOf(() => define({ spec: z.object({}) }, common as Partial<ResourceCommon>)).map(([at]) => at)).toContain(path);
  });

  test("an approved group of Kubernetes and groups of its contributors are accepted", () => {
    const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" };
    expect(problemsOf(() => define({ spec: z.object({}) }, { group: "foo.k8s.io", annotations }))).toEqual([]);
    expect(problemsOf(() => define({ spec: z.object({}) }, { group: "foo.x-k8s.io" }))).toEqual([]);
  });

  test.for(["conditions", "observedGeneration", "lastHandledReconcileAt", "steps"])("a status with the field %s is refused", (name) => {
    expect(problemsOf(() => define({ spec: z.object({}), status: z.object({ [name]: z.string() }) }))).toEqual([
      [`status.${name}`, "the engine keeps this field"],
    ]);
  });

  test("a status with a field dependents is refused when the engine's dependents are switched on", () => {
    const status = z.object({ dependents: z.array(z.string()) });
    expect(problemsOf(() => define({ spec: z.object({}), status }))).toEqual([]);
    expect(problemsOf(() => define({ spec: z.object({}), status }, { dependents: true }))).toEqual([
      ["status.dependents", "the engine keeps this field"],
    ]);
  });

  test("a spec that is not an object is refused", () => {
    expect(problemsOf(() => define({ spec: z.string() as never }))).toEqual([["spec", "spec is not an object"]]);
  });
});

describe("columns, scale and rules", () => {
  const spec = z.object({
    replicas: z.int32(),
    at: z.iso.datetime(),
    port: z.union([z.int(), z.string()]),
    deep: z.object({ flag: z.boolean() }),
    labels: z.record(z.string(), z.string()),
  });
  const status = z.object({ replicas: z.int32(), selector: z.string(), name: z.string() });

  test("a column's type follows from its field", () => {
    const columns = versionOf(
      define({
        spec,
        status,
        printerColumns: [
          { name: "Replicas", path: "spec.replicas" },
          { name: "At", path: "spec.at", priority: 1, description: "when" },
          { name: "Port", path: "spec.port" },
          { name: "Flag", path: "spec.deep.flag" },
          { name: "App", path: "spec.labels.app" },
          { name: "ready", jsonPath: ".status.name" },
          { name: "Born", path: "metadata.creationTimestamp" },
        ],
      }),
    ).additionalPrinterColumns;
    expect(columns).toEqual([
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "At", type: "date", jsonPath: ".spec.at", description: "when", priority: 1 },
      { name: "Port", type: "string", jsonPath: ".spec.port" },
      { name: "Flag", type: "boolean", jsonPath: ".spec.deep.flag" },
      { name: "App", type: "string", jsonPath: ".spec.labels.app" },
      { name: "ready", type: "string", jsonPath: ".status.name" },
      { name: "Born", type: "date", jsonPath: ".metadata.creationTimestamp" },
      { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
      { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ]);
  });

  test("the default columns can be left out", () => {
    expect(versionOf(define({ spec, defaultColumns: false })).additionalPrinterColumns).toBeUndefined();
  });

  test.for([
    { column: { name: "X", path: "spec.nope" }, reason: /no field "spec.nope"/ },
    { column: { name: "X", path: "spec.toString" }, reason: /no field/ },
    { column: { name: "X", jsonPath: "spec.replicas" }, reason: /begin with a dot/ },
    { column: { name: "", path: "spec.replicas" }, reason: /no name/ },
    { column: { name: "X" }, reason: /no field/ },
    { column: { name: "X", path: "spec.replicas", format: "nope" }, reason: /format "nope"/ },
    { column: { name: "X", path: "spec.replicas", priority: 1.5 }, reason: /priority 1.5/ },
    { column: { name: "X", path: "spec.replicas", type: "object" }, reason: /type "object"/ },
  ])("refuses the column $column", ({ column, reason }) => {
    expect(problemsOf(() => define({ spec, printerColumns: [column as never] }))).toEqual([
      ["printerColumns[0]", expect.stringMatching(reason)],
    ]);
  });

  test("the scale subresource is written with its paths", () => {
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: "status.replicas", labelSelectorPath: ".status.selector" };
    expect(versionOf(define({ spec, status, scale })).subresources).toEqual({
      status: {},
      scale: { ...scale, statusReplicasPath: ".status.replicas" },
    });
  });

  test.for([
    { path: "specReplicasPath", scale: { specReplicasPath: ".spec.nope", statusReplicasPath: ".status.replicas" } },
    { path: "specReplicasPath", scale: { specReplicasPath: ".status.replicas", statusReplicasPath: ".status.replicas" } },
    { path: "statusReplicasPath", scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.name" } },
    {
      path: "labelSelectorPath",
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.replicas" },
    },
  ])("refuses a $path that leads elsewhere", ({ path, scale }) => {
    expect(problemsOf(() => define({ spec, status, scale })).map(([at]) => at)).toEqual([`scale.${path}`]);
  });

  test("rules of the object, the spec and the status are written", () => {
    const rule = (text: string): { rule: string; message: string } => ({ rule: text, message: "no" });
    const schema = schemaOf({
      spec: spec.meta({ "x-kubernetes-validations": [rule("a")] }),
      status,
      validations: { object: [rule("o")], spec: [rule("b")], status: [rule("s")] },
    });
    expect(schema["x-kubernetes-validations"]).toEqual([rule("o")]);
    expect(schema.properties?.["spec"]?.["x-kubernetes-validations"]).toEqual([rule("a"), rule("b")]);
    expect(schema.properties?.["status"]?.["x-kubernetes-validations"]).toEqual([rule("s")]);
    expect(problemsOf(() => define({ spec, validations: { object: [{ rule: " " }] } }))).toEqual([
      ["validations.object[0]", "a CEL rule has no text"],
    ]);
  });
});
