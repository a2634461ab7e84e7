/**
 * Properties of all schemas that defineResource allows:
 * 1. The schema in the CRD is structural: types everywhere, defaults valid and not pruned, patterns that RE2 compiles.
 * 2. The modelled server (server-model.ts) accepts exactly the values that zod accepts.
 * 3. The stored value is the value that zod returns: the same defaults are set, and the same fields are dropped.
 * 4. A stored value fits the schema when it is read back.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { crdOf, defineResource, jsonEqual, type JsonSchema, type KubernetesObject } from "@treadle/apimachinery";
import { acceptor, stored, structuralProblems } from "./server-model.ts";

/** A schema and values for it: mostly good ones, some bad. */
interface Sample {
  /** Without it, a counterexample would print zod's internals. */
  readonly [fc.toStringMethod]?: () => string;
  readonly schema: z.ZodType;
  readonly good: fc.Arbitrary<unknown>;
  readonly values: fc.Arbitrary<unknown>;
  /** An enum of numbers or booleans cannot be nullable. */
  readonly isNeverNull?: boolean;
}

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "a",
    "ab",
    "red",
    "a1",
    "-",
    0,
    1,
    2,
    3,
    2.5,
    -1,
    2 ** 31,
    2 ** 32,
    true,
    false,
    [],
    ["a"],
    {},
    { a: 1 },
    { a: "x" },
  ),
);
const sample = (schema: z.ZodType, good: fc.Arbitrary<unknown>): Sample => ({
  schema,
  good,
  [fc.toStringMethod]: () => "a sample",
  values: fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: anything }),
});

const text = fc.constantFrom("", "a", "ab", "abc", "abcd", "A", "a.b", "a\nb", "x y", "0", "a1");
const addresses = fc.oneof(
  fc.ipV6(),
  fc.constantFrom("::", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8"),
  fc.constantFrom("fe80::1%eth0", "1.2.3.4", "::01.2.3.4", "1:2:3:4:5:6:7::8", ":::", "1:2:3:4:5:6:7", "::1\n", "12345::"),
);
const leaves: readonly Sample[] = [
  sample(z.string(), text),
  sample(z.string().min(1).max(3), text),
  sample(z.string().length(2), text),
  sample(
    z
      .string()
      .nonempty()
      .regex(/^[a-c]+$/),
    text,
  ),
  sample(
    z
      .string()
      .regex(/^\w/)
      .regex(/[\d.]$/),
    text,
  ),
  sample(z.string().regex(/^a.b$/), text),
  sample(z.string().regex(/\s/), text),
  sample(z.string().startsWith("a."), text),
  sample(z.string().endsWith("b").includes("a"), text),
  sample(z.string().lowercase(), text),
  sample(z.string().uppercase(), text),
  sample(z.email(), fc.constantFrom("a@b.co", "a@b", "a..b@c.de", "o'x@y.org")),
  sample(z.uuid(), fc.constantFrom("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-92d3-a456-426614174000", "x")),
  sample(z.guid(), fc.constantFrom("123e4567-e89b-92d3-0456-426614174000", "x")),
  sample(z.ipv4(), fc.constantFrom("1.2.3.4", "256.1.1.1", "01.2.3.4")),
  sample(z.ipv6(), fc.constantFrom("::1", "1::2", "g::", "1.2.3.4")),
  sample(z.cidrv4(), fc.constantFrom("1.2.3.0/24", "1.2.3.0/33", "1.2.3.0")),
  sample(z.mac(), fc.constantFrom("00:11:22:33:44:55", "00-11", "0011.2233.4455")),
  sample(
    z.iso.datetime(),
    fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00+01:00", "2024-02-29T23:59:59.5Z"),
  ),
  sample(z.iso.datetime({ offset: true }), fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "2026-01-01")),
  sample(z.iso.date(), fc.constantFrom("2026-01-01", "2026-02-30", "2024-02-29")),
  sample(z.iso.time(), fc.constantFrom("10:00:00", "25:00:00", "10:00")),
  sample(z.base64(), fc.constantFrom("", "YQ==", "YWI=", "YWJj", "YQ=", "YQ", "Y===")),
  sample(z.base64url(), fc.constantFrom("", "YQ", "YWJj", "Y", "Y+Q")),
  sample(z.hostname(), fc.constantFrom("a.example.com", "-a.b", "a", "")),
  sample(z.e164(), fc.constantFrom("+4912345678", "+0123", "12")),
  sample(z.nanoid(), fc.constantFrom("abcdefghijklmnopqrstu", "x")),
  sample(z.templateLiteral(["a", z.number()]), fc.constantFrom("a1", "a", "a2.5", "b1", "a-1")),
  // the server refuses texts that zod would trim; see the test of formats
  sample(z.url(), fc.constantFrom("https://a.b/c?d#e", "mailto:x@y.z", "/path", "x", "")),
  sample(z.base64(), fc.constantFrom("", "YQ==", "YQ", "YWJj")),
  sample(z.ipv6(), addresses),
  sample(
    z.cidrv6(),
    fc.tuple(addresses, fc.constantFrom("", "/0", "/64", "/128", "/129", "/064")).map((parts) => parts.join("")),
  ),
  sample(z.number(), fc.constantFrom(0, -1.5, 2 ** 60)),
  sample(z.int(), fc.constantFrom(0, 1.5, 2 ** 53, -(2 ** 53), 7)),
  sample(z.int32(), fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1)),
  sample(z.uint32(), fc.constantFrom(0, -1, 2 ** 32 - 1, 2 ** 32)),
  sample(z.float32(), fc.constantFrom(0.5, 0, 1, -5, 1e39)),
  sample(z.number().max(2 ** 63), fc.constantFrom(0, 1, 1e19, 1.5)),
  sample(z.number().min(-1e308).max(1e19), fc.constantFrom(0, 1, 1e20, -1e308)),
  sample(z.number().min(0.5), fc.constantFrom(0, 0.4, 0.5, 1)),
  sample(z.number().min(2.5), fc.constantFrom(2, 2.5, 3)),
  sample(z.number().lt(1.5), fc.constantFrom(1, 1.4, 1.5, 2)),
  sample(z.number().gt(-0.5), fc.constantFrom(0, -1, -0.5)),
  sample(z.int().min(0.5).lt(2.5), fc.constantFrom(0, 1, 2, 3)),
  sample(z.int().gt(-0.5).max(3.5), fc.constantFrom(-1, 0, 3, 4)),
  sample(z.union([z.int().min(0.5), z.string()]), fc.constantFrom(0, 1, "a")),
  sample(z.number().gt(1).lte(5), fc.constantFrom(1, 1.5, 5, 5.5)),
  sample(z.number().positive().multipleOf(3).multipleOf(2), fc.constantFrom(0, 2, 3, 6, 12)),
  sample(z.int().min(2).gt(2).max(9).lt(9), fc.constantFrom(2, 3, 8, 9)),
  sample(z.int32().min(0), fc.constantFrom(-1, 0, 2 ** 31)),
  sample(z.boolean(), fc.boolean()),
  sample(z.enum(["red", "blue"]), fc.constantFrom("red", "green")),
  { ...sample(z.enum({ a: 1, b: 2.5 } as const), fc.constantFrom(1, 2.5, 2)), isNeverNull: true },
  sample(z.literal("a"), fc.constantFrom("a", "b")),
  { ...sample(z.literal([1, 2]), fc.constantFrom(1, 2, 3)), isNeverNull: true },
  { ...sample(z.literal(true), fc.boolean()), isNeverNull: true },
  sample(z.union([z.literal("a"), z.enum(["ab", "x.y"])]), fc.constantFrom("a", "ab", "x.y", "xzy")),
  sample(z.union([z.literal("a"), z.enum(["ab", "x.y"])]).nullable(), fc.constantFrom("a", "x.y", "xzy", null)),
  sample(z.union([z.string(), z.null()]), fc.constantFrom("a", null)),
  sample(z.union([z.int(), z.string()]), fc.constantFrom(1, "a", 1.5)),
  sample(z.union([z.string().regex(/^\d+%$/), z.int().min(1).max(65535)]), fc.constantFrom(1, 0, 65536, "5%", "x")),
  sample(z.union([z.int32(), z.string(), z.null()]), fc.constantFrom(1, 2 ** 40, "a", null)),
];

const leaf = fc.constantFrom(...leaves);

/** Adds a wrapper that every schema may have and that does not change the accepted values. */
const decorated = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(inner, fc.constantFrom("none", "describe", "readonly", "brand", "nullable", "lazy", "meta")).map(([one, kind]) => {
    switch (kind) {
      case "describe":
        return { ...one, schema: one.schema.describe("text") };
      case "readonly":
        return { ...one, schema: one.schema.readonly() };
      case "brand":
        return { ...one, schema: one.schema.brand("B") };
      case "lazy":
        return { ...one, schema: z.lazy(() => one.schema) };
      case "meta":
        return { ...one, schema: one.schema.meta({ title: "t" }) };
      default:
        return one;
    }
  });

const withNull = (one: Sample): Sample =>
  one.isNeverNull === true
    ? one
    : {
        ...one,
        schema: one.schema.nullable(),
        good: fc.oneof(one.good, fc.constant(null)),
        values: fc.oneof(one.values, fc.constant(null)),
      };

const { node } = fc.letrec<{ node: Sample }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: decorated(leaf) },
    { weight: 1, arbitrary: decorated(leaf).map(withNull) },
    { weight: 2, arbitrary: decorated(tie("node").chain(listOf)) },
    { weight: 3, arbitrary: decorated(objectOf(tie("node"))) },
    { weight: 2, arbitrary: decorated(tie("node").chain(mapOf)) },
  ),
}));

function listOf(element: Sample): fc.Arbitrary<Sample> {
  return fc.tuple(fc.option(fc.nat(2)), fc.option(fc.integer({ min: 2, max: 3 }))).map(([min, max]) => {
    let schema = z.array(element.schema);
    if (min !== null) schema = schema.min(min);
    if (max !== null) schema = schema.max(max);
    return {
      ...sample(schema, fc.array(element.good, { maxLength: 3 })),
      values: fc.oneof(fc.array(element.values, { maxLength: 3 }), anything),
    };
  });
}

function mapOf(value: Sample): fc.Arbitrary<Sample> {
  const keys = fc.constantFrom("k1", "k2", "constructor");
  const fixed = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.record({ k1: inner, k2: inner }, { requiredKeys: [] });
  return fc.constantFrom(
    { ...sample(z.record(z.string(), value.schema), fc.dictionary(keys, value.good)), values: fc.dictionary(keys, value.values) },
    { ...sample(z.record(z.enum(["k1", "k2"]), value.schema), fixed(value.good)), values: fixed(value.values) },
    { ...sample(z.partialRecord(z.enum(["k1", "k2"]), value.schema), fixed(value.good)), values: fixed(value.values) },
  );
}

type Presence = "required" | "optional" | "default" | "default optional" | "prefault" | "optional nonoptional";

function objectOf(field: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const presence = fc.constantFrom<Presence>("required", "optional", "default", "default optional", "prefault", "optional nonoptional");
  const fields = fc.dictionary(fc.constantFrom("a", "b", "x-y", "size"), fc.tuple(field, presence, fc.nat()), { minKeys: 1, maxKeys: 3 });
  return fields.map((shape) => {
    const entries = Object.entries(shape).map(([name, [one, how, seed]]) => [name, one, present(one, how, seed)] as const);
    const record = (pick: (one: Sample) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.record(
        { ...Object.fromEntries(entries.map(([name, one]) => [name, pick(one)])), unknownField: fc.constant("x") },
        { requiredKeys: [] },
      );
    const schema = z.object(Object.fromEntries(entries.map(([name, , made]) => [name, made])));
    return {
      ...sample(
        schema,
        record((one) => one.good),
      ),
      values: fc.oneof({ weight: 4, arbitrary: record((one) => one.values) }, { weight: 1, arbitrary: anything }),
    };
  });
}

/** Makes a field optional in one of zod's ways. The default is a value that the schema accepts, if one is found. */
function present({ schema, good }: Sample, how: Presence, seed: number): z.ZodType {
  const candidates = fc.sample(good, { seed, numRuns: 10 }).flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [{ value, output: parsed.data }] : [];
  });
  const candidate = candidates.find(({ output }) => output !== null); // a null default is refused
  switch (how) {
    case "required":
      return schema;
    case "optional":
      return schema.optional();
    case "optional nonoptional":
      return schema.optional().nonoptional();
    case "default":
      return candidate === undefined ? schema.optional() : schema.default(candidate.output);
    case "default optional":
      return candidate === undefined ? schema.optional() : schema.default(candidate.output).optional();
    case "prefault":
      // a prefault is copied into the schema, so it must not have unknown fields
      return candidate === undefined || !jsonEqual(candidate.value, candidate.output) ? schema : schema.prefault(candidate.output);
  }
}

function specSchema(spec: z.ZodObject): { readonly root: JsonSchema; readonly problems: (object: KubernetesObject) => readonly unknown[] } {
  const kind = defineResource({ group: "property.treadle.dev", version: "v1", kind: "Sample", scope: "Cluster", spec });
  const schema = crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema;
  if (schema === undefined) throw new Error("the CRD has no schema");
  return { root: schema, problems: kind.resource.problems };
}

test("the modelled server takes, fills in and drops exactly what zod does", { tags: ["part"] }, ({ part }) => {
  const parameters = part.runs(600);
  const counts = { accepted: 0, refused: 0 };
  const root = objectOf(node).chain((one) =>
    fc.tuple(fc.constant(one), fc.array(fc.oneof(one.good, one.values), { minLength: 1, maxLength: 6 })),
  );
  fc.assert(
    fc.property(root, ([{ schema }, values]) => {
      const spec = schema as z.ZodObject; // objectOf makes nothing else
      const { root: whole, problems } = specSchema(spec);
      expect(structuralProblems(whole)).toEqual([]);
      const served = whole.properties?.["spec"] ?? {};
      const accepts = acceptor(served);
      for (const value of values) {
        const kept = stored(served, value);
        const parsed = spec.safeParse(value);
        const isAccepted = accepts(kept);
        if (isAccepted !== parsed.success)
          throw new Error(
            `zod ${parsed.success}, server ${isAccepted}: ${JSON.stringify({ value, kept, served })} ${parsed.error?.message ?? ""}`,
          );
        counts[isAccepted ? "accepted" : "refused"]++;
        if (!parsed.success) continue;
        expect(kept).toEqual(parsed.data);
        expect(
          problems({ apiVersion: "property.treadle.dev/v1", kind: "Sample", metadata: { name: "s" }, spec: kept } as KubernetesObject),
        ).toEqual([]);
      }
    }),
    parameters,
  );
  // a generator with only invalid values would prove little
  expect(counts.accepted).toBeGreaterThan(parameters.numRuns / 4);
  expect(counts.refused).toBeGreaterThan(parameters.numRuns / 4);
});

test("the modelled server and zod agree on each leaf schema, for every value", () => {
  for (const one of leaves) {
    const spec = z.object({ a: one.schema });
    const { root } = specSchema(spec);
    expect(structuralProblems(root)).toEqual([]);
    const accepts = acceptor(root.properties?.["spec"] ?? {});
    for (const a of new Set([...fc.sample(one.good, { seed: 1, numRuns: 60 }), ...fc.sample(anything, { seed: 1, numRuns: 60 })])) {
      expect({ schema: root.properties?.["spec"], a, accepts: accepts({ a }) }).toEqual({
        schema: root.properties?.["spec"],
        a,
        accepts: spec.safeParse({ a }).success,
      });
    }
  }
});
