import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { toYaml } from "./to-yaml.ts";

const readBack = (text: string, version: "1.1" | "1.2"): unknown =>
  parseAllDocuments(text, { version, merge: true }).map((document) => document.toJS() as unknown);

test("objects are documents with their identity first, and the other keys sorted", () => {
  const objects = [
    {
      data: { b: "1", a: "2", 10: "3", 9: "4" },
      metadata: { labels: { z: "1", a: "2" }, namespace: "default", name: "shop" },
      kind: "ConfigMap",
      apiVersion: "v1",
    },
    {
      spec: { template: { spec: { containers: [{ image: "web:1", args: ["b", "a"], name: "web" }] }, metadata: {} }, replicas: 0 },
      automount: false,
      metadata: { name: "shop" },
      apiVersion: "apps/v1",
      kind: "Deployment",
    },
  ];
  expect(toYaml(objects)).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: shop
  namespace: default
  labels:
    a: "2"
    z: "1"
data:
  "10": "3"
  "9": "4"
  a: "2"
  b: "1"
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 0
  template:
    metadata: {}
    spec:
      containers:
        - name: web
          args:
            - b
            - a
          image: web:1
automount: false
`);
});

test("equal objects give equal text, whatever the order of their keys", () => {
  expect(toYaml([{ kind: "A", spec: { b: 1, a: { d: 1, c: [] } } }])).toBe(toYaml([{ spec: { a: { c: [], d: 1 }, b: 1 }, kind: "A" }]));
});

test("fields that say nothing are left out, and other empty values stay", () => {
  const object = {
    kind: "Pod",
    metadata: { name: "a", labels: {}, annotations: undefined, finalizers: [], creationTimestamp: null },
    spec: { volumes: [{ name: "tmp", emptyDir: {} }], paused: false, replicas: 0, text: "", list: [], none: null, gone: undefined },
    status: {},
  };
  expect(toYaml([object])).toBe(`kind: Pod
metadata:
  name: a
spec:
  list: []
  none: null
  paused: false
  replicas: 0
  text: ""
  volumes:
    - name: tmp
      emptyDir: {}
`);
});

test.for(["1.1", "1.2"] as const)("YAML %s reads each text as the same text", (version) => {
  const texts = ["yes", "no", "on", "OFF", "y", "N", "true", "null", "~", "", "0123", "0o17", "0x1f", "1_000", "1:30", "12:30:45"].concat(
    ["1e3", ".5", "5.", "0.10", "+1", ".inf", ".NaN", "2001-12-14", "2001-12-14T21:59:43Z", "<<", "=", "!x", "&a", "*b", "a: b", "a #b"],
    [
      " x",
      "x ",
      "-",
      "- a",
      "?",
      "%x",
      "@x",
      "`x",
      "a\n\n  b\n",
      "a\r\nb",
      "a\n",
      "\ta",
      "---",
      "...",
      "{}",
      "[]",
      "#",
      "ü",
      "x".repeat(200),
    ],
  );
  const object = { kind: "ConfigMap", data: Object.fromEntries(texts.map((text, i) => [`k${i}`, text])), list: texts };
  const keys = { kind: "ConfigMap", data: Object.fromEntries(texts.map((text) => [text, 1])) };
  expect(readBack(toYaml([object, keys]), version)).toEqual([object, keys]);
});

test("a long text stays on one line, and equal objects are written twice", () => {
  const shared = { text: `${"word ".repeat(50)}end` };
  expect(toYaml([{ a: shared, b: shared }])).toBe(`a:\n  text: ${shared.text}\nb:\n  text: ${shared.text}\n`);
});

test("no objects give a comment", () => {
  expect(toYaml([])).toBe("# No objects.\n");
  expect(readBack(toYaml([]), "1.2")).toEqual([]);
});

test("what is not JSON is refused", () => {
  expect(() => toYaml([{ data: { a: 1n } }])).toThrow(new TypeError("toYaml: a bigint is not JSON"));
  expect(() => toYaml({} as never)).toThrow(new TypeError("toYaml: give it a list of objects: toYaml(component.preview(owner))"));
});
