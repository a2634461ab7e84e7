import { kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { Node, Secret } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { inNamespaceOf, many, type OneRead, one, refOfRead } from "./reads.ts";

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
