/** A resource whose handler keeps a set, for the tests of dependentSet. */
import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Deployment, Job, Namespace, Secret, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler, type Handler, type HandlerOptions } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld, type FakeWorldOptions } from "@treadle/testing";
import { z } from "zod";
import { dependentSet, type DependentSetOptions, type Manifest, object, type ObjectPolicies, setStatus } from "../../src/index.ts";

export const Platform = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Platform",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    text: z.string().default("hello"),
    names: z.array(z.string()).default(["one", "two"]),
    retain: z.boolean().default(false),
    suspended: z.boolean().default(false),
  }),
  status: z.object({ ...setStatus }),
});
export type Platform = ObjectOf<typeof Platform>;
export const HANDLER = "platforms.example.dev";
export const POLICIES = `${HANDLER}/policies`;

/** A kind that a CRD of a set defines. */
export const Widget = defineResource({
  group: "widgets.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.number().default(1) }),
});

export const platform = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "example.dev/v1",
  kind: "Platform",
  metadata: { name: "a", ...metadata },
  spec,
});

export const config = (name: string, data: Record<string, string> = {}, policies: ObjectPolicies = {}): Manifest =>
  object(ConfigMap, { metadata: { name }, data }, policies);

export type Options = DependentSetOptions<Platform, string, readonly [], {}>;
export const KINDS = [ConfigMap, Secret, Service, Deployment, Job, Namespace, CustomResourceDefinition, Widget] as const;

/** A handler with one set. */
export function platforms(options: Partial<Options> = {}, named: HandlerOptions = {}): Handler<Platform> {
  const stack = dependentSet(Platform, {
    name: "stack",
    condition: "StackReady",
    kinds: KINDS,
    objects: ({ spec }) => spec.names.map((name) => config(name, { text: spec.text })),
    ...options,
  });
  return handler(Platform, named).step(conditions()).step(stack).build();
}

export const worldOf = (options: Partial<Options> = {}, more: Partial<FakeWorldOptions<Platform>> = {}): FakeWorld =>
  fakeWorld(platforms(options), { ...more, objects: [platform(), ...(more.objects ?? [])] });

export async function settled(options: Partial<Options> = {}, more: Partial<FakeWorldOptions<Platform>> = {}): Promise<FakeWorld> {
  const world = worldOf(options, more);
  await world.settled();
  return world;
}

/** What the status of the platform says of its set. */
export async function condition(world: FakeWorld): Promise<{ status: string; reason: string; message: string } | undefined> {
  const found = (await world.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
  return found === undefined ? undefined : { status: found.status, reason: found.reason, message: found.message ?? "" };
}

export const namesOf = async (world: FakeWorld): Promise<readonly string[]> =>
  ((await world.list(ConfigMap, "default")) as readonly KubernetesObject[]).map(({ metadata }) => metadata.name).toSorted();
