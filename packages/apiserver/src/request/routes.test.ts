import { expect, test } from "vitest";
import { parseTarget } from "./routes.ts";

const resource = (given: object): object => ({
  type: "resource",
  group: "",
  version: "v1",
  namespace: "",
  name: "",
  subresource: "",
  ...given,
});

test.for<[string, object]>([
  ["/api", { type: "groups", legacy: true }],
  ["/apis", { type: "groups", legacy: false }],
  ["/apis/apps", { type: "group", group: "apps" }],
  ["/api/v1", { type: "version", group: "", version: "v1" }],
  ["/apis/apps/v1/", { type: "version", group: "apps", version: "v1" }],
  ["/api/v1/pods", resource({ resource: "pods" })],
  ["/api/v1/namespaces", resource({ resource: "namespaces" })],
  ["/api/v1/namespaces/a", resource({ resource: "namespaces", name: "a" })],
  ["/api/v1/namespaces/a/status", resource({ resource: "namespaces", name: "a", subresource: "status" })],
  ["/api/v1/namespaces/a/pods", resource({ resource: "pods", namespace: "a" })],
  ["/api/v1/namespaces/a/pods/b%2Flog", resource({ resource: "pods", namespace: "a", name: "b", subresource: "log" })],
  ["/api/v1/namespaces/a/pods/%C3%A9", resource({ resource: "pods", namespace: "a", name: "é" })],
  ["/api/v1/namespaces/a/pods/%ff", resource({ resource: "pods", namespace: "a", name: "\ufffd" })],
  ["/api/v1/namespaces/a/pods/b/log", resource({ resource: "pods", namespace: "a", name: "b", subresource: "log" })],
  ["/apis/g.io/v2/things/x/scale", resource({ group: "g.io", version: "v2", resource: "things", name: "x", subresource: "scale" })],
  ["/api/v1/namespaces/a/pods/b/log/more", resource({ resource: "pods", namespace: "a", name: "b", subresource: "log", isDeep: true })],
  ["/api/v1/nodes/a/proxy/more", resource({ resource: "nodes", name: "a", subresource: "proxy", isDeep: true })],
  ["//api/v1", { type: "other", path: "//api/v1" }],
  ["/apis/apps/v1/a/b/c/d", resource({ group: "apps", resource: "a", name: "b", subresource: "c", isDeep: true })],
  ["/api/%E0%A4%A", { type: "unreadable" }],
  ["/api/%", { type: "unreadable" }],
  ["", { type: "other", path: "" }],
])("%s", ([path, route]) => expect(parseTarget(path).route).toEqual(route));

test("the query of a target is decoded", () => {
  expect(parseTarget("/api/v1/pods?labelSelector=a%3Db&watch").query.get("labelSelector")).toBe("a=b");
  expect(parseTarget("/api/v1/pods?watch").query.get("watch")).toBe("");
});
