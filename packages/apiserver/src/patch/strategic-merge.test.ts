import fc from "fast-check";
import { expect, test } from "vitest";
import type { RawSchema } from "../builtin/schemas.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { StrategicMergeError, strategicMerge } from "./strategic-merge.ts";

const POD: RawSchema = { $ref: "core.v1.PodSpec" };
const pod = { containers: [{ name: "a", env: [{ name: "X", value: "1" }] }, { name: "b" }], tolerations: [{ key: "k" }], hostAliases: [] };

function merged(original: object, patch: object, schema: RawSchema = POD): JsonObject {
  return strategicMerge(cloneJson(original) as JsonObject, cloneJson(patch) as JsonObject, schema);
}

test.for<{ readonly name: string; readonly patch: object; readonly want: object }>([
  {
    name: "elements with the same merge key are merged, others stay",
    patch: { containers: [{ name: "a", image: "i" }] },
    want: { ...pod, containers: [{ ...pod.containers[0], image: "i" }, { name: "b" }] },
  },
  {
    name: "elements that only the stored list has keep their place",
    patch: { containers: [{ name: "c" }] },
    want: { ...pod, containers: [{ name: "c" }, ...pod.containers] },
  },
  { name: "lists without a strategy are replaced", patch: { tolerations: [] }, want: { ...pod, tolerations: [] } },
  {
    name: "$patch: delete removes an element",
    patch: { containers: [{ name: "a", $patch: "delete" }] },
    want: { ...pod, containers: [{ name: "b" }] },
  },
  {
    name: "$setElementOrder alone orders a list",
    patch: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] },
    want: { ...pod, containers: [{ name: "b" }, pod.containers[0]] },
  },
])("$name", ({ patch, want }) => expect(merged(pod, patch)).toEqual(want));

test.for<readonly [string, object, number, string]>([
  ["a missing merge key", { containers: [{}] }, 500, "map: map[] does not contain declared merge key: name"],
  ["keys kept that are no list", { $retainKeys: 1 }, 400, "invalid patch format of retainKeys"],
  ["an order without a field", { $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
  ["a list of lists", { hostAliases: [[]] }, 422, "lists of lists are not supported"],
])("refuses %s", ([, patch, code, message]) => {
  expect(() => merged(pod, patch)).toThrow(expect.objectContaining({ name: "StrategicMergeError", code, message }));
});

// Any JSON as a patch is merged, or refused with a StrategicMergeError. Directives can be anywhere.
test("each patch is merged or refused", () => {
  const name = fc.constantFrom("containers", "env", "name", "value", "tolerations", "volumes", "nodeSelector", "a");
  const key = fc.oneof(
    name,
    fc.constantFrom("$patch", "$retainKeys"),
    name.map((field) => `$setElementOrder/${field}`),
    name.map((field) => `$deleteFromPrimitiveList/${field}`),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, "a", "X", 1, true, "delete", "replace", "merge"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (patch) => {
      try {
        merged(pod, patch);
      } catch (error) {
        expect(error).toBeInstanceOf(StrategicMergeError);
      }
    }),
    { numRuns: 2000 },
  );
});

// A patch without directives is a desired state: sending it again changes nothing.
test("a repeated patch without directives changes nothing", () => {
  const env = fc.uniqueArray(fc.record({ name: fc.constantFrom("X", "Y", "Z"), value: fc.constantFrom("1", "2") }), {
    selector: (one) => one.name,
  });
  const containers = fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c"), env }, { requiredKeys: ["name"] }), {
    selector: (one) => one.name,
  });
  fc.assert(
    fc.property(fc.record({ containers }), (patch) => {
      const once = merged(pod, patch);
      expect(merged(once, patch)).toEqual(once);
    }),
  );
});
