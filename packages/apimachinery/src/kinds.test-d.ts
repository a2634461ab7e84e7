/** Types of the built-in kinds, as on the wire; compiled by tsconfig.check.json, never run. */
import { expectTypeOf } from "vitest";
import type { ObjectOf, WriteOf } from "./kind.ts";
import {
  CustomResourceDefinition,
  CronJob,
  Deployment,
  Event,
  type HorizontalPodAutoscaler,
  Lease,
  NetworkPolicy,
  type Pod,
  Secret,
  type Service,
} from "./kinds.ts";
import type { PlainJson } from "./plain-json.ts";
import type { V1JSONSchemaProps, V1ListMeta } from "@kubernetes/client-node";

declare const secret: Secret;
declare const pod: Pod;

// metadata is ObjectMeta: an object from the server always has a name
expectTypeOf(secret.metadata.name).toEqualTypeOf<string>();
expectTypeOf(secret.data).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
expectTypeOf<ObjectOf<typeof Secret>>().toExtend<Secret>();

// times are strings
expectTypeOf<NonNullable<Lease["spec"]>["renewTime"]>().toEqualTypeOf<string | undefined>();
expectTypeOf<Event["eventTime"]>().toEqualTypeOf<string>();
expectTypeOf<NonNullable<Pod["status"]>["startTime"]>().toEqualTypeOf<string | undefined>();
expectTypeOf<NonNullable<CronJob["status"]>["lastScheduleTime"]>().toEqualTypeOf<string | undefined>();

// names are as on the wire
expectTypeOf<NonNullable<NonNullable<NetworkPolicy["spec"]>["ingress"]>[number]>().toHaveProperty("from");
expectTypeOf<NonNullable<NonNullable<NetworkPolicy["spec"]>["ingress"]>[number]>().not.toHaveProperty("_from");
expectTypeOf<PlainJson<V1ListMeta>>().toHaveProperty("continue");
expectTypeOf<PlainJson<V1JSONSchemaProps>>().toHaveProperty("x-kubernetes-list-map-keys");
expectTypeOf<PlainJson<V1JSONSchemaProps>>().toHaveProperty("x-kubernetes-preserve-unknown-fields");
expectTypeOf<PlainJson<V1JSONSchemaProps>>().toHaveProperty("default");
expectTypeOf<PlainJson<V1JSONSchemaProps>>().toHaveProperty("enum");
expectTypeOf<PlainJson<V1JSONSchemaProps>>().toHaveProperty("not");
expectTypeOf<PlainJson<V1JSONSchemaProps>["default"]>().toEqualTypeOf<unknown>();

// int-or-string
expectTypeOf<NonNullable<NonNullable<Service["spec"]>["ports"]>[number]["targetPort"]>().toEqualTypeOf<string | number | undefined>();
expectTypeOf<NonNullable<HorizontalPodAutoscaler["spec"]>["minReplicas"]>().toEqualTypeOf<number | undefined>();

// the type of CRDs is not from client-node
expectTypeOf<CustomResourceDefinition["spec"]["versions"][number]["storage"]>().toEqualTypeOf<boolean>();

// @ts-expect-error read-only
secret.data = {};
// @ts-expect-error read-only at any depth
pod.spec?.containers.push({ name: "x" });
// @ts-expect-error an absent field is absent: undefined is not JSON
export const withUndefined: WriteOf<typeof Secret> = { metadata: { name: "s" }, data: undefined };
// @ts-expect-error a name, or generateName
export const nameless: WriteOf<typeof Secret> = { metadata: { namespace: "ns" } };
// @ts-expect-error Secrets have no spec
export const misspelled: WriteOf<typeof Secret> = { metadata: { name: "s" }, spec: {} };

export const written: WriteOf<typeof Deployment> = {
  metadata: { name: "d", labels: { a: "b" } },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
export const generated: WriteOf<typeof Secret> = { metadata: { generateName: "s-" } };
export const crd: WriteOf<typeof CustomResourceDefinition> = {
  metadata: { name: "widgets.example.dev" },
  spec: {
    group: "example.dev",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true }],
  },
};
