import { expect, test } from "vitest";
import { describeRequest } from "../src/internal/request-description.ts";

test.for([
  {
    method: "GET",
    path: "/api/v1/namespaces/ns/secrets/a",
    want: { verb: "get", group: "", version: "v1", resource: "secrets", namespace: "ns", name: "a" },
  },
  { method: "GET", path: "/api/v1/secrets?limit=5", want: { verb: "list", resource: "secrets", namespace: undefined, name: undefined } },
  { method: "GET", path: "/apis/a.b/v1/widgets?watch=1&x=2", want: { verb: "watch", group: "a.b", resource: "widgets" } },
  { method: "POST", path: "/apis/a.b/v1/namespaces/ns/widgets", want: { verb: "create", resource: "widgets", namespace: "ns" } },
  { method: "PUT", path: "/apis/a.b/v1/namespaces/ns/widgets/w/status", want: { verb: "update", name: "w", subresource: "status" } },
  { method: "PATCH", path: "/apis/a.b/v1/widgets/w", want: { verb: "patch", name: "w", namespace: undefined } },
  { method: "DELETE", path: "/api/v1/namespaces/ns", want: { verb: "delete", resource: "namespaces", name: "ns", namespace: undefined } },
  {
    method: "PUT",
    path: "/api/v1/namespaces/ns/finalize",
    want: { verb: "update", resource: "namespaces", name: "ns", subresource: "finalize" },
  },
  { method: "GET", path: "/version", want: { verb: "other", resource: "" } },
  { method: "GET", path: "/apis", want: { verb: "other", resource: "" } },
] as const)("$method $path is a $want.verb", ({ method, path, want }) => {
  expect(describeRequest({ method, path, headers: {} })).toMatchObject(want);
});

test("an apply differs from a patch by its media type", () => {
  const headers = { "content-type": "application/apply-patch+yaml" };
  expect(describeRequest({ method: "PATCH", path: "/api/v1/namespaces/ns/secrets/a", headers, body: '{"a":1}' })).toMatchObject({
    verb: "apply",
    body: { a: 1 },
  });
});
