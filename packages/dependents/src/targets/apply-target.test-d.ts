/** The types of the option `target` of dependents. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll } from "../index.ts";
import { serviceAccount, targets } from "./index.ts";
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
  dependentApplyAll("all", [step, free], { target: ofTenants });
  // @ts-expect-error -- the target needs a field that the owner does not have
  dependentApplyAll("others", [step, free], { target: ofOthers });
  // @ts-expect-error -- the target needs a field that the owner does not have
  dependentApply(Tenant, { name: "c", kind: ConfigMap, desired: {}, target: ofOthers });
});

test("the functions of the target of a group get the owner of its dependents", () => {
  const clusters = targets({ servers: ["*.clusters.example.com"] });
  const vars = step(Tenant, { name: "vars", do: (req) => req.next({ account: "web" }) });
  const first = dependentApply(Tenant, { name: "first", kind: ConfigMap, desired: {}, gives: { uid: ({ metadata }) => metadata.uid } });
  const second = dependentApply(Tenant, { name: "second", kind: Secret, needs: [vars, first], dependsOn: [first], desired: {} });
  const group = dependentApplyAll("all", [first, second], {
    concurrency: 1,
    target: clusters.target({
      kubeconfig: one(Secret, (tenant) => tenant.spec.secret),
      as: (tenant) => serviceAccount(tenant.spec.user ?? "default"),
    }),
  });
  handler(Tenant).step(vars).step(group).build();
  // @ts-expect-error -- the owner has no field `other`
  dependentApplyAll("wrong", [first, second], { target: clusters.target({ kubeconfig: one(Secret, (tenant) => tenant.spec.other) }) });
});
