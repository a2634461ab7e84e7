import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { pathOf } from "./kind.ts";
import * as kinds from "./kinds.ts";

test.for([
  { kind: kinds.Secret, path: "/api/v1/namespaces/ns/secrets/x" },
  { kind: kinds.Node, path: "/api/v1/nodes/x" },
  { kind: kinds.Event, path: "/apis/events.k8s.io/v1/namespaces/ns/events/x" },
  { kind: kinds.NetworkPolicy, path: "/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies/x" },
  { kind: kinds.Ingress, path: "/apis/networking.k8s.io/v1/namespaces/ns/ingresses/x" },
  { kind: kinds.HorizontalPodAutoscaler, path: "/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers/x" },
  { kind: kinds.CustomResourceDefinition, path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x" },
])("the path of $kind.kind is $path", ({ kind, path }) => {
  expect(pathOf(kind, { namespace: "ns", name: "x" })).toBe(path);
});

test("a cluster-scoped kind has no namespace in its path, and each kind's key is its own name", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    expect(kind.kind).toBe(name);
    expect(pathOf(kind, { namespace: "ns" }).includes("/namespaces/ns")).toBe(kind.scope === "Namespaced");
  }
});

test("importing apimachinery loads neither client-node nor zod", () => {
  // A program that uses the models only as types must not load them.
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    await import(${JSON.stringify(new URL("./kinds.ts", import.meta.url).href)});
    console.log(JSON.stringify(loaded));`;
  const loaded: readonly string[] = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("client-node") || url.includes("/zod/"))).toEqual([]);
});
