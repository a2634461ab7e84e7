/** An operator for the failures of the tests, and objects for them. */
import {
  type ObjectOf,
  component,
  conditions,
  dependentApply,
  dependentApplyAll,
  defineResource,
  dependentSet,
  handler,
  kind,
  object,
  one,
  pause,
  step,
  TerminalError,
} from "treadle";
import { ConfigMap, Deployment, Job, Secret } from "treadle/kinds";
import { z } from "zod";

export const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ image: z.string().default("web:1"), secret: z.string().optional(), fails: z.string().optional() }),
  status: z.object({}),
});
export interface Shop extends ObjectOf<typeof Shop> {}

/** The spec of a workload with one container `main`. */
export function pods(app: string, image = "web:1"): { selector: { matchLabels: { app: string } }; template: PodTemplate } {
  return {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: "main", image }] } },
  };
}

interface PodTemplate {
  metadata: { labels: { app: string } };
  spec: { containers: { name: string; image: string }[]; restartPolicy?: "Never" };
}

export function jobSpec(app: string): { backoffLimit: number; template: PodTemplate } {
  const { template } = pods(app);
  return { backoffLimit: 0, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
}

const readSecret = step(Shop, {
  name: "read-secret",
  conditions: ["SecretReady"],
  reads: { secret: one(Secret, (shop) => shop.spec.secret) },
  do(req) {
    const { secret } = req.object.spec;
    if (secret !== undefined && req.reads.secret === undefined)
      return req.conditions.false("SecretReady", "NotFound", `Secret ${secret} does not exist`).wait();
    req.conditions.true("SecretReady");
    return undefined;
  },
});

const charge = step(Shop, {
  name: "charge",
  conditions: ["Charged"],
  do(req) {
    const { fails } = req.object.spec;
    if (fails === "forever") throw new TerminalError("the card was refused");
    if (fails !== undefined) throw new Error(fails);
    req.conditions.true("Charged");
  },
});

const settings = dependentApply(Shop, { name: "settings", kind: ConfigMap, desired: { data: { theme: "dark" } } });
const database = dependentApply(Shop, {
  name: "database",
  kind: Deployment,
  objectName: (shop) => `${shop.metadata.name}-database`,
  desired: (shop) => ({ spec: pods(`${shop.metadata.name}-database`) }),
});
const web = dependentApply(Shop, {
  name: "web",
  kind: Deployment,
  dependsOn: [database],
  objectName: (shop) => `${shop.metadata.name}-web`,
  desired: (shop) => ({ spec: pods(`${shop.metadata.name}-web`, shop.spec.image) }),
});

/** Reads a Secret, charges a card, and keeps a ConfigMap and two Deployments, of which `web` depends on `database`. */
export const shops = handler(Shop)
  .step(pause())
  .step(conditions())
  .step(readSecret)
  .step(charge)
  .step(dependentApplyAll("parts", [settings, database, web]))
  .build();

const stack = dependentSet(Shop, {
  name: "stack",
  condition: "StackReady",
  kinds: [Job, Deployment],
  objects: ({ metadata: { name } }) => [
    object(Job, { metadata: { name: `${name}-migrate` }, spec: jobSpec(`${name}-migrate`) }),
    object(Deployment, { metadata: { name: `${name}-web` }, spec: pods(`${name}-web`) }, { apply: 1 }),
  ],
});

/** Keeps a set of two waves: a Job, then a Deployment. */
export const setShops = handler(Shop, { name: "sets.example.dev" }).step(conditions()).step(stack).build();

const card = dependentApply(Shop, { name: "card", kind: Secret, created: false, objectName: (shop) => shop.spec.secret ?? "card" });
const till = dependentApply(Shop, {
  name: "till",
  kind: Deployment,
  dependsOn: [card],
  desired: (shop) => ({ spec: pods(shop.metadata.name) }),
});

/** A component whose server waits for a Secret of another operator. */
export const componentShops = handler(Shop, { name: "components.example.dev" })
  .step(conditions())
  .step(component(Shop, { name: "payment", condition: "PaymentReady", resources: [card, till] }))
  .build();

export const Monitor = kind<{ readonly spec: { readonly path: string } }>({
  group: "monitoring.example.org",
  version: "v1",
  kind: "Monitor",
});

/** Keeps an object of a kind that another project installs. */
export const monitoredShops = handler(Shop, { name: "monitored.example.dev" })
  .step(conditions())
  .step(dependentApply(Shop, { name: "monitor", kind: Monitor, desired: { spec: { path: "/metrics" } } }))
  .build();
