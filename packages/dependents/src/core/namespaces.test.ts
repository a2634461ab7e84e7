/** What a real API server answers to a create in a namespace that does not exist, or is being deleted. */
import { ApiError } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { isNamespaceMissing, isNamespaceTerminating } from "./namespaces.ts";

const missing = new ApiError({
  message: 'cannot apply ConfigMap team/x: namespaces "team" not found',
  status: 404,
  reason: "NotFound",
  details: { name: "team", kind: "namespaces" },
});
const terminating = new ApiError({
  message: 'configmaps "x" is forbidden: unable to create new content in namespace team because it is being terminated',
  status: 403,
  reason: "Forbidden",
  details: {
    name: "x",
    kind: "configmaps",
    causes: [{ reason: "NamespaceTerminating", message: "namespace team is being terminated", field: "metadata.namespace" }],
  },
});
const forbidden = new ApiError({ message: "no", status: 403, reason: "Forbidden", details: { name: "x", kind: "configmaps" } });
const gone = new ApiError({ message: "no", status: 404, reason: "NotFound", details: { name: "team", kind: "configmaps" } });

test.for([
  { name: "a missing namespace", error: missing, want: [true, false] },
  { name: "a namespace that is being deleted", error: terminating, want: [false, true] },
  { name: "a missing right", error: forbidden, want: [false, false] },
  { name: "another missing object of that name", error: gone, want: [false, false] },
])("$name: $want", ({ error, want }) => {
  expect([isNamespaceMissing(error, "team"), isNamespaceTerminating(error)]).toEqual(want);
});

test("another namespace is not the missing one", () => {
  expect(isNamespaceMissing(missing, "other")).toBe(false);
});
