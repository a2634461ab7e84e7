/** Types of dependentSet(): what its functions get, and what the compiler refuses. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { dependentSet } from "./dependent-set.ts";
import { object } from "./object.ts";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ secret: z.string() }),
});
type Shop = ObjectOf<typeof Shop>;

const price = step(Shop, { name: "price", do: (req) => req.next({ price: 7 }) });

test("the functions of a set get the owner, its reads and the vars that it needs", () => {
  const set = dependentSet(Shop, {
    name: "set",
    condition: "SetReady",
    kinds: [ConfigMap],
    needs: [price],
    reads: { key: one(Secret, (shop) => shop.spec.secret) },
    policies: (shop) => {
      expectTypeOf(shop).toEqualTypeOf<Shop>();
      return { onRemoval: "orphan" };
    },
    objects: (shop, { reads, vars, release, namespace }) => {
      expectTypeOf(shop.spec.secret).toBeString();
      expectTypeOf(reads.key).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
      expectTypeOf(vars.price).toBeNumber();
      expectTypeOf(release.isInstall).toBeBoolean();
      expectTypeOf(namespace).toEqualTypeOf<string | undefined>();
      return [object(ConfigMap, { metadata: { name: "a" }, data: { price: `${vars.price}` } })];
    },
  });
  handler(Shop).step(conditions()).step(price).step(set).build();
  // @ts-expect-error the set needs the vars of a step that is not before it
  handler(Shop).step(conditions()).step(set);
});

test("the compiler refuses options that have no meaning", () => {
  const objects = () => [];
  // @ts-expect-error a set needs a condition
  dependentSet(Shop, { name: "set", kinds: [ConfigMap], objects });
  // @ts-expect-error "keep" is not a policy
  dependentSet(Shop, { name: "set", condition: "SetReady", kinds: [ConfigMap], objects, defaults: { onRemoval: "keep" } });
  // @ts-expect-error a kind is not a text
  dependentSet(Shop, { name: "set", condition: "SetReady", kinds: ["ConfigMap"], objects });
});
