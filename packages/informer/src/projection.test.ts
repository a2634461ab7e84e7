import type { Pod } from "@treadle/apimachinery/kinds";
import type { ObjectOf } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { projection } from "./projection.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "x", labels: { app: "y" } },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], securityContext: { runAsUser: 1, fsGroup: 2 } },
  status: { phase: "Running", podIP: "10.0.0.1" },
};

test.for([
  ["some fields", ["spec.nodeName", "status.phase"], { spec: { nodeName: "n1" }, status: { phase: "Running" } }],
  ["whole parts", ["status"], { status: pod.status }],
  ["a list is whole", ["spec.containers.image"], { spec: { containers: pod.spec.containers } }],
  ["deep fields", ["spec.securityContext.fsGroup"], { spec: { securityContext: { fsGroup: 2 } } }],
  ["a part and a field of it", ["status.phase", "status"], { status: pod.status }],
  ["a field of a part that is whole", ["status", "status.phase"], { status: pod.status }],
  ["what is not there", ["spec.hostname", "data", "toString"], { spec: {} }],
  ["nothing", [], {}],
] as const)("projection keeps metadata, and %s", ([, paths, want]) => {
  const { apiVersion, kind, metadata } = pod;
  expect(projection(paths as readonly never[])(pod as never)).toEqual({ apiVersion, kind, metadata, ...want });
});

test.for(["", "spec..x", "metadata", "metadata.name"])("projection refuses the path %j", (path) => {
  expect(() => projection([path as never])).toThrow(TypeError);
});

test("the paths of projection are typed", () => {
  type PodObject = ObjectOf<typeof Pod>;
  projection<PodObject>(["spec.nodeName", "status.phase", "spec.containers", "spec.securityContext.fsGroup"]);
  // @ts-expect-error there is no such field
  projection<PodObject>(["spec.nodename"]);
});
