/** Valid and invalid CRDs, with the answer of the real server to each. */
import type { Json, Scenario } from "../session.ts";
import { until } from "./definitions.ts";

const ALL = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE = { "content-type": "application/merge-patch+json" };

function crd(group: string, versions: readonly Json[], extra: Json = {}): Json {
  const spec = { group, scope: "Namespaced", names: { plural: "engines", kind: "Engine" }, versions, ...extra };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `engines.${group}` }, spec };
}

function version(schema: Json, more: Json = {}): Json {
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", ...schema } }, ...more };
}

/** Returns a version with the properties in the spec. */
function v(name: string, properties: Json, more: Json = {}): Json {
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return { ...version({ properties: { spec: { type: "object", properties }, status } }), name, storage: name === "v1", ...more };
}

const SAMPLE: Json = {
  a: { type: "string" },
  l: { type: "array", items: { type: "string" } },
  m: { type: "object", additionalProperties: { type: "string" } },
  n: { type: "number" },
};

function arr(items: Json, listType = "set"): Json {
  return { type: "array", items, "x-kubernetes-list-type": listType };
}

function definitionsOf(g: string): Readonly<Record<string, Json>> {
  const whole = (schema: Json): Json => crd(g, [{ ...version({}), schema: { openAPIV3Schema: schema } }]);
  const root = (a: Json, more: Json = {}): Json => crd(g, [version({ properties: { a }, ...more })]);
  const one = (more: Json): Json => crd(g, [v("v1", SAMPLE, more)]);
  const two = (more: Json, other: Json): Json => crd(g, [v("v1", SAMPLE, more), v("v2", SAMPLE, other)]);
  return {
    "no type nested": whole({ type: "object", properties: { a: {} } }),
    "non structural forbids": whole({ type: "object", properties: { a: { type: "string", anyOf: [{ type: "integer" }] } } }),
    "default bad": whole({ type: "object", properties: { a: { type: "string", default: 5 } } }),
    "default null": whole({ type: "object", properties: { a: { type: "string", default: null } } }),
    "default nested pruned": whole({ type: "object", properties: { a: { type: "object", default: { x: 1 } } } }),
    "list map no keys": whole({
      type: "object",
      properties: {
        a: { type: "array", items: { type: "object", properties: { n: { type: "string" } } }, "x-kubernetes-list-type": "map" },
      },
    }),
    "list map key optional": whole({
      type: "object",
      properties: {
        a: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    }),
    "list map key nullable": whole({
      type: "object",
      properties: {
        a: {
          type: "array",
          items: { type: "object", required: ["n"], properties: { n: { type: "string", nullable: true } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    }),
    "list map key missing": whole({
      type: "object",
      properties: {
        a: {
          type: "array",
          items: { type: "object", required: ["n"], properties: { n: { type: "string" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["m"],
        },
      },
    }),
    "set of objects": whole({
      type: "object",
      properties: { a: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" } },
    }),
    "no items": whole({ type: "object", properties: { a: { type: "array" } } }),
    "int or string with type": whole({ type: "object", properties: { a: { type: "string", "x-kubernetes-int-or-string": true } } }),
    "embedded without preserve": whole({ type: "object", properties: { a: { type: "object", "x-kubernetes-embedded-resource": true } } }),
    "additional and props": whole({
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } } },
    }),
    "metadata schema": whole({ type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } }),
    "unique items": whole({ type: "object", properties: { a: { type: "array", uniqueItems: true, items: { type: "string" } } } }),
    ref: whole({ type: "object", properties: { a: { $ref: "x" } } }),
    "unknown type": whole({ type: "object", properties: { a: { type: "text" } } }),
    "unknown format": whole({ type: "object", properties: { a: { type: "string", format: "foo" } } }),
    "enum empty": whole({ type: "object", properties: { a: { type: "string", enum: [] } } }),
    "min greater": whole({ type: "object", properties: { a: { type: "integer", minimum: 5, maximum: 3 } } }),
    "map type": whole({ type: "object", properties: { a: { type: "object", "x-kubernetes-map-type": "foo" } } }),
    "list type": whole({
      type: "object",
      properties: { a: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "foo" } },
    }),
    "x-validations both messages": whole({
      type: "object",
      properties: {
        a: { type: "string", "x-kubernetes-validations": [{ rule: "self == 'a'", message: "", reason: "X", fieldPath: ".foo" }] },
      },
    }),
    "nullable default null": whole({ type: "object", properties: { a: { type: "string", nullable: true, default: null } } }),
    "no versions": crd(g, []),
    "two storage": crd(g, [v("v1", {}), { ...v("v2", {}), storage: true }]),
    "no storage": crd(g, [{ ...v("v1", {}), storage: false }]),
    "two same": crd(g, [v("v1", {}), { ...v("v1", {}), storage: false }]),
    "bad version name": crd(g, [{ ...v("v1", {}), name: "V_1" }]),
    "none served": crd(g, [{ ...v("v1", {}), served: false }]),
    "k8s group": crd("foo.k8s.io", [v("v1", {})]),
    "k8s group approved": {
      ...crd("foo.k8s.io", [v("v1", {})]),
      metadata: { name: "engines.foo.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, x" } },
    },
    "k8s group approved bad": {
      ...crd("foo.k8s.io", [v("v1", {})]),
      metadata: { name: "engines.foo.k8s.io", annotations: { "api-approved.kubernetes.io": "bad" } },
    },
    "preserve top": crd(g, [v("v1", {})], { preserveUnknownFields: true }),
    "conversion webhook none": crd(g, [v("v1", {})], { conversion: { strategy: "Webhook" } }),
    "conversion bogus": crd(g, [v("v1", {})], { conversion: { strategy: "Foo" } }),
    "none with webhook": crd(g, [v("v1", {})], { conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } }),
    "scope bad": crd(g, [v("v1", {})], { scope: "World" }),
    "scope missing": crd(g, [v("v1", {})], { scope: undefined }),
    "names missing": crd(g, [v("v1", {})], { names: { plural: "engines" } }),
    "names case": crd(g, [v("v1", {})], { names: { plural: "engines", kind: "eng_ine", shortNames: ["A"], categories: ["B_"] } }),
    "list kind same": crd(g, [v("v1", {})], { names: { plural: "engines", kind: "Engine", listKind: "Engine" } }),
    "scale bad": crd(g, [
      v("v1", {}, { subresources: { scale: { specReplicasPath: ".status.x", statusReplicasPath: ".spec.y", labelSelectorPath: ".foo" } } }),
    ]),
    "scale fine": crd(g, [
      v("v1", {}, { subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } } }),
    ]),
    "columns bad": crd(g, [
      v(
        "v1",
        {},
        {
          additionalPrinterColumns: [
            { name: "a", type: "foo", jsonPath: "bad" },
            { name: "", type: "string", jsonPath: "" },
            { name: "b", type: "date", format: "xx", jsonPath: ".spec.x[" },
          ],
        },
      ),
    ]),
    "selectable bad": crd(g, [
      v(
        "v1",
        { a: { type: "string" }, o: { type: "object" } },
        {
          selectableFields: [
            { jsonPath: ".spec.a" },
            { jsonPath: ".spec.a" },
            { jsonPath: ".spec.o" },
            { jsonPath: ".spec.zz" },
            { jsonPath: "spec.a" },
          ],
        },
      ),
    ]),
    "selectable many": crd(g, [
      v("v1", Object.fromEntries([...Array(9)].map((_, i) => [`a${i}`, { type: "string" }])), {
        selectableFields: [...Array(9)].map((_, i) => ({ jsonPath: `.spec.a${i}` })),
      }),
    ]),
    "deprecation warning without": crd(g, [v("v1", {}, { deprecationWarning: "x" })]),
    "group wrong": { ...crd(g, [v("v1", {})]), metadata: { name: "engines.other.example.com" } },
    "group without dot": { ...crd("foo", [v("v1", {})]), metadata: { name: "engines.foo" } },
    "long name": (() => {
      const p = "e".repeat(64);
      return { ...crd(g, [v("v1", {})], { names: { plural: p, kind: "Engine" } }), metadata: { name: `${p}.${g}` } };
    })(),
    "no spec": { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `x.${g}` } },
    "status subresource with cel on status": crd(g, [v("v1", {}, { subresources: { status: {} } })]),
    "max depth default enum": whole({ type: "object", properties: { a: { type: "string", enum: ["a"], default: "b" } } }),
    "required and default": whole({ type: "object", required: ["a"], properties: { a: { type: "string", default: "b" } } }),
    "root not object": whole({ type: "array", items: { type: "string" } }),
    "root preserve": whole({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    "preserve false": whole({ type: "object", properties: { a: { type: "object", "x-kubernetes-preserve-unknown-fields": false } } }),
    not: whole({ type: "object", properties: { a: { type: "string", not: { enum: ["x"] } } } }),
    "allOf with default": whole({
      type: "object",
      properties: { a: { type: "string" } },
      allOf: [{ properties: { a: { default: "x" } } }],
    }),
    "allOf with unknown prop": whole({
      type: "object",
      properties: { a: { type: "string" } },
      allOf: [{ properties: { b: { minLength: 2 } } }],
    }),
    "set of atomic maps": root(arr({ type: "object", "x-kubernetes-map-type": "atomic" })),
    "set of granular maps": root(arr({ type: "object", "x-kubernetes-map-type": "granular" })),
    "set of lists": root(arr({ type: "array", items: { type: "string" } })),
    "set of atomic lists": root(arr(arr({ type: "string" }, "atomic"))),
    "set of sets": root(arr(arr({ type: "string" }))),
    "set nullable": root(arr({ type: "string", nullable: true })),
    "set int or string": root(arr({ "x-kubernetes-int-or-string": true })),
    "map items nullable": root({
      ...arr({ type: "object", nullable: true, required: ["n"], properties: { n: { type: "string" } } }, "map"),
      "x-kubernetes-list-map-keys": ["n"],
    }),
    "map keys twice": root({
      ...arr({ type: "object", required: ["n"], properties: { n: { type: "string" } } }, "map"),
      "x-kubernetes-list-map-keys": ["n", "n"],
    }),
    "map key default": root({
      ...arr({ type: "object", properties: { n: { type: "string", default: "x" } } }, "map"),
      "x-kubernetes-list-map-keys": ["n"],
    }),
    "int or string object": root({ type: "object", "x-kubernetes-int-or-string": true }),
    "int or string integer anyOf": root({
      type: "integer",
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
    }),
    "int or string anyOf": root({ anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true }),
    "int or string allOf": root({
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "a" }],
      "x-kubernetes-int-or-string": true,
    }),
    "int or string anyOf wrong": root({ anyOf: [{ type: "string" }, { type: "integer" }], "x-kubernetes-int-or-string": true }),
    "int or string and preserve": root({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
    "int or string and embedded": root({ "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true }),
    "items in anyOf": root({ type: "array", items: { type: "string" }, anyOf: [{ items: { minLength: 1 } }] }),
    "items in anyOf unknown": root({ type: "string", anyOf: [{ items: { minLength: 1 } }] }),
    "required of unknown in anyOf": root({ type: "object", anyOf: [{ required: ["zz"] }] }),
    "props in not unknown": root({ type: "object", not: { properties: { zz: { minLength: 1 } } } }),
    "props in allOf of preserve": root({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      allOf: [{ properties: { zz: { minLength: 1 } } }],
    }),
    "additionalProperties in anyOf": root({
      type: "object",
      additionalProperties: { type: "string" },
      anyOf: [{ additionalProperties: { minLength: 1 } }],
    }),
    "deep allOf": root(
      { type: "object", properties: { b: { type: "object", properties: { c: { type: "string" } } } } },
      { allOf: [{ properties: { a: { properties: { b: { properties: { d: {} } } } } } }] },
    ),
    "conversion none with client": crd(g, [v("v1", SAMPLE)], {
      conversion: { strategy: "None", webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: ["v1"] } },
    }),
    "conversion webhook forms": crd(g, [v("v1", SAMPLE)], {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: "http://a.b", service: { name: "a", namespace: "b" } },
          conversionReviewVersions: ["v1beta1", "v1beta1", "x_"],
        },
      },
    }),
    "conversion webhook url": crd(g, [v("v1", SAMPLE)], {
      conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "http://a.b?x" }, conversionReviewVersions: ["v2"] } },
    }),
    "conversion webhook service": crd(g, [v("v1", SAMPLE)], {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { service: { name: "", namespace: "", port: 99999, path: "a//b" } }, conversionReviewVersions: ["v1"] },
      },
    }),
    "conversion webhook no versions": crd(g, [v("v1", SAMPLE)], {
      conversion: { strategy: "Webhook", webhook: { clientConfig: { url: "https://a.b" } } },
    }),
    "conversion missing strategy": crd(g, [v("v1", SAMPLE)], { conversion: {} }),
    "two with bad scale each": two({ subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".bad.x" } } }, {}),
    "two with same bad scale": two(
      { subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".bad.x" } } },
      { subresources: { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".bad.x" } } },
    ),
    "scale missing": one({ subresources: { scale: {} } }),
    "scale bracket": one({
      subresources: { scale: { specReplicasPath: ".spec.a[0]", statusReplicasPath: ".status.a['b']", labelSelectorPath: ".status.b[0]" } },
    }),
    "columns in two": two({ additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: "x" }] }, {}),
    "columns paths": one({
      additionalPrinterColumns: [
        ".",
        ".a[",
        ".a[0]",
        ".a[?(@.b=='c')].d",
        ".a..b",
        ".a[*]",
        "{.a}",
        ".a b",
        ".metadata.annotations['x.y/z']",
        ".a\\.b",
      ].map((p, i) => ({ name: `c${i}`, type: "string", jsonPath: p })),
    }),
    "columns types": one({ additionalPrinterColumns: ["", "int", "date"].map((t, i) => ({ name: `c${i}`, type: t, jsonPath: ".a" })) }),
    "selectable forms": one({
      selectableFields: [
        ".spec.l",
        ".spec.m",
        ".spec.m.x",
        ".spec.n",
        ".spec",
        ".spec.l[0]",
        ".metadata.name",
        "",
        ".kind",
        ".spec['a']",
        ".spec.a",
      ]
        .map((p) => ({ jsonPath: p }))
        .slice(0, 8),
    }),
    "selectable forms 2": one({
      selectableFields: ["", ".kind", ".spec['a']", ".spec.a", ".apiVersion", ".metadata"].map((p) => ({ jsonPath: p })),
    }),
    "deprecation empty": one({ deprecated: true, deprecationWarning: "" }),
    "deprecation long": one({ deprecated: true, deprecationWarning: "x".repeat(257) }),
    "deprecation newline": one({ deprecated: true, deprecationWarning: "x\ny" }),
    "no schema": crd(g, [{ name: "v1", served: true, storage: true }]),
    "no schema of two": crd(g, [
      { name: "v1", served: true, storage: true },
      { ...v("v1", SAMPLE), name: "v2", storage: false },
    ]),
    "two with different schemas and bad": crd(g, [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } } },
      { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object", properties: { b: {} } } } },
    ]),
    "status openapi bad": root({ type: "integer", minimum: "x" }),
    "unknown keyword": root({ type: "integer", foo: 1, const: 3 }),
    "exclusiveMinimum number": root({ type: "integer", exclusiveMinimum: 3 }),
    "minLength negative": root({ type: "string", minLength: -1, maxLength: -2 }),
    "multipleOf zero": root({ type: "integer", multipleOf: 0 }),
    "names long": crd(g, [v("v1", SAMPLE)], {
      names: { plural: "engines", kind: "K".repeat(64), singular: "S", shortNames: ["a", "a"], categories: [""] },
    }),
    "approved url": {
      ...crd("foo.k8s.io", [v("v1", SAMPLE)]),
      metadata: { name: "engines.foo.k8s.io", annotations: { "api-approved.kubernetes.io": "https://x.y/z" } },
    },
    "approved empty": {
      ...crd("a.kubernetes.io", [v("v1", SAMPLE)]),
      metadata: { name: "engines.a.kubernetes.io", annotations: { "api-approved.kubernetes.io": "" } },
    },
    "group k8s": { ...crd("k8s.io", [v("v1", SAMPLE)]), metadata: { name: "engines.k8s.io" } },
    "group xk8s": { ...crd("xk8s.io", [v("v1", SAMPLE)]), metadata: { name: "engines.xk8s.io" } },
    "a rule of the root about what is not there": root(
      { type: "string" },
      { anyOf: [{ required: ["zz"] }], not: { properties: { q: {} } } },
    ),
    "a rule of the root about items": root(
      { type: "array", items: { type: "string" } },
      { anyOf: [{ properties: { a: { items: { minLength: 1 } } } }] },
    ),
    "selectable places": one({ selectableFields: [".spec.l[0]", ".metadata.name", ".spec.a.b"].map((jsonPath) => ({ jsonPath })) }),
  };
}

export const definitionChecks: readonly Scenario[] = [
  {
    name: "checks of definitions",
    async run({ send, namespace }) {
      const all = definitionsOf(`${namespace}.example.com`);
      for (const [step, body] of Object.entries(all)) await send(step, "POST", ALL, { query: "dryRun=All", body });
    },
  },
  {
    name: "formats that nobody knows",
    async run({ send, quietly, namespace }) {
      const group = `${namespace}.example.com`;
      const path = `${ALL}/engines.${group}`;
      const spec = (format: string, type = "string"): Json =>
        crd(group, [version({ properties: { b: { type: "string", format }, c: { type } } })])["spec"] as Json; // made above
      const isEstablished = (one: Json): boolean => JSON.stringify(one["status"]?.conditions ?? []).includes("InitialNamesAccepted");
      const write = (step: string, body: Json): Promise<Json> => send(step, "PATCH", path, { body, headers: MERGE, query: "dryRun=All" });
      await send("new", "POST", ALL, { body: { ...crd(group, []), spec: spec("foo") }, query: "dryRun=All" });
      await quietly("POST", ALL, { body: { ...crd(group, []), spec: spec("foo") } });
      await until({ quietly }, path, isEstablished);
      await write("a label", { metadata: { labels: { a: "b" } } });
      await write("another field", { spec: { versions: spec("foo", "integer")["versions"] } });
      await write("another format", { spec: { versions: spec("bar")["versions"] } });
      await write("a known format", { spec: { versions: spec("uuid")["versions"] } });
      await quietly("DELETE", path);
    },
  },
];
