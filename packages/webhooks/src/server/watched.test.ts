import { kind, type KubernetesObject } from "@treadle/apimachinery";
import type { NamedWork } from "@treadle/controller";
import { expect, test } from "vitest";
import type { Review } from "../types.ts";
import { type AnyWebhooks, settle } from "../definition.ts";
import { watched } from "./watched.ts";

const Website = kind({ group: "web.example.com", version: "v1", kind: "Website", scope: "Namespaced" });
const object: KubernetesObject = { apiVersion: "web.example.com/v1", kind: "Website", metadata: { name: "a", namespace: "ns" } };
const review = {} as Review<KubernetesObject>; // No function below looks at it.

function watching(given: Partial<AnyWebhooks>) {
  const [works, panics]: [NamedWork[], string[]] = [[], []];
  const env = { named: <T>(work: NamedWork, run: () => T): T => (works.push(work), run()) };
  const metrics = { panicked: (type: string) => void panics.push(type) };
  return { called: watched(settle(Website, given), { env, metrics }), works, panics };
}

test("each function of an author runs under its name, for its object", () => {
  const { called, works, panics } = watching({
    fill: () => "filled",
    problems: () => ["bad"],
    convert: { v1alpha1: { up: () => "up", down: () => "down" } },
  });
  const { v1alpha1 } = called.convert;
  expect([called.fill?.({}, object, review), called.problems?.(object, review), v1alpha1?.up(object), v1alpha1?.down(object)]).toEqual([
    "filled",
    ["bad"],
    "up",
    "down",
  ]);
  const ref = { name: "a", namespace: "ns" };
  expect(works).toEqual([
    { name: "fill of Website.web.example.com", ref },
    { name: "problems of Website.web.example.com", ref },
    { name: "up from v1alpha1 of Website.web.example.com", ref },
    { name: "down to v1alpha1 of Website.web.example.com", ref },
  ]);
  expect(panics).toEqual([]);
});

test("webhooks without a function stay without it", () => {
  const { called } = watching({ problems: () => [] });
  expect([called.fill, called.convert]).toEqual([undefined, {}]);
});

test.for<[string, () => never, readonly string[]]>([
  [
    "a mistake of the language is counted",
    () => {
      throw new TypeError("x is not a function");
    },
    ["admission", "admission", "conversion"],
  ],
  [
    "an error that the author throws is not",
    () => {
      throw new Error("no answer");
    },
    [],
  ],
])("%s, and the caller gets it", async ([, fails, want]) => {
  const { called, panics } = watching({ fill: async () => fails(), problems: fails, convert: { v1alpha1: { up: fails, down: fails } } });
  await expect(called.fill?.({}, object, review)).rejects.toThrow();
  expect(() => called.problems?.(object, review)).toThrow();
  expect(() => called.convert["v1alpha1"]?.up(object)).toThrow();
  expect(panics.toSorted()).toEqual(want);
});
