/** A resource whose handlers keep ConfigMaps, for the tests of dependentApply. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import {
  dependentApply,
  type DependentEntry,
  type DependentFields,
  type DependentOptions,
  dependentsOf,
  type DependentStep,
} from "../src/index.ts";
import { z } from "zod";
import { type FakeWorld, fakeWorld } from "@treadle/testing";

export const Site = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({
    text: z.string().default("hello"),
    name: z.string().optional(),
    wanted: z.boolean().default(true),
    where: z.string().optional(),
  }),
  status: z.object({ seen: z.string() }),
});
export type Site = ObjectOf<typeof Site>;
export const HANDLER = "sites.example.dev";
export const WRITES = ["create", "update", "patch", "apply", "delete"] as const;

export const site = (name = "a", spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "example.dev/v1",
  kind: "Site",
  metadata: { name, ...metadata },
  spec,
});
export const configMap = (name: string, data: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

/** Without the rules about combinations, so that tests can spread them. */
export type Options = DependentFields<Site, typeof ConfigMap, string, readonly [], {}, readonly DependentStep<Site>[]>;
type Checked = DependentOptions<Site, typeof ConfigMap, string, readonly [], {}, readonly DependentStep<Site>[]>;
export const page = (options: Partial<Options> = {}): DependentStep<Site> =>
  dependentApply(Site, {
    name: "page",
    kind: ConfigMap,
    objectName: ({ metadata, spec }: Site) => spec.name ?? `${metadata.name}-page`,
    desired: ({ spec }: Site) => (spec.wanted ? { data: { text: spec.text } } : undefined),
    ...options,
  } as Checked);
export const worldOf = (options: Partial<Options> = {}, ...objects: object[]): FakeWorld =>
  fakeWorld(handler(Site).step(conditions()).step(page(options)).build(), { objects: [site(), ...objects] });
export async function settled(options: Partial<Options> = {}, ...objects: object[]): Promise<FakeWorld> {
  const world = worldOf(options, ...objects);
  await world.settled();
  return world;
}

export const entries = async (world: FakeWorld, key = "a"): Promise<readonly DependentEntry[]> =>
  dependentsOf((await world.get(Site, key)) ?? {});
export const said = async (world: FakeWorld, key = "a"): Promise<readonly string[]> =>
  (await entries(world, key)).map(({ step, type, reason }) => `${step} ${type === reason ? type : `${type}/${reason}`}`);
export const writes = (world: FakeWorld): readonly string[] =>
  world.requests
    .filter({ verb: WRITES })
    .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`);

/** A merge patch, in place. */
export function merge(object: object, change: object): void {
  const target = object as Record<string, unknown>;
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete target[key];
    else if (typeof value === "object" && !Array.isArray(value)) {
      target[key] ??= {};
      merge(target[key] as object, value as object);
    } else target[key] = value;
  }
}
