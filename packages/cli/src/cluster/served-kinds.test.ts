import type { DiscoveredKind } from "@treadle/client";
import { expect, test } from "vitest";
import { ServedKinds } from "./served-kinds.ts";

function served(group: string, kind: string, version = "v1"): DiscoveredKind {
  const name = kind.toLowerCase();
  const names = { plural: `${name}s`, singular: name, shortNames: [name.slice(0, 2)], categories: [], verbs: ["get"], subresources: [] };
  return { group, version, kind, scope: "Namespaced", ...names } as unknown as DiscoveredKind; // Types of objects are not needed.
}

const kinds = new ServedKinds([
  served("", "Pod"),
  served("example.dev", "Shop", "v2"),
  served("example.dev", "Shop", "v1"),
  served("b.example", "Pod"),
]);

test.for([
  { word: "Shop", want: "v2" },
  { word: "shops", want: "v2" },
  { word: "sh", want: "v2" },
  { word: "shop.example.dev", want: "v2" },
  { word: "shops.v1.example.dev", want: "v1" },
])("$word is found in version $want", ({ word, want }) => {
  expect(kinds.resolve(word)).toMatchObject({ kind: "Shop", version: want });
});

test("a kind of Kubernetes wins over one of an operator, which its group names", () => {
  expect([kinds.resolve("pod").group, kinds.resolve("pod.b.example").group]).toEqual(["", "b.example"]);
});

test("a kind of a group that does not answer is not called unserved", () => {
  const some = new ServedKinds([served("", "Pod")], ["metrics.k8s.io/v1beta1"]);
  expect(some.isUnserved({ apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetrics" })).toBe(false);
  expect(some.isUnserved({ apiVersion: "cert-manager.io/v1", kind: "Certificate" })).toBe(true);
  expect(() => some.resolve("podmetrics")).toThrow(/the servers behind metrics.k8s.io\/v1beta1 do not answer; check their APIServices/);
});
