/** Types of the hub of a resource with several versions; compiled by tsconfig.check.json, never run. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { defineResource } from "./define-resource.ts";
import type { Kind, ObjectOf, WriteOf } from "./kind.ts";

// These texts stand before the definitions below: the order in which the compiler meets names must not matter.
export const texts = ["v1alpha1", "v3", "v10", "v1beta1", "v9", "v2", "v1"] as const;
export type Texts = "v20" | "v1alpha2" | "zeta" | "alpha";

// the code of docs/webhooks.md: the first version, which also has the highest priority, is the hub
export const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
      }),
    },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
export interface Website extends ObjectOf<typeof Website> {}
type WebsiteType = ObjectOf<typeof Website>;

export const rules = {
  problems: (site: Website) => (site.spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
};
export const replicas = (site: WebsiteType): number => site.spec.replicas;
expectTypeOf(Website.version).toEqualTypeOf<"v1">();
expectTypeOf(Website.versions.v1.version).toEqualTypeOf<"v1">();
expectTypeOf(Website.versions.v1alpha1.version).toEqualTypeOf<"v1alpha1">();
expectTypeOf<keyof typeof Website.versions>().toEqualTypeOf<"v1" | "v1alpha1">();
expectTypeOf<ObjectOf<typeof Website.versions.v1alpha1>["spec"]["size"]>().toEqualTypeOf<number>();
expectTypeOf(Website).toExtend<Kind<Website, WriteOf<typeof Website>> & { readonly version: "v1" }>();
expectTypeOf(Website).toExtend<Kind>();
// what needs a conversion to and from the hub
expectTypeOf<Exclude<keyof typeof Website.versions, (typeof Website)["version"]>>().toEqualTypeOf<"v1alpha1">();
// @ts-expect-error it is a field of v1alpha1
export type Size = Website["spec"]["size"];

const names = { group: "examples.treadle.dev", kind: "Widget", scope: "Namespaced" } as const;
const [a, b, c] = [{ spec: z.object({ a: z.string() }) }, { spec: z.object({ b: z.string() }) }, { spec: z.object({ c: z.string() }) }];

// names that the alphabet orders otherwise
expectTypeOf(defineResource({ ...names, versions: { v2: a, v1: b } }).version).toEqualTypeOf<"v2">();
expectTypeOf(defineResource({ ...names, versions: { v10: a, v9: b } }).version).toEqualTypeOf<"v10">();
expectTypeOf(defineResource({ ...names, versions: { v1: a, v1beta1: b, v1alpha1: c } }).version).toEqualTypeOf<"v1">();
expectTypeOf(defineResource({ ...names, versions: { v1: a, v3alpha1: b, v2beta1: c } }).version).toEqualTypeOf<"v1">();
expectTypeOf(defineResource({ ...names, versions: { v1beta10: a, v1beta9: b, v1alpha11: c } }).version).toEqualTypeOf<"v1beta10">();
expectTypeOf(defineResource({ ...names, versions: { v2beta1: a, v1beta2: b } }).version).toEqualTypeOf<"v2beta1">();
expectTypeOf(defineResource({ ...names, versions: { v1: a, zeta: b } }).version).toEqualTypeOf<"v1">();
expectTypeOf(defineResource({ ...names, versions: { zeta: a } }).version).toEqualTypeOf<"zeta">();
// versions that share one schema, or stand in a variable
expectTypeOf(defineResource({ ...names, versions: { v2: a, v10alpha1: a, v1: a } }).version).toEqualTypeOf<"v2">();
const versions = { v2: a, v1: b };
expectTypeOf(defineResource({ ...names, versions }).version).toEqualTypeOf<"v2">();
// without a version of the highest priority first, `version` is required (test/types/versions.ts has the messages)
// @ts-expect-error write version: "v1alpha1"
export const unclear = defineResource({ ...names, versions: { v1alpha1: a, v1: b } });
// @ts-expect-error write version: "v9"
export const numbers = defineResource({ ...names, versions: { v9: a, v10: b } });
// @ts-expect-error write version: "beta"
export const words = defineResource({ ...names, versions: { beta: a, alpha: b } });
const Stored = defineResource({ ...names, version: "v1alpha1", versions: { v1alpha1: a, v1: b } });
expectTypeOf(Stored.version).toEqualTypeOf<"v1alpha1">();
expectTypeOf<ObjectOf<typeof Stored>["spec"]>().toEqualTypeOf<{ readonly a: string }>();
// @ts-expect-error there is no v3
export const missing = defineResource({ ...names, version: "v3", versions: { v2: a, v1: b } });

// versions that are known only at run time
declare const dynamic: Readonly<Record<string, { readonly spec: z.ZodObject }>>;
expectTypeOf(defineResource({ ...names, versions: dynamic }).version).toEqualTypeOf<string>();
