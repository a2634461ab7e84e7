import fc from "fast-check";
import { expect, test } from "vitest";
import { apiVersionOf, groupKindOf, kind, kindIdOf, pathOf } from "./kind.ts";
import { keyOf, refOf } from "./objects.ts";
import { randomName, seededRandom } from "./random.ts";

const widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });

test.for([
  { target: {}, want: "/apis/example.dev/v1/widgets" },
  { target: { namespace: "ns" }, want: "/apis/example.dev/v1/namespaces/ns/widgets" },
  { target: { namespace: "ns", name: "a" }, want: "/apis/example.dev/v1/namespaces/ns/widgets/a" },
  { target: { namespace: "ns", name: "a", subresource: "status" }, want: "/apis/example.dev/v1/namespaces/ns/widgets/a/status" },
  { target: { namespace: "", name: "system:a/b" }, want: "/apis/example.dev/v1/widgets/system%3Aa%2Fb" },
])("the path of $target is $want", ({ target, want }) => {
  expect(pathOf(widget, target)).toBe(want);
});

test.for([
  ["Widget", "widgets"],
  ["Ingress", "ingresses"],
  ["NetworkPolicy", "networkpolicies"],
  ["Gateway", "gateways"],
  ["Switch", "switches"],
  ["Mesh", "meshes"],
  ["Endpoints", "endpoints"],
] as const)("the plural of %s is guessed as %s", ([name, plural]) => {
  expect(kind({ group: "", version: "v1", kind: name }).plural).toBe(plural);
});

test("a cluster-scoped kind ignores the namespace; the core group has its own root", () => {
  const node = kind({ group: "", version: "v1", kind: "Node", scope: "Cluster" });
  expect(pathOf(node, { namespace: "ns", name: "n" })).toBe("/api/v1/nodes/n");
  expect([apiVersionOf(node), groupKindOf(node)]).toEqual(["v1", "Node"]);
  expect([apiVersionOf(widget), groupKindOf(widget)]).toEqual(["example.dev/v1", "Widget.example.dev"]);
});

test("the id of a kind is that of its objects, and distinguishes versions and groups", () => {
  expect(kindIdOf(widget)).toBe("example.dev/v1/Widget");
  expect(kindIdOf(widget)).toBe(kindIdOf({ apiVersion: "example.dev/v1", kind: "Widget" }));
  expect(kindIdOf({ group: "", version: "v1", kind: "Secret" })).toBe("v1/Secret");
  expect(kindIdOf({ ...widget, version: "v2" })).not.toBe(kindIdOf(widget));
});

test("a key names its object and nothing else", () => {
  const name = fc.stringMatching(/^[a-z0-9.-]{1,9}$/);
  fc.assert(
    fc.property(name, fc.option(name, { nil: undefined }), (given, namespace) => {
      const ref = namespace === undefined ? { name: given } : { name: given, namespace };
      expect(refOf(keyOf(ref))).toEqual(ref);
    }),
  );
});

test("the same seed gives the same numbers and names", () => {
  const numbers = (seed: number): readonly number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 50 }, () => random.next());
  };
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers(7).every((number) => number >= 0 && number < 1)).toBe(true);
  expect(randomName(seededRandom(1), 5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});
