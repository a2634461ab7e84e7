import { ConfigMap, Deployment, Job } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { readPolicies } from "./policies/annotations.ts";
import { object } from "./object.ts";
import { readManifest } from "./plan/read-manifest.ts";

describe("object", () => {
  test("an object has the type of its kind, and its policies as annotations", () => {
    const body = { metadata: { name: "migrate", namespace: "a", annotations: { note: "x" } }, spec: { template: {} } };
    expect(object(Job, body, { apply: 1, reconcile: "once", purge: 1 })).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: "migrate",
        namespace: "a",
        annotations: {
          note: "x",
          "treadle.dev/apply-order": "1",
          "treadle.dev/reconcile-policy": "once",
          "treadle.dev/purge-order": "1",
        },
      },
      spec: { template: {} },
    });
    expect(body.metadata.annotations).toEqual({ note: "x" });
  });

  test("an object without policies has no annotations", () => {
    expect(object(ConfigMap, { metadata: { name: "a" }, data: { a: "1" } })).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { a: "1" },
    });
  });

  test("objects refer to one another by after", () => {
    const config = object(ConfigMap, { metadata: { name: "a" } });
    const web = object(Deployment, { metadata: { name: "web" } }, { after: [config, "Job.batch/migrate"] });
    expect(readPolicies(web.metadata.annotations, { prefixes: [] }).policies).toEqual({ after: ["ConfigMap/a", "Job.batch/migrate"] });
  });

  test.for<{ readonly name: string; readonly call: () => unknown; readonly message: string }>([
    { name: "no kind", call: () => object(undefined as never, {} as never), message: "object() got nothing as its kind: give an object" },
    {
      name: "the name of a kind",
      call: () => object({ apiVersion: "v1", kind: "ConfigMap" } as never, {} as never),
      message: "object() got a value that is not a kind: give one, such as Deployment",
    },
    {
      name: "no body",
      call: () => object(ConfigMap, undefined as never),
      message: "object(ConfigMap) got nothing as its body: give an object",
    },
    {
      name: "a promise as body",
      call: () => object(ConfigMap, Promise.reject(new Error("boom")) as never),
      message: "object(ConfigMap) got a promise as its body: await it first",
    },
    {
      name: "a list as policies",
      call: () => object(ConfigMap, { metadata: { name: "a" } }, [] as never),
      message: "object(ConfigMap) got a list as its policies: give an object",
    },
  ])("$name is refused", ({ call, message }) => {
    expect(call).toThrow(expect.objectContaining({ name: "TypeError", code: "ERR_INVALID_STEP", message }) as Error);
  });

  test("a body without metadata is reported when the set reads the object", () => {
    expect(() => readManifest(object(ConfigMap, {} as never), "object 0")).toThrow("object 0 (ConfigMap) has nothing as metadata");
  });
});
