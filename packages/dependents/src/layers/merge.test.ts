import { jsonEqual } from "@treadle/apimachinery";
import { defineResource, kind, type Kind } from "@treadle/apimachinery";
import {
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Pod,
  RoleBinding,
  Service,
} from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layered } from "./layered.ts";
import { z } from "zod";
import { type Draft, mergeInto } from "./merge.ts";
import { fieldsOf } from "./merge-keys.ts";

const PLACE = { where: `layer "x"`, path: "" };

function merged(of: Kind | undefined, object: object, partial: object): object {
  const draft = structuredClone(object) as Draft;
  mergeInto(draft, partial, fieldsOf(of), PLACE);
  return draft;
}

/** Puts containers into the place of each kind, and takes them out again. */
const inPod = (spec: object): object => ({ spec });
const inDeployment = (spec: object): object => ({ spec: { template: { spec } } });
const inCronJob = (spec: object): object => ({ spec: { jobTemplate: { spec: { template: { spec } } } } });

describe("objects", () => {
  test.for([
    { name: "a field is set", object: { data: { a: "1" } }, partial: { data: { b: "2" } }, want: { data: { a: "1", b: "2" } } },
    { name: "null removes a field", object: { data: { a: "1", b: "2" } }, partial: { data: { a: null } }, want: { data: { b: "2" } } },
    { name: "null removes an object", object: { data: { a: "1" } }, partial: { data: null }, want: {} },
    { name: "undefined changes nothing", object: { data: { a: "1" } }, partial: { data: undefined }, want: { data: { a: "1" } } },
    { name: "null in a new object is left out", object: {}, partial: { data: { a: null, b: "2" } }, want: { data: { b: "2" } } },
    { name: "a text becomes an object", object: { data: "1" }, partial: { data: { a: "1" } }, want: { data: { a: "1" } } },
    {
      name: "__proto__ is a field as any other",
      object: {},
      partial: JSON.parse('{"data":{"__proto__":{"a":"1"}}}') as object,
      want: JSON.parse('{"data":{"__proto__":{"a":"1"}}}') as object,
    },
  ])("$name", ({ object, partial, want }, { expect }) => {
    const result = merged(ConfigMap, object, partial);
    expect(JSON.stringify(result)).toBe(JSON.stringify(want));
  });

  test("a partial is not modified, and shares nothing with the result", () => {
    const partial = Object.freeze({
      spec: Object.freeze({ tolerations: Object.freeze([Object.freeze({ key: "a" })]), args: Object.freeze([]) }),
    });
    const result = merged(Pod, {}, partial) as { spec: { tolerations: object[] } };
    result.spec.tolerations.push({});
    expect(partial.spec.tolerations).toHaveLength(1);
  });
});

describe("lists with keys", () => {
  const web = { name: "web", image: "web:1", args: ["-a"] };
  const jaeger = { name: "jaeger", image: "jaeger:1" };

  test.for([
    { name: "a Pod", of: Pod, at: inPod },
    { name: "a Deployment", of: Deployment, at: inDeployment },
    { name: "a CronJob", of: CronJob, at: inCronJob },
    { name: "an object of unknown kind", of: undefined, at: inDeployment },
  ])("the containers of $name are merged by name", ({ of, at }, { expect }) => {
    const before = at({ containers: [web] });
    expect(merged(of, before, at({ containers: [{ name: "web", image: "web:2" }, jaeger] }))).toEqual(
      at({ containers: [{ name: "web", image: "web:2", args: ["-a"] }, jaeger] }),
    );
    expect(merged(of, before, at({ containers: { web: { args: null }, jaeger: { image: "jaeger:1" } } }))).toEqual(
      at({ containers: [{ name: "web", image: "web:1" }, jaeger] }),
    );
    expect(merged(of, at({ containers: [web, jaeger] }), at({ containers: { web: null, other: null } }))).toEqual(
      at({ containers: [jaeger] }),
    );
  });

  test("null for an entry of a list that does not exist adds no list", () => {
    expect(merged(Pod, { spec: {} }, { spec: { containers: { web: null } } })).toEqual({ spec: {} });
  });

  test.for([
    {
      name: "env by name",
      list: [{ name: "A", value: "1" }],
      partial: [{ name: "A", value: "2" }, { name: "B" }],
      want: [{ name: "A", value: "2" }, { name: "B" }],
      field: "env",
    },
    {
      name: "volumeMounts by path",
      list: [{ name: "v", mountPath: "/a" }],
      partial: [
        { name: "w", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
      want: [
        { name: "w", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
      field: "volumeMounts",
    },
    {
      name: "ports by name, if both have one",
      list: [{ name: "http", containerPort: 80 }],
      partial: [{ name: "http", containerPort: 8080 }],
      want: [{ name: "http", containerPort: 8080 }],
      field: "ports",
    },
    {
      name: "ports by number and protocol, if one has no name",
      list: [{ name: "http", containerPort: 80 }],
      partial: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 80, protocol: "UDP" },
      ],
      want: [
        { name: "http", containerPort: 80, hostPort: 80 },
        { containerPort: 80, protocol: "UDP" },
      ],
      field: "ports",
    },
    {
      name: "ports with one number and two names",
      list: [{ name: "http", containerPort: 80 }],
      partial: [{ name: "metrics", containerPort: 80 }],
      want: [
        { name: "http", containerPort: 80 },
        { name: "metrics", containerPort: 80 },
      ],
      field: "ports",
    },
    { name: "args have no key", list: ["-a", "-b"], partial: ["-c"], want: ["-c"], field: "args" },
    {
      name: "envFrom has no key, and null in its entries is left out",
      list: [{ prefix: "A" }],
      partial: [{ prefix: "B", secretRef: null }],
      want: [{ prefix: "B" }],
      field: "envFrom",
    },
  ])("of a container: $name", ({ field, list, partial, want }, { expect }) => {
    const at = (value: unknown): object => inPod({ containers: [{ name: "web", [field]: value }] });
    expect(merged(Pod, at(list), at(partial))).toEqual(at(want));
  });

  test.for([
    {
      name: "tolerations by their whole identity",
      of: Pod,
      at: (tolerations: unknown) => inPod({ tolerations }),
      list: [
        { key: "gpu", operator: "Exists" },
        { key: "spot", value: "true", effect: "NoSchedule" },
      ],
      partial: [
        { key: "gpu", operator: "Exists", effect: "NoExecute" },
        { key: "spot", operator: "Equal", value: "true", effect: "NoSchedule", tolerationSeconds: 5 },
      ],
      want: [
        { key: "gpu", operator: "Exists" },
        { key: "spot", operator: "Equal", value: "true", effect: "NoSchedule", tolerationSeconds: 5 },
        { key: "gpu", operator: "Exists", effect: "NoExecute" },
      ],
    },
    {
      name: "one port of a Service for TCP and UDP",
      of: Service,
      at: (ports: unknown) => ({ spec: { ports } }),
      list: [{ port: 53 }, { port: 53, protocol: "UDP" }],
      partial: [
        { port: 53, protocol: "UDP", targetPort: 5353 },
        { port: 53, protocol: "TCP", targetPort: 5354 },
      ],
      want: [
        { port: 53, protocol: "TCP", targetPort: 5354 },
        { port: 53, protocol: "UDP", targetPort: 5353 },
      ],
    },
    {
      name: "one named port of a Service for TCP and UDP",
      of: Service,
      at: (ports: unknown) => ({ spec: { ports } }),
      list: [{ name: "dns", port: 53, protocol: "UDP" }],
      partial: [
        { name: "dns-tcp", port: 53, protocol: "TCP" },
        { name: "dns", targetPort: 5353 },
      ],
      want: [
        { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
    {
      name: "one name of a subject in two namespaces",
      of: RoleBinding,
      at: (subjects: unknown) => ({ subjects }),
      list: [{ kind: "ServiceAccount", name: "app", namespace: "a" }],
      partial: [
        { kind: "ServiceAccount", name: "app", namespace: "b" },
        { kind: "ServiceAccount", name: "app", namespace: "a", apiGroup: "" },
        { kind: "User", name: "app" },
      ],
      want: [
        { kind: "ServiceAccount", name: "app", namespace: "a", apiGroup: "" },
        { kind: "ServiceAccount", name: "app", namespace: "b" },
        { kind: "User", name: "app" },
      ],
    },
    {
      name: "subjects of a ClusterRoleBinding",
      of: ClusterRoleBinding,
      at: (subjects: unknown) => ({ subjects }),
      list: [{ kind: "Group", name: "x" }],
      partial: [{ kind: "Group", name: "x" }],
      want: [{ kind: "Group", name: "x" }],
    },
    {
      name: "cpu and memory metrics",
      of: HorizontalPodAutoscaler,
      at: (metrics: unknown) => ({ spec: { metrics } }),
      list: [resource("cpu", 80), resource("memory", 70), { type: "Pods", pods: { metric: { name: "rps" } } }],
      partial: [
        resource("memory", 90),
        { type: "Pods", pods: { metric: { name: "rps", selector: { matchLabels: { a: "b" } } } } },
        { type: "ContainerResource", containerResource: { name: "cpu", container: "web" } },
      ],
      want: [
        resource("cpu", 80),
        resource("memory", 90),
        { type: "Pods", pods: { metric: { name: "rps" } } },
        { type: "Pods", pods: { metric: { name: "rps", selector: { matchLabels: { a: "b" } } } } },
        { type: "ContainerResource", containerResource: { name: "cpu", container: "web" } },
      ],
    },
    {
      name: "rules of an Ingress have no key",
      of: Ingress,
      at: (rules: unknown) => ({ spec: { rules } }),
      list: [{ host: "a" }],
      partial: [{ host: "b" }],
      want: [{ host: "b" }],
    },
  ])("$name", ({ of, at, list, partial, want }, { expect }) => {
    expect(merged(of, at(list), at(partial))).toEqual(at(want));
  });

  test("ports of a kind that is not in the table are replaced", () => {
    const rollout = kind({ group: "example.dev", version: "v1", kind: "Rollout" });
    expect(merged(rollout, { spec: { ports: [{ port: 1 }] } }, { spec: { ports: [{ port: 2 }] } })).toEqual({
      spec: { ports: [{ port: 2 }] },
    });
  });

  test("lists of a custom kind are merged by the keys of its CRD", () => {
    const Route = defineResource({
      group: "example.dev",
      version: "v1",
      kind: "Route",
      scope: "Namespaced",
      spec: z.object({
        backends: z
          .array(z.object({ host: z.string(), weight: z.int32().optional() }))
          .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["host"] }),
        hosts: z.array(z.string()),
      }),
    });
    const before = { spec: { backends: [{ host: "a", weight: 1 }, { host: "b" }], hosts: ["x"] } };
    expect(merged(Route, before, { spec: { backends: { a: { weight: 2 }, b: null }, hosts: ["y"] } })).toEqual({
      spec: { backends: [{ host: "a", weight: 2 }], hosts: ["y"] },
    });
  });
});

describe("mistakes", () => {
  test.for([
    {
      name: "an entry without its key",
      partial: inPod({ containers: [{ image: "x" }] }),
      want: `layer "x": spec.containers[0] has no name, which tells the entries apart`,
    },
    {
      name: "a port without a key",
      partial: inPod({ containers: { web: { ports: [{ hostPort: 1 }] } } }),
      want: `layer "x": spec.containers.web.ports[0] has no name or containerPort or protocol, which tells the entries apart`,
    },
    { name: "an entry that is a text", partial: inPod({ containers: ["web"] }), want: `layer "x": spec.containers[0] is not an object` },
    {
      name: "an entry with another name than its key",
      partial: inPod({ containers: { web: { name: "other" } } }),
      want: `layer "x": spec.containers.web has another name: leave it out, or rename the entry by a function`,
    },
    {
      name: "a record for a list with several keys",
      partial: inPod({ tolerations: { gpu: null } }),
      want: `layer "x": spec.tolerations has entries with the keys key, operator, value, effect: give a list, or edit the draft by a function`,
    },
    {
      name: "a record for a list without keys",
      partial: inPod({ readinessGates: { a: null } }),
      want: `layer "x": spec.readinessGates is a list whose entries have no key: give the whole list, or edit the draft by a function`,
    },
  ])("$name is refused, with its path", ({ partial, want }, { expect }) => {
    const object = inPod({ containers: [], readinessGates: [{ conditionType: "a" }] });
    expect(() => merged(Pod, object, partial)).toThrow(expect.objectContaining({ code: "ERR_INVALID_STEP", message: want }));
  });
});

/**
 * For partials and objects with colliding names, numbers and protocols:
 * - merging twice gives what merging once gives, where a list names a container once: two entries for one
 *   container are two changes, and the second may take back what the first one did,
 * - neither argument is modified.
 */
describe("properties", () => {
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
  const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
    fc.oneof(value, fc.constant(null), fc.constant(undefined));
  const name = fc.constantFrom("a", "b", "c");
  const port = fc.record({
    name: maybe(name),
    containerPort: fc.constantFrom(80, 81),
    protocol: maybe(fc.constantFrom("TCP", "UDP")),
    hostPort: orNull(fc.nat(3)),
  });
  const env = fc.record({ name, value: orNull(fc.constantFrom("1", "2")) });
  const parts = {
    image: orNull(fc.constantFrom("x:1", "x:2")),
    args: orNull(fc.array(fc.constantFrom("-a", "-b"), { maxLength: 2 })),
    ports: orNull(fc.array(port, { maxLength: 3 })),
    env: orNull(
      fc.oneof(fc.array(env, { maxLength: 3 }), fc.dictionary(name, orNull(fc.record({ value: orNull(fc.constantFrom("1", "2")) })))),
    ),
  };
  const container = fc.record({ name, ...parts });
  const byName = fc.dictionary(name, orNull(fc.record(parts)));
  const toleration = fc.record({
    key: fc.constantFrom("a", "b"),
    operator: maybe(fc.constantFrom("Equal", "Exists")),
    tolerationSeconds: orNull(fc.nat(2)),
  });
  const pod = fc.record({
    containers: orNull(fc.oneof(fc.uniqueArray(container, { maxLength: 3, selector: (entry) => entry.name }), byName)),
    tolerations: orNull(fc.array(toleration, { maxLength: 3 })),
    nodeSelector: orNull(fc.dictionary(name, orNull(fc.constantFrom("1", "2")))),
  });
  const partial = fc.record({ spec: orNull(fc.record({ template: orNull(fc.record({ spec: orNull(pod) })) })) });

  test("a partial that is merged twice gives what it gives once", () => {
    fc.assert(
      fc.property(partial, partial, (base, change) => {
        const object = merged(Deployment, {}, base);
        const before = [structuredClone(object), structuredClone(change)];
        const once = merged(Deployment, object, change);
        expect(merged(Deployment, once, change)).toEqual(once);
        expect(jsonEqual([object, change], before)).toBe(true);
        expect(JSON.stringify(once)).not.toContain("null");
      }),
      { numRuns: 3000 },
    );
  });
});

function resource(of: string, averageUtilization: number): object {
  return { type: "Resource", resource: { name: of, target: { type: "Utilization", averageUtilization } } };
}

test("a merge of ports that renames and renumbers gives the same result twice", () => {
  const partial = {
    spec: {
      ports: [
        { port: 81, targetPort: 80 },
        { name: "a", port: 80, protocol: "TCP" as const, targetPort: 80 },
      ],
    },
  };
  const times = (count: number) =>
    layered(
      { spec: { ports: [{ name: "a", port: 81 }] } },
      Array.from({ length: count }, (_, i) => ({ name: `l${i}`, merge: partial })),
      { kind: Service },
    )({ metadata: { name: "a" } } as never, {} as never);
  expect(times(2)).toEqual(times(1));
});

test("an entry without a key that has a default in the CRD is the entry with the default", () => {
  const rules = z
    .array(z.object({ port: z.int(), priority: z.int().default(0), text: z.string().optional() }))
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "priority"] });
  const Target = defineResource({ group: "t.dev", version: "v1", kind: "Target", scope: "Namespaced", spec: z.object({ rules }) });
  const desired = layered(
    { spec: { rules: [{ port: 80, priority: 0, text: "a" }] } },
    [{ name: "l", merge: { spec: { rules: [{ port: 80, text: "b" }] } } }],
    { kind: Target },
  );
  expect(desired({ metadata: { name: "a" } } as never, {} as never)).toEqual({ spec: { rules: [{ port: 80, priority: 0, text: "b" }] } });
});
