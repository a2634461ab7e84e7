import { kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { Node, Secret } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { inNamespaceOf, refOfRead } from "./read-refs.ts";
import { many, type OneRead, one, owned, through } from "./reads.ts";

const local: KubernetesObject = { apiVersion: "r.dev/v1", kind: "Local", metadata: { name: "me", namespace: "ns" } };
const global: KubernetesObject = { apiVersion: "r.dev/v1", kind: "Global", metadata: { name: "me" } };
const read = (of: typeof Secret | typeof Node, ref: unknown): OneRead => one(of, () => ref as Ref) as unknown as OneRead;

describe("the object that one() names", () => {
  test.for<[string, KubernetesObject, OneRead, Ref | undefined]>([
    ["a name", local, read(Secret, "s"), { name: "s", namespace: "ns" }],
    ["a reference without a namespace", local, read(Secret, { name: "s" }), { name: "s", namespace: "ns" }],
    ["a reference with one", local, read(Secret, { name: "s", namespace: "other" }), { name: "s", namespace: "other" }],
    ["an empty namespace", local, read(Secret, { name: "s", namespace: "" }), { name: "s", namespace: "ns" }],
    ["a full reference of a cluster-scoped primary", global, read(Secret, { name: "s", namespace: "x" }), { name: "s", namespace: "x" }],
    ["a cluster-scoped kind", local, read(Node, { name: "n", namespace: "ns" }), { name: "n" }],
    ["a cluster-scoped kind and primary", global, read(Node, "n"), { name: "n" }],
    ["more than a reference", local, read(Secret, { name: "s", key: "password" }), { name: "s", namespace: "ns" }],
    ["undefined", local, read(Secret, undefined), undefined],
    ["null", local, read(Secret, null), undefined],
    ["an empty name", local, read(Secret, ""), undefined],
    ["a reference without a name", local, read(Secret, {}), undefined],
    ["a reference with an empty name", local, read(Secret, { name: "" }), undefined],
  ])("%s", ([, object, given, want]) => {
    expect(refOfRead(given, object)).toEqual(want);
  });

  test("a reference without any namespace is an error that says what to return", () => {
    expect(() => refOfRead(read(Secret, "s"), global)).toThrow(
      'one(Secret) names "s" without a namespace, and Global me has none: return { name, namespace }',
    );
  });

  test("what the author's function throws is not hidden here", () => {
    const boom = new Error("boom");
    const throwing = one(Secret, () => {
      throw boom;
    }) as unknown as OneRead;
    expect(() => refOfRead(throwing, local)).toThrow(boom);
  });
});

test("a namespaced kind of a cluster-scoped primary stays without a namespace: for a list that means all", () => {
  expect(inNamespaceOf(global, kind({ group: "", version: "v1", kind: "Secret" }), { name: "" })).toEqual({ name: "" });
});

test("a read with watch: false and live: false is refused, with the fix", () => {
  const never = { live: false, watch: false } as const;
  for (const make of [() => one(Node, () => "n", never), () => many(Node, () => ({ matchLabels: {} }), never)])
    expect(make).toThrow(
      new TypeError(
        "a read of Node has watch: false and live: false: a kind without a watch can only be read live, so leave one of them out",
      ),
    );
  expect(one(Node, () => "n", { watch: false })).toMatchObject({ source: "live", watches: undefined });
});

describe("a read through another one", () => {
  const config: KubernetesObject = { apiVersion: "r.dev/v1", kind: "Config", metadata: { name: "c", namespace: "shared" } };
  const shared: KubernetesObject = { apiVersion: "r.dev/v1", kind: "Shared", metadata: { name: "c" } };
  const first = one(kind({ group: "r.dev", version: "v1", kind: "Config" }), () => "c");
  const named = (ref: unknown): OneRead =>
    one(
      Secret,
      through(first, () => ref as Ref),
    ) as unknown as OneRead;

  test.for<[string, { readonly from: KubernetesObject; readonly primary: KubernetesObject }, unknown, Ref | undefined]>([
    [
      "a name alone means the namespace of the object that names it",
      { from: config, primary: local },
      "s",
      { name: "s", namespace: "shared" },
    ],
    [
      "a name alone of a cluster-scoped object means that of the primary",
      { from: shared, primary: local },
      "s",
      { name: "s", namespace: "ns" },
    ],
    ["a full reference is kept", { from: config, primary: local }, { name: "s", namespace: "x" }, { name: "s", namespace: "x" }],
    ["undefined names nothing", { from: config, primary: local }, undefined, undefined],
  ])("%s", ([, { from, primary }, ref, want]) => {
    expect(refOfRead(named(ref), from, primary)).toEqual(want);
  });

  test("a name without any namespace is an error that names the object", () => {
    expect(() => refOfRead(named("s"), shared, global)).toThrow(
      'one(Secret) names "s" without a namespace, and Shared c has none: return { name, namespace }',
    );
  });

  test.for<[string, () => unknown, string]>([
    ["no read", () => through(undefined as never, () => "x"), "through: the first argument must be a read that one() made"],
    ["owned()", () => through(owned(Secret) as never, () => "x"), "through: the first argument must be a read that one() made"],
    ["no function", () => through(first, "x" as never), "through: the second argument must be a function of the Config"],
  ])("%s is refused with the fix", ([, make, message]) => {
    expect(make).toThrow(message);
  });
});

test.for<[string, () => unknown, string]>([
  ["a promise", async () => "s", "returned a promise"],
  ["a rejected promise", () => Promise.reject(new Error("boom")), "returned a promise"],
  ["a number", () => 5, "returned a number"],
  ["a name that is not a text", () => ({ name: 5 }), "returned an object"],
])("a reference that is %s is an error that says what to return", ([, ref, message]) => {
  const given = one(Secret, ref as () => string) as unknown as OneRead;
  expect(() => refOfRead(given, local)).toThrow(
    `one(Secret) of Local me: the function ${message}, which is neither a name nor a reference: return a text, { name, namespace } or undefined`,
  );
});

test("an unknown ifNotServed is refused", () => {
  expect(() => one(Node, () => "n", { ifNotServed: "later" as never })).toThrow(
    new TypeError('a read of Node has ifNotServed "later": use "wait" or "skip"'),
  );
});
