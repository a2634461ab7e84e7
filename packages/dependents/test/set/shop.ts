/** The first set of docs/sets.md. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Namespace, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { z } from "zod";
import { dependentSet, object } from "../../src/index.ts";

export const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ greeting: z.string().default("hello") }),
});
export type Shop = ObjectOf<typeof Shop>;

const pod = (name: string, more: { readonly restartPolicy?: string } = {}) => ({
  template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: `shop-${name}:1` }], ...more } },
});
const migration = pod("migrate", { restartPolicy: "Never" });
const server = { selector: { matchLabels: { app: "web" } }, ...pod("web") };

/** Waves: the namespace and the configuration (0), the migration (1), the server (2). */
const stack = dependentSet(Shop, {
  name: "stack",
  condition: "StackReady",
  kinds: [Namespace, ConfigMap, Job, Deployment, Service],
  placement: (shop) => ({ namespace: `shop-${shop.metadata.name}` }),
  objects: (shop, { namespace = "" }) => [
    object(Namespace, { metadata: { name: namespace } }),
    object(ConfigMap, { metadata: { name: "settings" }, data: { greeting: shop.spec.greeting } }),
    object(Job, { metadata: { name: "migrate" }, spec: migration }, { apply: 1, reconcile: "once" }),
    object(Deployment, { metadata: { name: "web" }, spec: server }, { apply: 2 }),
    object(Service, { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }, { apply: 2 }),
  ],
});

export const shops = handler(Shop).step(conditions()).step(stack).build();
