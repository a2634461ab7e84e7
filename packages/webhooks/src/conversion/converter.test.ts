import { apiVersionOf, defineResource, type KubernetesObject } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AnyConversion } from "../definition.ts";
import { CONVERSION_ANNOTATION } from "./annotation.ts";
import { type Converter, converterOf } from "./converter.ts";
import { ConversionError } from "./errors.ts";

const listMap = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"] };

/** v1 is the hub; v1beta1 has no tls; v1alpha1 has other names, numbers as ports, and no phase. */
const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().max(10).default(1),
        tls: z.object({ issuer: z.string(), minVersion: z.string().default("1.2") }).optional(),
        ports: z
          .array(z.object({ port: z.int32(), path: z.string().optional() }))
          .meta(listMap)
          .optional(),
        labels: z.record(z.string(), z.string()).optional(),
        token: z.string().nullable().optional(),
      }),
      status: z.object({ phase: z.string(), url: z.string() }),
    },
    v1beta1: {
      spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1), labels: z.record(z.string(), z.string()).optional() }),
      status: z.object({ phase: z.string() }),
    },
    v1alpha1: {
      spec: z.object({
        domain: z.string().optional(),
        size: z.int32().default(1),
        ports: z.array(z.int32()).meta({ "x-kubernetes-list-type": "set" }).optional(),
      }),
      status: z.object({ address: z.string() }),
    },
  },
});

type Loose = { readonly spec: any; readonly status?: any }; // oxlint-disable-line typescript/no-explicit-any -- the functions are those of untyped authors

const convert: Readonly<Record<string, AnyConversion>> = {
  v1beta1: {
    up: (object) => ({ spec: (object as unknown as Loose).spec }),
    down: (object) => ({ spec: (object as unknown as Loose).spec }),
  },
  v1alpha1: {
    up: (object) => {
      const { spec, status } = object as unknown as Loose;
      const ports = spec.ports?.map((port: number) => ({ port }));
      return { spec: { host: spec.domain, replicas: spec.size, ports }, status: status && { url: status.address } };
    },
    down: (object) => {
      const { spec, status } = object as unknown as Loose;
      const ports = spec.ports?.map(({ port }: { port: number }) => port);
      return { spec: { domain: spec.host, size: spec.replicas, ports }, status: status && { address: status.url } };
    },
  },
};
const converter = converterOf({ kind: Website, convert });

const [V1, BETA, ALPHA] = ["web.example.com/v1", "web.example.com/v1beta1", "web.example.com/v1alpha1"] as const;
const conditions = [{ type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }];

const object = (apiVersion: string, sections: object, annotations?: Record<string, string>): KubernetesObject =>
  ({
    apiVersion,
    kind: "Website",
    metadata: { name: "a", namespace: "ns", uid: "1", ...(annotations && { annotations }) },
    ...structuredClone(sections),
  }) as KubernetesObject;

/** The object as a client changes it. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test changes any field
const edited = (given: KubernetesObject, edit: (draft: any) => void): KubernetesObject => {
  const draft = structuredClone(given);
  edit(draft);
  return draft;
};
const keptIn = (given: KubernetesObject): string | undefined => given.metadata.annotations?.[CONVERSION_ANNOTATION];
const hub = object(V1, {
  spec: { host: "a.b", replicas: 3, tls: { issuer: "ca", minVersion: "1.3" }, ports: [{ port: 80, path: "/" }, { port: 81 }] },
  status: { phase: "Up", url: "https://a.b", observedGeneration: 2, conditions },
});

describe("what an object of another version has", () => {
  test("an object of another version has its fields, and the annotation has what they cannot say", () => {
    const alpha = converter.convert(hub, ALPHA);
    expect(alpha).toEqual(
      object(
        ALPHA,
        { spec: { domain: "a.b", size: 3, ports: [80, 81] }, status: { address: "https://a.b", observedGeneration: 2, conditions } },
        { [CONVERSION_ANNOTATION]: expect.any(String) as string },
      ),
    );
    expect(JSON.parse(keptIn(alpha) ?? "")).toEqual({
      hub: "v1",
      version: "v1alpha1",
      kept: { spec: { tls: { issuer: "ca", minVersion: "1.3" }, ports: [{ port: 80, path: "/" }, { port: 81 }] }, status: { phase: "Up" } },
      base: { spec: { ports: [{ port: 80 }, { port: 81 }] }, status: {} },
    });
  });

  test("an object of which nothing is lost has no annotation", () => {
    const alpha = converter.convert(object(V1, { spec: { host: "a", replicas: 2 } }), ALPHA);
    expect(alpha).toEqual(object(ALPHA, { spec: { domain: "a", size: 2 } }));
  });

  test("a default of the hub that the way back leaves out is not kept", () => {
    const only = converterOf({ kind: Website, convert: { ...convert, v1beta1: { up: () => ({ spec: {} }), down: () => ({ spec: {} }) } } });
    expect(keptIn(only.convert(object(V1, { spec: { replicas: 1 } }), BETA))).toBeUndefined();
    expect(keptIn(only.convert(object(V1, { spec: { replicas: 2 } }), BETA))).toContain('"replicas":2');
  });

  test("an annotation that a user wrote into the hub reaches no other version", () => {
    const planted = object(V1, { spec: { host: "a", replicas: 2 } }, { [CONVERSION_ANNOTATION]: "planted" });
    expect(converter.convert(planted, ALPHA).metadata).not.toHaveProperty("annotations");
  });

  test("an object in the desired version is returned as it is", () => {
    expect(converter.convert(hub, V1)).toBe(hub);
  });
});

describe("the way back to the hub", () => {
  test.for([BETA, ALPHA])("an unchanged object of %s gives the hub without the annotation", (version) => {
    expect(converter.convert(converter.convert(hub, version), V1)).toEqual(hub);
  });

  test("an object goes from one version through the hub to another, and back", () => {
    const alpha = converter.convert(hub, ALPHA);
    const beta = converter.convert(alpha, BETA);
    expect(beta).toMatchObject({ apiVersion: BETA, spec: { host: "a.b", replicas: 3 }, status: { phase: "Up", conditions } });
    expect(converter.convert(beta, ALPHA)).toEqual(alpha);
    expect(converter.convert(beta, V1)).toEqual(hub);
  });

  test("annotations of others stay", () => {
    const given = object(V1, { spec: hub["spec" as never] }, { "a/b": "c" });
    const alpha = converter.convert(given, ALPHA);
    expect(alpha.metadata.annotations).toEqual({ "a/b": "c", [CONVERSION_ANNOTATION]: expect.any(String) as string });
    expect(converter.convert(alpha, V1).metadata.annotations).toEqual({ "a/b": "c" });
  });

  test("a client's changes win, and what it cannot see stays", () => {
    const alpha = edited(converter.convert(hub, ALPHA), (draft) => {
      draft.spec.size = 5;
      delete draft.spec.domain;
      draft.spec.ports = [81, 90, 80];
      draft.metadata.labels = { a: "b" };
    });
    expect(converter.convert(alpha, V1)).toMatchObject({
      metadata: { labels: { a: "b" } },
      spec: { replicas: 5, tls: { issuer: "ca", minVersion: "1.3" }, ports: [{ port: 81 }, { port: 90 }, { port: 80, path: "/" }] },
    });
    expect(converter.convert(alpha, V1)).not.toHaveProperty("spec.host");
  });

  test("an item that the client removed is removed", () => {
    const alpha = edited(converter.convert(hub, ALPHA), (draft) => void (draft.spec.ports = [81]));
    expect(converter.convert(alpha, V1)).toMatchObject({ spec: { ports: [{ port: 81 }], tls: { issuer: "ca" } } });
  });

  test("an object without the annotation loses what only the annotation said", () => {
    const alpha = edited(converter.convert(hub, ALPHA), (draft) => void delete draft.metadata.annotations);
    expect(converter.convert(alpha, V1)).toEqual(
      object(V1, {
        spec: { host: "a.b", replicas: 3, ports: [{ port: 80 }, { port: 81 }] },
        status: { url: "https://a.b", observedGeneration: 2, conditions },
      }),
    );
  });

  test("a status that is written in another version keeps the fields that only the hub has", () => {
    const alpha = edited(converter.convert(hub, ALPHA), (draft) => void (draft.status = { address: "https://new", conditions: [] }));
    expect(converter.convert(alpha, V1)).toMatchObject({ status: { phase: "Up", url: "https://new", conditions: [] } });
  });

  test("an object that the server made without its status gets none", () => {
    const alpha = edited(converter.convert(hub, ALPHA), (draft) => void delete draft.status);
    expect(converter.convert(alpha, V1)).not.toHaveProperty("status");
  });

  test("keys of a map may have any name", () => {
    const spec = JSON.parse('{"replicas":1,"labels":{"__proto__":"a","constructor":"b"}}') as object;
    for (const version of [BETA, ALPHA]) {
      const back = converter.convert(converter.convert(object(V1, { spec }), version), V1);
      expect(JSON.stringify(back)).toContain('"labels":{"__proto__":"a","constructor":"b"}');
    }
  });
});

describe("defaults", () => {
  /** `auto` hides the replicas. The server fills in a size. */
  const Scaled = defineResource({
    group: "web.example.com",
    kind: "Website",
    scope: "Namespaced",
    versions: {
      v1: { spec: z.object({ auto: z.boolean().optional(), replicas: z.int32().default(1) }) },
      v1alpha1: { spec: z.object({ auto: z.boolean().optional(), size: z.int32().optional() }) },
      v1alpha2: { spec: z.object({ auto: z.boolean().optional(), size: z.int32().default(7) }) },
    },
  });
  const functions: AnyConversion = {
    up: (given) => {
      const { auto, size } = (given as unknown as Loose).spec;
      return { spec: { auto, replicas: size } };
    },
    down: (given) => {
      const { auto, replicas } = (given as unknown as Loose).spec;
      return { spec: auto ? { auto } : { size: replicas } };
    },
  };
  const scaled = converterOf({ kind: Scaled, convert: { v1alpha1: functions, v1alpha2: functions } });
  const five = object(V1, { spec: { auto: true, replicas: 5 } });

  test.for([true, false])("a default that the server fills in is no change of a client (filled: %s)", (isFilled) => {
    const lower = edited(scaled.convert(five, "web.example.com/v1alpha2"), (draft) => {
      draft.spec = { auto: true, ...(isFilled && { size: 7 }) };
    });
    expect(scaled.convert(lower, V1)).toEqual(five);
  });

  test("a client may set a field to the default of the hub", () => {
    const lower = edited(scaled.convert(five, ALPHA), (draft) => void (draft.spec.size = 1));
    expect(scaled.convert(lower, V1)).toEqual(object(V1, { spec: { auto: true, replicas: 1 } }));
  });

  test("a result has the defaults of its version", () => {
    expect(scaled.convert(object(ALPHA, { spec: {} }), V1)).toEqual(object(V1, { spec: { replicas: 1 } }));
    expect(scaled.convert(five, "web.example.com/v1alpha2")).toMatchObject({ spec: { auto: true, size: 7 } });
  });
});

describe("an annotation that cannot be used is ignored as a whole", () => {
  const alpha = converter.convert(hub, ALPHA);
  const text = JSON.parse(keptIn(alpha) ?? "") as object;
  const plain = converter.convert(
    edited(alpha, (draft) => void delete draft.metadata.annotations),
    V1,
  );
  const spec = { spec: {} };
  test.for([
    { name: "no JSON", given: "{", reason: "it is not JSON" },
    { name: "an empty text", given: "", reason: "it is not JSON" },
    { name: "null", given: "null", reason: "it has another form" },
    { name: "a list", given: "[]", reason: "it has another form" },
    { name: "an object of another program", given: '{"a":1}', reason: "it has another form" },
    { name: "one field more", given: { ...text, more: 1 }, reason: "it has another form" },
    { name: "parts beside spec and status", given: { ...text, kept: { metadata: {} } }, reason: "it has another form" },
    { name: "a spec that is a list", given: { ...text, kept: { spec: [] } }, reason: "it has another form" },
    { name: "an older hub", given: { ...text, hub: "v0" }, reason: "it was written for other versions" },
    { name: "another version", given: { ...text, version: "v1beta1" }, reason: "it was written for other versions" },
    {
      name: "a hub above a maximum",
      given: { ...text, kept: { spec: { replicas: 11 } }, base: { spec: { replicas: 3 } } },
      reason: "it leads to a Website that breaks its schema at spec.replicas",
    },
    {
      name: "a hub with a field of another type",
      given: { ...text, kept: { spec: { tls: "x" } }, base: spec },
      reason: "it leads to a Website that breaks its schema at spec.tls",
    },
    {
      name: "a hub without a required field",
      given: { ...text, kept: { spec: { tls: {} } }, base: spec },
      reason: "it leads to a Website that breaks its schema at spec.tls.issuer",
    },
    {
      name: "a status that breaks the schema",
      given: { ...text, kept: { ...spec, status: { phase: 5 } }, base: { ...spec, status: {} } },
      reason: "it leads to a Website that breaks its schema at status.phase",
    },
    {
      name: "conditions that break the schema",
      given: { ...text, kept: { ...spec, status: { conditions: [{ type: "x" }] } }, base: { ...spec, status: { conditions } } },
      reason: "it leads to a Website that breaks its schema at status.conditions[0].lastTransitionTime",
    },
    {
      name: "endless nesting",
      given: `{"hub":"v1","version":"v1alpha1","base":{"spec":{}},"kept":{"spec":{"token":${"[".repeat(60_000)}${"]".repeat(60_000)}}}}`,
      reason: "it is nested too deeply",
    },
  ])("$name", ({ given, reason }) => {
    const reasons: string[] = [];
    const value = typeof given === "string" ? given : JSON.stringify(given);
    const broken = edited(alpha, (draft) => void (draft.metadata.annotations[CONVERSION_ANNOTATION] = value));
    expect(converter.convert(broken, V1, (why) => void reasons.push(why))).toEqual(plain);
    expect(reasons).toEqual([reason]);
  });

  /*
   * A user who may write the object may write the annotation. Whatever it says:
   * 1. The conversion does not fail.
   * 2. The hub satisfies its schema.
   * 3. A hub that is ignored is the hub without the annotation.
   */
  test("no annotation makes a conversion fail or a hub that breaks its schema", () => {
    const names = fc.constantFrom(
      "spec",
      "status",
      "host",
      "replicas",
      "tls",
      "issuer",
      "ports",
      "port",
      "phase",
      "conditions",
      "type",
      "__proto__",
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom<unknown>(null, 1, 11, "a", true, 80) },
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(names, tie("json"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const parts = fc.record({ spec: fc.dictionary(names, json ?? fc.constant(1)), status: fc.dictionary(names, json ?? fc.constant(1)) });
    const texts = fc
      .record({ hub: fc.constant("v1"), version: fc.constant("v1alpha1"), kept: parts, base: parts })
      .map((given) => JSON.stringify(given));
    const { problems } = Website.resource;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: texts }, fc.json(), fc.string()), (value) => {
        let isIgnored = false;
        const planted = edited(alpha, (draft) => void (draft.metadata.annotations[CONVERSION_ANNOTATION] = value));
        const result = converter.convert(planted, V1, () => (isIgnored = true));
        expect(problems(result)).toEqual([]);
        expect(result.metadata).not.toHaveProperty("annotations");
        if (isIgnored) expect(result).toEqual(plain);
      }),
      { numRuns: 1000 },
    );
  });

  test("a problem that the object has without the annotation is not one of the annotation", () => {
    const old = object(V1, { spec: { replicas: 50, tls: { issuer: "ca", minVersion: "1.2" } } });
    expect(converter.convert(converter.convert(old, ALPHA), V1)).toEqual(old);
  });
});

test("an annotation over the API server's limit for an object is left out for its object alone", () => {
  const ignored: string[] = [];
  const hub = {
    apiVersion: "web.example.com/v1",
    kind: "Website",
    metadata: { name: "a", annotations: { other: "x" } },
    spec: { replicas: 1, tls: { issuer: "x".repeat(256 * 1024 - 100) } },
  };
  const lower = converterOf({ kind: Website, convert }).convert(hub, "web.example.com/v1alpha1", (reason) => ignored.push(reason));
  expect(lower.metadata.annotations).toEqual({ other: "x" });
  expect(ignored).toEqual([expect.stringContaining("over 256 KiB")]);
});

test("a value that is nested too deeply for an annotation is left out for its object alone", () => {
  const Free = defineResource({
    group: "web.example.com",
    kind: "Website",
    scope: "Namespaced",
    versions: {
      v1: { spec: z.object({ free: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }).optional() }) },
      v1alpha1: { spec: z.object({}) },
    },
  });
  const functions: AnyConversion = { up: () => ({ spec: {} }), down: () => ({ spec: {} }) };
  const free = converterOf({ kind: Free, convert: { v1alpha1: functions } });
  const reasons: string[] = [];
  const deep = JSON.parse(`{"free":${'{"a":'.repeat(9000)}1${"}".repeat(9000)}}`) as object;
  const given = { ...object(V1, {}), spec: deep } as KubernetesObject;
  expect(free.convert(given, ALPHA, (why) => void reasons.push(why))).toEqual(object(ALPHA, { spec: {} }));
  expect(reasons).toEqual(["it would be nested too deeply"]);
});

describe("failures", () => {
  const failure = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error instanceof ConversionError ? `${error.code}: ${error.message}` : error;
    }
  };
  const broken = (functions: Partial<AnyConversion>): Converter =>
    converterOf({ kind: Website, convert: { ...convert, v1alpha1: { ...convert["v1alpha1"], ...functions } as AnyConversion } });
  const secret = object(V1, { spec: { token: "s3cret" } });
  const endless: Record<string, unknown> = {};
  endless["again"] = { endless };

  test.for([
    { name: "an unknown version to", act: () => converter.convert(hub, "web.example.com/v9") },
    { name: "an unknown version from", act: () => converter.convert(object("web.example.com/v0", {}), V1) },
    { name: "another group", act: () => converter.convert(object("apps/v1", {}), V1) },
    { name: "another kind", act: () => converter.convert({ ...hub, kind: "Other" }, ALPHA) },
    { name: "a version with the name of a JavaScript member", act: () => converter.convert(hub, "constructor") },
  ])("$name is ERR_UNKNOWN_VERSION and names the object", ({ act }) => {
    expect(failure(act)).toMatch(
      /^ERR_UNKNOWN_VERSION: cannot convert \w+ ns\/a from \S+ to \S+: the operator knows Website of web\.example\.com in v1, v1beta1, v1alpha1$/,
    );
  });

  test("a function that throws is named without values of the object", () => {
    const throws = broken({
      down: (given) => {
        throw new RangeError(JSON.stringify(given));
      },
    });
    expect(failure(() => throws.convert(secret, ALPHA))).toBe(
      "ERR_CONVERSION_FAILED: cannot convert Website ns/a: convert.v1alpha1.down threw RangeError. It must accept every object and must not change it",
    );
  });

  test("a function that changes its object fails", () => {
    const changes = broken({
      down: (given) => {
        (given as unknown as Loose).spec.host = "x";
        return { spec: {} };
      },
    });
    expect(failure(() => changes.convert(secret, ALPHA))).toMatch(/convert\.v1alpha1\.down threw TypeError/);
    expect(secret).toMatchObject({ spec: { token: "s3cret" } });
  });

  test.for([
    { result: undefined, want: "no object" },
    { result: "s3cret", want: "no object" },
    { result: [], want: "no object" },
    { result: {}, want: "no spec" },
    { result: { spec: [] }, want: "no spec" },
    { result: () => Promise.reject(new Error("s3cret")), want: "a promise" },
    {
      result: () => ({ spec: { domain: Promise.reject(new Error("s3cret")), size: Promise.reject(new Error("s3cret")) } }),
      want: "a promise at spec.size",
    },
    { result: { spec: {}, status: "s3cret" }, want: "a status that is not an object" },
    { result: { spec: { at: new Date() } }, want: "an instance of a class at spec.at" },
    { result: { spec: { list: [{ f: () => 1 }] } }, want: "a function at spec.list[0].f" },
    { result: { spec: { big: 1n } }, want: "a bigint at spec.big" },
    { result: { spec: { size: Number.NaN } }, want: "a number that is not finite at spec.size" },
    { result: { spec: endless }, want: expect.stringContaining("contains itself") as string },
  ])("a result with $want is refused", ({ result, want }) => {
    const returns = broken({ up: () => (typeof result === "function" ? result() : result) });
    const text = failure(() => returns.convert(object(ALPHA, { spec: {} }), V1));
    expect(text).toMatch(/^ERR_CONVERSION_RESULT: cannot convert Website ns\/a: convert\.v1alpha1\.up returned /);
    expect(text).not.toContain("s3cret");
    if (typeof want === "string") expect(text).toContain(`returned ${want}. It must return { spec } or { spec, status }`);
    else expect(text).toEqual(want);
  });

  test("the API versions are those of the kind", () => {
    expect([Website, Website.versions.v1beta1, Website.versions.v1alpha1].map(apiVersionOf)).toEqual([V1, BETA, ALPHA]);
  });
});

describe("a pattern that is slow in JavaScript", () => {
  const Coupon = defineResource({
    group: "web.example.com",
    kind: "Coupon",
    scope: "Namespaced",
    versions: {
      v1: {
        spec: z.object({
          code: z
            .string()
            .regex(/^(a+)+$/)
            .optional(),
          words: z
            .string()
            .regex(/^a*a*a*a*$/)
            .optional(),
          certificate: z.base64().optional(),
        }),
        status: z.object({
          note: z
            .string()
            .regex(/^(b+)+$/)
            .optional(),
        }),
      },
      v1alpha1: { spec: z.object({ text: z.string().optional() }) },
    },
  });
  const coupons = converterOf({
    kind: Coupon,
    convert: {
      v1alpha1: {
        up: (given) => ({ spec: { code: (given as unknown as Loose).spec.text } }),
        down: (given) => ({ spec: { text: (given as unknown as Loose).spec.code } }),
      },
    },
  });
  const up = (spec: object, kept: object, reasons: string[] = []) =>
    coupons.convert(
      {
        apiVersion: ALPHA,
        kind: "Coupon",
        metadata: {
          name: "a",
          annotations: { [CONVERSION_ANNOTATION]: JSON.stringify({ hub: "v1", version: "v1alpha1", kept, base: { spec: {} } }) },
        },
        spec,
      } as KubernetesObject,
      V1,
      (reason) => void reasons.push(reason),
    );

  test.for([
    { name: "an exponential pattern and a short text", spec: {}, kept: { spec: { code: `${"a".repeat(60)}!` } } },
    { name: "a polynomial pattern and a text of 200 KB", spec: {}, kept: { spec: { words: `${"a".repeat(200_000)}!` } } },
    { name: "a pattern of the status", spec: {}, kept: { spec: {}, status: { note: `${"b".repeat(60)}!` } } },
    { name: "a text of the client itself", spec: { text: `${"a".repeat(60)}!` }, kept: { spec: {} } },
  ])("$name: the annotation is ignored soon", ({ spec, kept }) => {
    const reasons: string[] = [];
    const result = up(spec, kept, reasons) as unknown as Loose;
    expect(reasons).toEqual(["the patterns in the schema of Coupon take too long for its texts"]);
    expect(result.spec).toEqual("text" in spec ? { code: spec.text } : {});
  });

  test("a long text that its pattern accepts is restored", () => {
    const reasons: string[] = [];
    const certificate = "QUFB".repeat(40_000);
    expect(up({ text: "aaa" }, { spec: { certificate } }, reasons)).toMatchObject({ spec: { code: "aaa", certificate } });
    expect(reasons).toEqual([]);
  });
});

test("a client reads a list as it wrote it, and a second write of the same list changes nothing", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 5 }));
  const ports = fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 5 }), path: fc.constantFrom("/a", "/b") }), {
    selector: ({ port }) => port,
  });
  fc.assert(
    fc.property(ports, numbers, (stored, written) => {
      const seen = converter.convert(object(V1, { spec: { ports: stored } }), ALPHA) as KubernetesObject & Loose;
      const hub = converter.convert({ ...seen, spec: { ...seen.spec, ports: written } } as KubernetesObject, V1);
      const read = converter.convert(hub, ALPHA) as KubernetesObject & Loose;
      expect(read.spec.ports).toEqual(written);
      expect(converter.convert({ ...read, spec: { ...read.spec, ports: written } } as KubernetesObject, V1)).toEqual(hub);
    }),
  );
});
