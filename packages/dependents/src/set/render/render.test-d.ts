import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { type AnyStep, one, type Reads, type Step, step } from "@treadle/reconcile";
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { configured, type ConfiguredObject, type RenderedObject } from "../configured.ts";
import { fromSpec, setStatus, specFields } from "../fragments.ts";
import type { Manifest } from "../plan/member.ts";
import type { DependentSetOptions, Renderer } from "../types.ts";
import { edited } from "./edited.ts";
import { manifests } from "./manifests.ts";
import { merged } from "./merged.ts";

const Platform = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Platform",
  scope: "Namespaced",
  spec: z.object({ ...specFields.placement, ...specFields.suspend, ...specFields.policies, ...specFields.timeout, license: z.string() }),
  status: z.object({ ...setStatus, mine: z.string().optional() }),
});
type Platform = ObjectOf<typeof Platform>;
type License = ObjectOf<typeof Secret>;

const Bare = defineResource({ group: "example.dev", version: "v1", kind: "Bare", scope: "Namespaced", spec: z.object({ size: z.int() }) });

/** As `dependentSet()`. */
declare function set<
  K extends Kind,
  const C extends string,
  const L extends readonly AnyStep[] = readonly [],
  const R extends Reads<ObjectOf<K>> = {},
>(kind: K, options: DependentSetOptions<ObjectOf<K>, C, L, R>): Step<ObjectOf<K>>;

const region = step(Platform, { name: "region", do: (req) => req.next({ region: req.object.spec.license }) });
const common = { name: "stack", condition: "StackReady", kinds: [ConfigMap] } as const;

test("owner, reads and vars are inferred in an inline edit", () => {
  set(Platform, {
    ...common,
    needs: [region],
    reads: { license: one(Secret, (platform) => platform.spec.license) },
    objects: edited(manifests("deploy"), (each, platform, { reads, vars, cluster }) => {
      expectTypeOf(each).toEqualTypeOf<Manifest>();
      expectTypeOf(platform).toEqualTypeOf<Platform>();
      expectTypeOf(reads.license).toEqualTypeOf<License | undefined>();
      expectTypeOf(vars.region).toEqualTypeOf<string>();
      expectTypeOf(cluster.version).toEqualTypeOf<string>();
      return each;
    }),
  });
});

test("owner, reads and vars are inferred in the edit of a folder", () => {
  set(Platform, {
    ...common,
    needs: [region],
    reads: { license: one(Secret, (platform) => platform.spec.license) },
    objects: manifests(new URL("deploy", import.meta.url), {
      edit: (each, platform, { reads, vars }) => {
        expectTypeOf(platform).toEqualTypeOf<Platform>();
        expectTypeOf(reads.license).toEqualTypeOf<License | undefined>();
        expectTypeOf(vars.region).toEqualTypeOf<string>();
        return each;
      },
    }),
  });
});

test("owner, reads and vars are inferred in merged renderers, and in nested ones", () => {
  set(Platform, {
    ...common,
    needs: [region],
    reads: { license: one(Secret, (platform) => platform.spec.license) },
    objects: merged(
      manifests("deploy"),
      (platform, { reads, vars }) => {
        expectTypeOf(platform).toEqualTypeOf<Platform>();
        expectTypeOf(reads.license).toEqualTypeOf<License | undefined>();
        expectTypeOf(vars.region).toEqualTypeOf<string>();
        return [];
      },
      edited([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }], (each, platform, { reads }) => {
        expectTypeOf(platform).toEqualTypeOf<Platform>();
        expectTypeOf(reads.license).toEqualTypeOf<License | undefined>();
        return each;
      }),
    ),
  });
});

test("renderers of configured objects are edited and merged", () => {
  const map: Manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const plan = edited([configured(map, { id: "a" })], (each) => {
    expectTypeOf(each).toEqualTypeOf<Manifest>();
    return each;
  });
  expectTypeOf(plan).toEqualTypeOf<Renderer<KubernetesObject, {}, {}, ConfiguredObject>>();
  set(Platform, { ...common, objects: plan });
  set(Platform, { ...common, objects: merged<Platform, {}, {}, RenderedObject>(plan, manifests("deploy")) });
  set(Platform, {
    ...common,
    live: true,
    objects: (_platform, { live }) => (live["a"] === undefined ? [map] : [configured(map, { id: "a" })]),
  });
  set(Platform, {
    ...common,
    objects: edited(
      (): RenderedObject[] => [configured(map, {}), map],
      (each) => each,
    ),
  });
  // @ts-expect-error an option of a configuration has another name
  configured(map, { ready: true });
  // @ts-expect-error what knows only manifests does not take configured objects
  expectTypeOf(plan).toExtend<Renderer>();
});

test("a renderer outside of a set has the types that it names", () => {
  const files = manifests<Platform>("deploy", { edit: (each, platform) => (platform.spec.suspend ? undefined : each) });
  expectTypeOf(files).toExtend<Renderer<Platform, { a: 1 }, { b: 2 }>>();
  set(Platform, { ...common, objects: files });
  set(Platform, { ...common, objects: merged(files, files) });
  set(Platform, { ...common, objects: edited(files, (each) => each) });
  // @ts-expect-error the files are edited for another owner
  set(Bare, { ...common, objects: files });
});

test("the functions of the fields of a spec are options of a set", () => {
  set(Platform, {
    ...common,
    placement: fromSpec.placement,
    suspended: fromSpec.suspended,
    policies: fromSpec.policies,
    timeoutMs: fromSpec.timeoutMs,
    objects: () => [],
  });
  // @ts-expect-error the spec has no field of placement
  set(Bare, { ...common, placement: fromSpec.placement, objects: () => [] });
  // @ts-expect-error the spec has no suspend
  set(Bare, { ...common, suspended: fromSpec.suspended, objects: () => [] });
});

test("an edit that returns something else is an error", () => {
  // @ts-expect-error a promise is not an object
  edited([], async (each) => each);
  // @ts-expect-error a text is not an object
  edited([], () => "text");
});

test("the fields of the status have their types", () => {
  type Status = NonNullable<Platform["status"]>;
  expectTypeOf<Status["state"]>().toEqualTypeOf<
    "Ready" | "Pending" | "Processing" | "DeletionPending" | "Deleting" | "Error" | undefined
  >();
  expectTypeOf<Status["revision"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Status["lastAppliedAt"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Platform["spec"]["suspend"]>().toEqualTypeOf<boolean>();
  expectTypeOf<Platform["spec"]["namespace"]>().toEqualTypeOf<string | undefined>();
});
