import { CustomResourceDefinition, crdOf, defineResource, kind } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace } from "@treadle/apimachinery/kinds";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Manifest } from "./plan/member.ts";
import { object } from "./object.ts";

const Widget = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32(), color: z.string().default("red") }),
  status: z.object({ isDone: z.boolean() }),
});
const metadata = { name: "a" };
const workload = { selector: { matchLabels: { app: "a" } }, template: { spec: { containers: [{ name: "main" }] } } };

test("an object is typed by its kind", () => {
  expectTypeOf(object(Deployment, { metadata, spec: { ...workload, replicas: 1 } })).toEqualTypeOf<Manifest>();
  object(Namespace, { metadata: { name: "a", labels: { team: "x" } } }, { apply: -1 });
  // A client may leave out what has a default.
  object(Widget, { metadata, spec: { size: 1 } });
  // @ts-expect-error a field of another type
  object(Deployment, { metadata, spec: { ...workload, replicas: "1" } });
  // @ts-expect-error a field that does not exist
  object(Deployment, { metadata, spec: { ...workload, replica: 1 } });
  // @ts-expect-error a field of another kind
  object(ConfigMap, { metadata, spec: {} });
  // @ts-expect-error a required field is missing
  object(Widget, { metadata, spec: {} });
});

test("a body has no status, and only the metadata that an author chooses", () => {
  // @ts-expect-error the server writes the status
  object(Widget, { metadata, spec: { size: 1 }, status: { isDone: true } });
  // @ts-expect-error the kind says it
  object(ConfigMap, { apiVersion: "v1", metadata });
  // @ts-expect-error the server chooses it
  object(ConfigMap, { metadata: { name: "a", uid: "1" } });
  // @ts-expect-error each pass must find the same object
  object(ConfigMap, { metadata: { generateName: "a-" } });
  // @ts-expect-error the name is missing
  object(ConfigMap, { metadata: {} });
  // @ts-expect-error the metadata is missing
  object(ConfigMap, { data: {} });
});

test("policies are typed", () => {
  object(
    ConfigMap,
    { metadata },
    { apply: 1, purge: 2, remove: 3, adopt: "force", after: ["Job.batch/a", object(ConfigMap, { metadata })] },
  );
  // @ts-expect-error no such word
  object(ConfigMap, { metadata }, { adopt: "always" });
  // @ts-expect-error no such policy
  object(ConfigMap, { metadata }, { aply: 1 });
  // @ts-expect-error a policy of the whole set
  object(ConfigMap, { metadata }, { missingNamespaces: "fail" });
});

test("kinds without a schema take any fields, and CRDs fit as they are", () => {
  const Gadget = kind({ group: "example.dev", version: "v1", kind: "Gadget" });
  object(Gadget, { metadata, spec: { anything: [1] } });
  const Typed = kind<{ spec: { size: number } }>({ group: "example.dev", version: "v1", kind: "Typed" });
  object(Typed, { metadata, spec: { size: 1 } });
  // @ts-expect-error a field of another type
  object(Typed, { metadata, spec: { size: "1" } });
  const { metadata: named, spec } = crdOf(Widget);
  object(CustomResourceDefinition, { metadata: named, spec }, { onRemoval: "orphan" });
  expectTypeOf(crdOf(Widget)).toExtend<Manifest>();
});
