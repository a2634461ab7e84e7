import { defineResource, type KubernetesObject, TurnBudget } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { z } from "zod";
import { CallError } from "../call.ts";
import { SeenReasons } from "./seen-reasons.ts";
import type { AnyConversion } from "../definition.ts";
import { CONVERSION_ANNOTATION } from "./annotation.ts";
import { type Converter, converterOf } from "./converter.ts";
import { type ConvertEnv, convertReview } from "./review.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), replicas: z.int32().max(10).default(1), issuer: z.string().optional() }) },
    v1beta1: { spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1) }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});

interface Spec {
  readonly [field: string]: unknown;
}
const specOf = (object: KubernetesObject): Spec => (object as unknown as { readonly spec: Spec }).spec;
const functions: Readonly<Record<string, AnyConversion>> = {
  v1beta1: { up: (object) => ({ spec: specOf(object) }), down: (object) => ({ spec: specOf(object) }) },
  v1alpha1: {
    up: (object) => ({ spec: { host: specOf(object)["domain"], replicas: specOf(object)["size"] } }),
    down: (object) => ({ spec: { domain: specOf(object)["host"], size: specOf(object)["replicas"] } }),
  },
};
const converter = converterOf({ kind: Website, convert: functions });
const group = (version: string): string => `web.example.com/${version}`;

const hubs = Array.from({ length: 100 }, (_, i) => ({
  apiVersion: group("v1"),
  kind: "Website",
  metadata: { name: `site-${i}`, namespace: "ns", uid: String(i) },
  spec: { host: `h${i}`, replicas: 2, issuer: `ca-${i}` },
})) as unknown as readonly KubernetesObject[];

const request = (objects: readonly unknown[], version: string, uid = "u1"): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid, desiredAPIVersion: group(version), objects },
});

interface Noted {
  readonly lines: { readonly level: string; readonly data: object; readonly text: string }[];
  readonly ignored: string[];
  readonly env: ConvertEnv;
}
function noted(more: Partial<ConvertEnv> = {}): Noted {
  const lines: Noted["lines"] = [];
  const ignored: string[] = [];
  const at = (level: string) => (data: object, text: string) => void lines.push({ level, data, text });
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const onIgnored = (kind: string, name: string, reason: string): void => void ignored.push(`${kind} ${name}: ${reason}`);
  return { lines, ignored, env: { log, signal: new AbortController().signal, onIgnored, ...more } };
}

const convertAll = async (
  objects: readonly KubernetesObject[],
  version: string,
  of: Converter = converter,
): Promise<readonly KubernetesObject[]> =>
  (await convertReview(of, request(structuredClone(objects), version), noted().env)).response.convertedObjects;

const TEXT = { hub: "v1", version: "v1alpha1", kept: { spec: { issuer: "x" } }, base: { spec: {} } };

test.for([
  { name: "no JSON", text: '{"hub":', reason: "it is not JSON" },
  { name: "another form", text: '{"tls":{}}', reason: "it has another form" },
  { name: "an older hub", text: JSON.stringify({ ...TEXT, hub: "v1alpha3" }), reason: "it was written for other versions" },
  {
    name: "a hub that breaks its schema",
    text: JSON.stringify({ ...TEXT, kept: { spec: { issuer: 5 } } }),
    reason: "it leads to a Website that breaks its schema at spec.issuer",
  },
])("one of 100 stored objects has an annotation with $name, and all versions are listed", async ({ text, reason }) => {
  const stored = structuredClone(await convertAll(hubs, "v1alpha1")) as unknown as { metadata: { annotations: Record<string, string> } }[];
  const broken = stored[42];
  if (broken !== undefined) broken.metadata.annotations[CONVERSION_ANNOTATION] = text;
  const expected = hubs.map((hub, i) => (i === 42 ? { ...hub, spec: { host: "h42", replicas: 2 } } : hub));

  for (const version of ["v1", "v1beta1"]) {
    const { env, lines, ignored } = noted();
    const { response } = await convertReview(converter, request(structuredClone(stored), version), env);
    expect(response).toMatchObject({ uid: "u1", result: { status: "Success" } });
    expect(await convertAll(response.convertedObjects, "v1")).toEqual(expected);
    expect(ignored).toEqual([`Website ns/site-42: ${reason}`]);
    expect(lines.map(({ level, data }) => [level, data])).toEqual([["warn", { kind: "Website", object: "ns/site-42", reason }]]);
    expect(lines[0]?.text).toContain("Website ns/site-42");
  }
  expect((await convertAll(stored as unknown as readonly KubernetesObject[], "v1alpha1")).length).toBe(100);
});

test("a function that throws fails the review with its code and the name of the object", async () => {
  const up = (object: KubernetesObject): unknown => {
    if (specOf(object)["domain"] === "h42") throw new RangeError("s3cret is no domain");
    return functions["v1alpha1"]?.up(object);
  };
  const failing = converterOf({ kind: Website, convert: { ...functions, v1alpha1: { ...functions["v1alpha1"], up } as AnyConversion } });
  const stored = await convertAll(hubs, "v1alpha1");
  const { env, lines } = noted();
  const { response } = await convertReview(failing, request(structuredClone(stored), "v1"), env);
  const message =
    "cannot convert Website ns/site-42: convert.v1alpha1.up threw RangeError. It must accept every object and must not change it";
  expect(response).toEqual({ uid: "u1", result: { status: "Failed", message: `ERR_CONVERSION_FAILED: ${message}` }, convertedObjects: [] });
  expect(lines).toEqual([
    {
      level: "error",
      data: {
        kind: "Website",
        object: "ns/site-42",
        code: "ERR_CONVERSION_FAILED",
        error: expect.stringContaining("RangeError: s3cret is no domain") as string,
      },
      text: message,
    },
  ]);
});

test("the log has nothing of what a function throws for a kind that is cached as metadata", async () => {
  const up = (object: KubernetesObject): never => {
    throw new RangeError(`topsecret is no ${String(specOf(object)["domain"])}`);
  };
  const Vault = { ...Website, cachedAs: "metadata" as const };
  const failing = converterOf({ kind: Vault, convert: { ...functions, v1alpha1: { ...functions["v1alpha1"], up } as AnyConversion } });
  const stored = await convertAll(hubs.slice(0, 1), "v1alpha1");
  const { env, lines } = noted();
  const { response } = await convertReview(failing, request(structuredClone(stored), "v1"), env);
  const text = "cannot convert Website ns/site-0: convert.v1alpha1.up threw RangeError. It must accept every object and must not change it";
  expect(response.result).toEqual({ status: "Failed", message: `ERR_CONVERSION_FAILED: ${text}` });
  expect(lines).toEqual([{ level: "error", data: { kind: "Website", object: "ns/site-0", code: "ERR_CONVERSION_FAILED" }, text }]);
});

test("a mistake in the conversion itself shows nothing of a kind that is cached as metadata", async () => {
  const broken = (kind: typeof Website): Converter => ({
    kind,
    convert: () => {
      throw new TypeError("cannot read topsecret");
    },
  });
  const asked = async (kind: typeof Website): Promise<unknown> =>
    await convertReview(broken(kind), request(structuredClone(hubs.slice(0, 1)), "v1alpha1"), noted().env).catch((error: unknown) => error);
  expect(await asked(Website)).toMatchObject({ message: "cannot convert Website ns/site-0: cannot read topsecret" });
  const shown = (await asked({ ...Website, cachedAs: "metadata" as const })) as Error;
  expect(`${shown.stack} ${JSON.stringify(shown)} ${String(shown.cause)}`).not.toContain("topsecret");
});

test("an unknown version fails the review", async () => {
  const { response } = await convertReview(converter, request(structuredClone(hubs), "v9"), noted().env);
  expect(response.result).toEqual({
    status: "Failed",
    message:
      "ERR_UNKNOWN_VERSION: cannot convert Website ns/site-0 from web.example.com/v1 to web.example.com/v9: the operator knows Website of web.example.com in v1, v1beta1, v1alpha1",
  });
});

test("a review without objects has an empty answer", async () => {
  expect(await convertReview(converter, request([], "v1"), noted().env)).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid: "u1", result: { status: "Success" }, convertedObjects: [] },
  });
});

const V1 = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };
test.for([
  { name: "no object", body: undefined, why: "the body is not an object" },
  { name: "a list", body: [], why: "the body is not an object" },
  { name: "v1beta1", body: { ...V1, apiVersion: "apiextensions.k8s.io/v1beta1" }, why: '"apiextensions.k8s.io/v1beta1"' },
  { name: "another kind", body: { ...V1, kind: "AdmissionReview" }, why: '"AdmissionReview"' },
  { name: "no request", body: V1, why: "it has no request" },
  { name: "no uid", body: { ...V1, request: { desiredAPIVersion: "a/v1", objects: [] } }, why: "request.uid is not a text" },
  { name: "no version", body: { ...V1, request: { uid: "1", objects: [] } }, why: "request.desiredAPIVersion is not a text" },
  { name: "no objects", body: { ...V1, request: { uid: "1", desiredAPIVersion: "a/v1" } }, why: "request.objects is not a list" },
  { name: "an object that is a text", body: request(["a"], "v1"), why: "request.objects[0] is not an object with" },
  { name: "an object without metadata", body: request([hubs[0], { apiVersion: "a/v1", kind: "B" }], "v1"), why: "request.objects[1]" },
  {
    name: "annotations that are a text",
    body: request([{ apiVersion: "a/v1", kind: "B", metadata: { annotations: "x" } }], "v1"),
    why: "request.objects[0]",
  },
])("a body with $name is refused", async ({ body, why }) => {
  const refused = convertReview(converter, body, noted().env);
  await expect(refused).rejects.toThrow(CallError);
  await expect(refused).rejects.toMatchObject({ status: 400, code: "ERR_INVALID_REVIEW", message: expect.stringContaining(why) as string });
});

test("a review works in slices, between which other work runs", async () => {
  const turns = new TurnBudget({ maxPieces: 10 });
  let others = 0;
  const count = (): void => {
    others++;
    again = setImmediate(count);
  };
  let again = setImmediate(count);
  await convertReview(converter, request(structuredClone(hubs), "v1alpha1"), noted({ turns }).env);
  clearImmediate(again);
  expect(others).toBeGreaterThanOrEqual(9);
});

test("a review whose client has left ends", async () => {
  const left = new AbortController();
  const gone = new Error("the client has left");
  let converted = 0;
  const down = (object: KubernetesObject): unknown => {
    if (++converted === 20) left.abort(gone);
    return functions["v1alpha1"]?.down(object);
  };
  const counting = converterOf({ kind: Website, convert: { ...functions, v1alpha1: { ...functions["v1alpha1"], down } as AnyConversion } });
  const review = convertReview(counting, request(structuredClone(hubs), "v1alpha1"), noted({ signal: left.signal }).env);
  await expect(review).rejects.toBe(gone);
  expect(converted).toBe(20);
});

test("an object with an annotation that is ignored has one line in the log, and is counted each time", async () => {
  const { lines, ignored, env } = noted({ seen: new SeenReasons() });
  const broken = {
    apiVersion: group("v1alpha1"),
    kind: "Website",
    metadata: { name: "a", uid: "1", annotations: { "treadle.dev/conversion": "no" } },
    spec: {},
  };
  for (let i = 0; i < 3; i++) await convertReview(converter, request([structuredClone(broken)], "v1"), env);
  expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  expect(ignored).toHaveLength(3);
});

test("what was logged is remembered for a thousand objects", () => {
  const seen = new SeenReasons();
  for (let i = 0; i <= 1_000; i++) expect(seen.isNew(String(i), "x")).toBe(true);
  expect([seen.isNew("1000", "x"), seen.isNew("0", "x")]).toEqual([false, true]);
});
