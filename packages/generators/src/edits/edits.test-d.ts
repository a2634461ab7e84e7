import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { dependentSet, type Edit, edited, manifests } from "@treadle/dependents";
import { one } from "@treadle/reconcile";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { helm } from "../helm/helm.ts";
import { images } from "./images.ts";
import { labels } from "./labels.ts";
import { namespace } from "./namespace.ts";
import { patch } from "./patch.ts";
import { substitute } from "./substitute.ts";
import type { ParameterEdit } from "./types.ts";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ version: z.string() }),
  status: z.object({}),
});
interface Shop extends ObjectOf<typeof Shop> {}

const set = {
  name: "shop",
  condition: "ShopReady",
  kinds: [ConfigMap],
  reads: { license: one(Secret, (shop: Shop) => shop.spec.version) },
} as const;

test("edits without functions fit every set", () => {
  const all = [images({ a: { tag: "1" } }), labels({ a: "b" }), namespace("a"), patch({}, { a: 1 }), substitute({}, { A: "b" })];
  dependentSet(Shop, { ...set, objects: helm("chart", { edit: all }) });
  dependentSet(Shop, { ...set, objects: edited(manifests("folder"), ...all) });
  expectTypeOf(all).items.toExtend<Edit<Shop, { license: Secret | undefined }>>();
});

test("functions of edits get the owner", () => {
  const edit = images((shop: Shop) => ({ a: { tag: shop.spec.version } }));
  dependentSet(Shop, { ...set, objects: helm("chart", { edit }) });
  dependentSet(Shop, { ...set, objects: manifests("folder", { edit }) });
  const sized: ParameterEdit<Shop> = (values, shop) => ({ ...values, version: shop.spec.version });
  dependentSet(Shop, { ...set, objects: helm("chart", { parameters: [sized] }) });
});

test("wrong arguments are refused", () => {
  // @ts-expect-error the name of the field is tag
  images({ a: { newTag: "1" } });
  // @ts-expect-error labels are texts
  labels({ a: 1 });
  // @ts-expect-error a JSON patch needs a target
  patch([{ op: "remove", path: "/a" }]);
  // @ts-expect-error the field is labels
  patch({ labelSelector: "a=b" }, { a: 1 });
  // @ts-expect-error the variables are missing
  substitute({});
});
