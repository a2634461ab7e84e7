import { describe, expect, test } from "vitest";
import { readManifest } from "./read-manifest.ts";

const WHERE = `step "stack": object 3`;
const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const named = (metadata: object) => ({ ...config, metadata: { name: "a", ...metadata } });
const circle: Record<string, unknown> = { ...config };
circle["data"] = { circle };

describe("readManifest", () => {
  test("an object is returned as JSON, with the metadata that an author chooses", () => {
    const given = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        namespace: "a",
        generateName: "",
        labels: { app: "web" },
        annotations: { note: "x" },
        finalizers: ["example.dev/keep"],
        uid: "1",
        resourceVersion: "2",
        creationTimestamp: null,
        managedFields: [],
      },
      spec: { replicas: 1, paused: undefined, at: new Date(0) },
    };
    expect(readManifest(given, WHERE)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        namespace: "a",
        labels: { app: "web" },
        annotations: { note: "x" },
        finalizers: ["example.dev/keep"],
      },
      spec: { replicas: 1, at: "1970-01-01T00:00:00.000Z" },
    });
  });

  test.for([
    { name: "empty members of YAML", given: named({ namespace: null, labels: null, annotations: null, finalizers: null }) },
    { name: "an empty namespace", given: named({ namespace: "" }) },
  ])("$name count as absent", ({ given }) => {
    expect(readManifest(given, WHERE)).toEqual(config);
  });

  test("a name of RBAC may have colons", () => {
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "system:my:role" } };
    expect(readManifest(role, WHERE)).toEqual(role);
  });

  test("a kind whose objects have items is not a list", () => {
    const menu = { apiVersion: "example.dev/v1", kind: "Menu", metadata: { name: "a" }, items: [] };
    expect(readManifest(menu, WHERE)).toEqual(menu);
  });

  const thrower = {
    ...config,
    get data(): never {
      throw new Error("boom");
    },
  };
  test.for<{ readonly name: string; readonly given: unknown; readonly message: string }>([
    { name: "a promise", given: Promise.resolve(config), message: "is a promise: await it before it is returned" },
    { name: "a nested list", given: [config], message: "is a list: return one flat list, such as by flatMap() or `...objects`" },
    { name: "undefined", given: undefined, message: "is nothing: leave out what is not desired, such as by `...(isOn ? [object] : [])`" },
    { name: "false", given: false, message: "is false: leave out what is not desired, such as by `...(isOn ? [object] : [])`" },
    { name: "null", given: null, message: "is null: leave out what is not desired, such as by `...(isOn ? [object] : [])`" },
    { name: "a text", given: "kind: ConfigMap", message: "is a string: return objects with apiVersion, kind and metadata" },
    { name: "a function", given: () => config, message: "is a function: return objects with apiVersion, kind and metadata" },
    { name: "a circle", given: circle, message: "(ConfigMap a) holds at data.circle itself, a circle, which is not JSON" },
    {
      name: "a bigint",
      given: { ...config, spec: { n: 1n } },
      message: "(ConfigMap a) holds at spec.n a bigint, which is not JSON",
    },
    {
      name: "a promise inside",
      given: { ...config, data: Promise.resolve({}) },
      message: "(ConfigMap a) holds at data a Promise, not a plain object, which is not JSON",
    },
    { name: "a Map", given: new Map(), message: "is a Map, not a plain object, which is not JSON" },
    { name: "a getter that throws", given: thrower, message: "(ConfigMap a) threw: boom" },
    {
      name: "no apiVersion",
      given: { kind: "ConfigMap", metadata: { name: "a" } },
      message: `(ConfigMap a) has nothing as apiVersion: set it, such as "apps/v1"`,
    },
    {
      name: "no kind",
      given: { apiVersion: "v1", metadata: { name: "a" } },
      message: `(a) has nothing as kind: set it, such as "Deployment"`,
    },
    { name: "a kind that is a number", given: { ...config, kind: 7 }, message: `(a) has 7 as kind: set it, such as "Deployment"` },
    {
      name: "a kind with a slash",
      given: { ...config, kind: "a/b" },
      message: `(a/b a) has "a/b" as kind: write a name such as "Deployment"`,
    },
    {
      name: "a malformed apiVersion",
      given: { ...config, apiVersion: "a/b/c" },
      message: `(ConfigMap a) has "a/b/c" as apiVersion: write "version" or "group/version"`,
    },
    {
      name: "an apiVersion without a group",
      given: { ...config, apiVersion: "/v1" },
      message: `(ConfigMap a) has "/v1" as apiVersion: write "version" or "group/version"`,
    },
    {
      name: "a List",
      given: { apiVersion: "v1", kind: "List", items: [config] },
      message: "(List) is a list of objects: return its items one by one, such as `...list.items`",
    },
    {
      name: "a list of one kind",
      given: { apiVersion: "v1", kind: "ConfigMapList", metadata: {}, items: [config] },
      message: "(ConfigMapList) is a list of objects: return its items one by one, such as `...list.items`",
    },
    {
      name: "no metadata",
      given: { apiVersion: "v1", kind: "ConfigMap" },
      message: "(ConfigMap) has nothing as metadata: set metadata.name",
    },
    { name: "no name", given: { ...config, metadata: {} }, message: "(ConfigMap) has nothing as metadata.name: set it" },
    { name: "an empty name", given: named({ name: "" }), message: '(ConfigMap) has "" as metadata.name: set it' },
    { name: "a name that is a number", given: named({ name: 1 }), message: "(ConfigMap) has 1 as metadata.name: set it" },
    {
      name: "a name with a slash",
      given: named({ name: "a/b" }),
      message: `(ConfigMap a/b) has "a/b" as metadata.name: write at most 253 characters, without "/", "%" and white space`,
    },
    {
      name: "generateName",
      given: { ...config, metadata: { generateName: "a-" } },
      message: "(ConfigMap) has metadata.generateName: set metadata.name, so that each pass finds the same object",
    },
    {
      name: "a namespace that is a number",
      given: named({ namespace: 1 }),
      message: "(ConfigMap a) has 1 as metadata.namespace: write a text",
    },
    {
      name: "a label that is a number",
      given: named({ labels: { version: 1 } }),
      message: `(ConfigMap a) has a number in metadata.labels as "version": write a text, in YAML with quotes`,
    },
    {
      name: "an annotation that is null",
      given: named({ namespace: "b", annotations: { note: null } }),
      message: `(ConfigMap b/a) has null in metadata.annotations as "note": write a text, in YAML with quotes`,
    },
    {
      name: "labels that are a list",
      given: named({ labels: ["a"] }),
      message: "(ConfigMap a) has a list as metadata.labels: write an object of texts",
    },
    {
      name: "finalizers that are a text",
      given: named({ finalizers: "x" }),
      message: "(ConfigMap a) has metadata.finalizers that are not a list of texts",
    },
  ])("$name is refused", ({ given, message }) => {
    const call = () => readManifest(given, WHERE);
    expect(call).toThrow(expect.objectContaining({ message: `${WHERE} ${message}` }) as Error);
  });

  test("a mistake has the code of a mistake in a step", () => {
    expect(() => readManifest(7, WHERE)).toThrow(expect.objectContaining({ name: "TypeError", code: "ERR_INVALID_STEP" }) as Error);
  });

  test("an invalid namespace is refused with the rule", () => {
    expect(() => readManifest(named({ namespace: "A_b" }), WHERE)).toThrow(`${WHERE} (ConfigMap A_b/a) has "A_b" as metadata.namespace: `);
  });

  test("a promise that rejects later ends no process", () => {
    expect(() => readManifest(Promise.reject(new Error("boom")), WHERE)).toThrow("is a promise");
  });
});
