/** The types of the option `target` of dependents. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll } from "../index.ts";
import type { Target } from "./types.ts";

const Tenant = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Tenant",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    names: z.array(z.string()).default(["one", "two"]),
    secret: z.string().optional(),
    user: z.string().optional(),
  }),
});
type Tenant = ObjectOf<typeof Tenant>;

declare const ofTenants: Target<Tenant>;
declare const ofOthers: Target<{ readonly metadata: { readonly name: string }; readonly spec: { readonly elsewhere: string } } & Tenant>;

test("a target is one of the owner's kind", () => {
  const step = dependentApply(Tenant, { name: "a", kind: ConfigMap, desired: {}, target: ofTenants });
  const free = dependentApply(Tenant, { name: "b", kind: ConfigMap, desired: {}, objectName: "b" });
  // @ts-expect-error -- each dependent has its own target
  dependentApplyAll("all", [step, free], { target: ofTenants });
  // @ts-expect-error -- the target needs a field that the owner does not have
  dependentApply(Tenant, { name: "c", kind: ConfigMap, desired: {}, target: ofOthers });
});
