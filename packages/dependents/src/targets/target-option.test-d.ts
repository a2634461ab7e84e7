/** The types of the option `target`, as users write it. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { one } from "@treadle/reconcile";
import { test } from "vitest";
import { z } from "zod";
import { dependentSet } from "../index.ts";
import { serviceAccount, targets } from "./index.ts";

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

const clusters = targets({ servers: ["*.clusters.example.com"] });

test("the functions of a target get the owner of the set", () => {
  dependentSet(Tenant, {
    name: "tenant",
    condition: "TenantReady",
    kinds: [ConfigMap],
    objects: () => [],
    target: clusters.target({
      kubeconfig: one(Secret, (tenant) => tenant.spec.secret),
      as: (tenant) => serviceAccount(tenant.spec.user ?? "default"),
    }),
  });
});
