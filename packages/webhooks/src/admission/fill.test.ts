import { kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { answered, failed, untyped } from "../../test/asking.ts";
import { patchIn, website } from "../../test/reviews.ts";
import type { Webhooks } from "../webhooks.ts";
import { deny } from "./deny.ts";

describe("fill", () => {
  test("a change is a patch of single fields", async () => {
    const of = untyped({
      fill(spec: { host?: string; tls?: object; paths?: string[] }, site: KubernetesObject) {
        spec.host ??= `${site.metadata.name}.example.com`;
        delete spec.tls;
        if (!spec.paths?.includes("/")) (spec.paths ??= []).push("/");
      },
    });
    const answer = await answered(of, "mutate", { object: website({ replicas: 1, tls: {}, paths: ["/a"] }) });
    expect(answer).toMatchObject({ uid: "705ab4f5", allowed: true, patchType: "JSONPatch" });
    expect(patchIn(answer)).toEqual([
      { op: "remove", path: "/spec/tls" },
      { op: "add", path: "/spec/paths/1", value: "/" },
      { op: "add", path: "/spec/host", value: "a.example.com" },
    ]);
  });

  test.for<{ name: string; of: Webhooks; object: KubernetesObject; want: unknown }>([
    { name: "no change", of: untyped({ fill: () => undefined }), object: website(), want: undefined },
    {
      name: "an absent spec",
      of: untyped({ fill: (spec: { host?: string }) => void (spec.host = "x") }),
      object: website(undefined as never, {}, { spec: undefined }),
      want: [{ op: "add", path: "/spec", value: { host: "x" } }],
    },
    {
      name: "an absent spec and no change",
      of: untyped({ fill: () => undefined }),
      object: { ...website(), spec: undefined } as KubernetesObject,
      want: undefined,
    },
    {
      name: "a spec of the wrong type",
      of: untyped({ fill: (spec: { host?: string }) => void (spec.host = "x") }),
      object: website("x" as never),
      want: undefined,
    },
    {
      name: "a kind without a spec",
      of: untyped({ fill: (map: { data?: object }) => void (map.data = { a: "b" }) }, ConfigMap),
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      want: [{ op: "add", path: "/data", value: { a: "b" } }],
    },
    {
      name: "whole: true",
      of: untyped({ whole: true, fill: (site: { metadata: { labels?: object } }) => void (site.metadata.labels = { "a/b": "c" }) }),
      object: website({ replicas: 1 }, {}, { status: { url: "x" } }),
      want: [{ op: "add", path: "/metadata/labels", value: { "a/b": "c" } }],
    },
    {
      name: "a member that is undefined",
      of: untyped({ fill: (spec: { host?: undefined }) => void (spec.host = undefined) }),
      object: website({ host: "x" }),
      want: [{ op: "remove", path: "/spec/host" }],
    },
    {
      name: "an asynchronous function",
      of: untyped({ fill: async (spec: { host?: string }) => void (spec.host = await Promise.resolve("x")) }),
      object: website({}),
      want: [{ op: "add", path: "/spec/host", value: "x" }],
    },
  ])("the patch for $name", async ({ of, object, want }) => {
    const answer = await answered(of, "mutate", { object });
    expect(answer.allowed).toBe(true);
    expect(patchIn(answer)).toEqual(want);
  });

  test.for<{ name: string; options: object; code: string; want: string }>([
    {
      name: "returns another spec instead of a change",
      options: { fill: async (spec: object) => await Promise.resolve({ ...spec, host: "a" }) },
      code: "ERR_FILL_RESULT",
      want: "fill returned an object. Change the fields of its first argument, and return nothing",
    },
    {
      name: "a result that it changes again",
      options: { fill: (spec: { paths?: string[] }) => void (spec.paths ??= []).push("/") },
      code: "ERR_NOT_AT_REST",
      want: "cannot complete Website ops/a: fill changes its own result at spec.paths",
    },
    {
      name: "a result that follows from the object",
      options: {
        fill: (spec: { replicas: number }, site: { spec: { replicas: number } }) => void (spec.replicas = site.spec.replicas + 1),
      },
      code: "ERR_NOT_AT_REST",
      want: "at spec.replicas",
    },
    {
      name: "a new name",
      options: { whole: true, fill: (site: { metadata: { name: string } }) => void (site.metadata.name = "b") },
      code: "ERR_FORBIDDEN_CHANGE",
      want: "fill changed metadata.name.",
    },
    {
      name: "a new namespace and uid",
      options: { whole: true, fill: (site: { metadata: object }) => void Object.assign(site.metadata, { namespace: "x", uid: "y" }) },
      code: "ERR_FORBIDDEN_CHANGE",
      want: "fill changed metadata.namespace, metadata.uid.",
    },
    {
      name: "a new kind",
      options: { whole: true, fill: (site: object) => void Object.assign(site, { kind: "Pod", apiVersion: "v1" }) },
      code: "ERR_FORBIDDEN_CHANGE",
      want: "fill changed apiVersion, kind.",
    },
    {
      name: "a status",
      options: { whole: true, fill: (site: object) => void Object.assign(site, { status: { url: "x" } }) },
      code: "ERR_FORBIDDEN_CHANGE",
      want: "fill changed status.",
    },
    {
      name: "removed metadata",
      options: { whole: true, fill: (site: { metadata?: object }) => void delete site.metadata },
      code: "ERR_FORBIDDEN_CHANGE",
      want: "fill changed metadata.name, metadata.namespace.",
    },
    {
      name: "a number that is not finite",
      options: { fill: (spec: object) => void Object.assign(spec, { replicas: Number.NaN }) },
      code: "ERR_NOT_JSON",
      want: 'the number NaN at "spec.replicas"',
    },
    {
      name: "undefined in a list",
      options: { fill: (spec: object) => void Object.assign(spec, { paths: ["/a", undefined] }) },
      code: "ERR_NOT_JSON",
      want: 'undefined in a list at "spec.paths[1]"',
    },
    {
      name: "a hole in a list of an object",
      options: {
        whole: true,
        fill: ({ metadata }: { metadata: object }) => void Object.assign(metadata, { ownerReferences: [{ names: [, "b"] }] }), // oxlint-disable-line no-sparse-arrays -- what authors may do
      },
      code: "ERR_NOT_JSON",
      want: 'undefined in a list at "metadata.ownerReferences[0].names[0]"',
    },
    {
      name: "a function",
      options: { fill: (spec: object) => void Object.assign(spec, { host: () => "x" }) },
      code: "ERR_NOT_JSON",
      want: "a function",
    },
    {
      name: "a Map",
      options: { fill: (spec: object) => void Object.assign(spec, { tls: new Map() }) },
      code: "ERR_NOT_JSON",
      want: 'an instance of Map at "spec.tls"',
    },
    {
      name: "a bigint",
      options: { fill: (spec: object) => void Object.assign(spec, { replicas: 1n }) },
      code: "ERR_NOT_JSON",
      want: "a bigint",
    },
    {
      name: "a promise",
      options: { fill: (spec: object) => void Object.assign(spec, { host: Promise.reject(new Error("late")) }) },
      code: "ERR_NOT_JSON",
      want: 'a promise at "spec.host"',
    },
    {
      name: "a draft with a promise whose function throws",
      options: {
        fill(spec: object) {
          Object.assign(spec, { host: Promise.reject(new Error("late")) });
          throw new Error("boom");
        },
      },
      code: "ERR_FUNCTION_FAILED",
      want: "boom",
    },
    {
      name: "a regular expression",
      options: { fill: (spec: object) => void Object.assign(spec, { tls: /x/ }) },
      code: "ERR_NOT_JSON",
      want: 'an instance of RegExp at "spec.tls"',
    },
    {
      name: "a date that is not valid",
      options: { fill: (spec: object) => void Object.assign(spec, { host: new Date(Number.NaN) }) },
      code: "ERR_NOT_JSON",
      want: 'a date that is not valid at "spec.host"',
    },
    {
      name: "a circle",
      options: { fill: (spec: object) => void Object.assign(spec, { tls: spec }) },
      code: "ERR_NOT_JSON",
      want: "a circle",
    },
    {
      name: "a write to the object",
      options: { fill: (_: object, site: { spec: { host?: string } }) => void (site.spec.host = "x") },
      code: "ERR_FUNCTION_FAILED",
      want: "TypeError: Cannot add property host, object is not extensible",
    },
  ])("$name is HTTP 500", async ({ options, code, want }) => {
    const error = await failed(untyped(options), "mutate", { object: website() });
    expect(error).toMatchObject({ status: 500, code });
    expect(error.message).toContain(want);
  });

  test("an object of a kind of others without a spec is HTTP 500, because its draft is not known", async () => {
    const of = untyped({ fill: () => undefined }, kind({ group: "x.example.com", version: "v1", kind: "Thing" }));
    const object = { apiVersion: "x.example.com/v1", kind: "Thing", metadata: { name: "a" } };
    expect(await failed(of, "mutate", { object })).toMatchObject({
      code: "ERR_NO_SPEC",
      message: expect.stringContaining("Set whole: true") as string,
    });
  });

  test.for(["DELETE", "CONNECT"])("%s has no patch, because fill is not asked", async (operation) => {
    const of = untyped({ on: ["CREATE", "DELETE", "CONNECT"], fill: () => deny("asked"), problems: () => [] });
    expect(await answered(of, "mutate", { operation, object: website(), oldObject: website() })).toEqual({
      uid: "705ab4f5",
      allowed: true,
    });
  });

  test("a fill that is never asked is refused at definition", () => {
    expect(() => untyped({ on: ["DELETE"], fill: () => undefined })).toThrow("it is never asked for DELETE and CONNECT");
  });

  test("an update that leaves the spec as it was is not completed", async () => {
    // The host of a stored object may not change. A user who sets a label must not change it.
    const of = untyped({ fill: (spec: { host?: string }) => void (spec.host ??= "x") });
    const request = { operation: "UPDATE", object: website({}, { labels: {} }), oldObject: website({}) };
    expect(await answered(of, "mutate", request)).toEqual({ uid: "705ab4f5", allowed: true });
  });

  test("an object that breaks its schema gets the problems of the schema where fill throws", async () => {
    const of = untyped({ fill: (spec: { host: string }) => void spec.host.toLowerCase() });
    const answer = await answered(of, "mutate", { object: website({ host: 7 }) });
    expect(answer.allowed).toBe(false);
    expect(answer.status).toMatchObject({ code: 422, details: { causes: [{ field: "spec.host" }] } });
  });
});
