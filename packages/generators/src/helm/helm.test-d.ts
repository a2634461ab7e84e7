import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentSet } from "@treadle/dependents";
import { one } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { helm } from "./helm.ts";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ replicas: z.int32() }),
  status: z.object({}),
});
type Shop = ObjectOf<typeof Shop>;
const common = { name: "stack", condition: "StackReady", kinds: [ConfigMap] } as const;

test("the owner, the reads and the vars are those of the set", () => {
  dependentSet(Shop, {
    ...common,
    reads: { auth: one(Secret, () => "auth") },
    objects: helm("./chart", {
      values: (shop, { reads, name }) => {
        expectTypeOf(shop.spec.replicas).toEqualTypeOf<number>();
        expectTypeOf(reads.auth?.data?.["password"]).toEqualTypeOf<string | undefined>();
        return { replicas: shop.spec.replicas, name };
      },
      parameters: [(values, shop) => ({ ...values, replicas: shop.spec.replicas })],
      edit: (each, shop) => (shop.spec.replicas === 0 ? undefined : each),
    }),
  });
  dependentSet(Shop, { ...common, objects: helm("./chart") });
  dependentSet(Shop, { ...common, objects: helm("./chart", { values: { replicas: 1 }, watch: false }) });
  dependentSet(Shop, { ...common, objects: helm("./chart", { values: async (shop: Shop) => await Promise.resolve(shop.spec) }) });
});

test("values that are no object do not compile", () => {
  // @ts-expect-error a text is not an object of values
  helm("./chart", { values: () => "replicas: 1" });
  // @ts-expect-error a function of values returns something
  helm("./chart", { values: () => undefined });
});
