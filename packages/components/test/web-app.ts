/** An owner with three components, for the stories. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { all, conditions, handler } from "@treadle/reconcile";
import { z } from "zod";
import { component } from "../src/component.ts";

export const WebApp = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "WebApp",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    replicas: z.int32().default(1),
    image: z.string().default("web:1"),
    suspended: z.boolean().default(false),
    cache: z.boolean().default(true),
    credentials: z.string().default("db"),
  }),
  status: z.object({}),
});
export interface WebApp extends ObjectOf<typeof WebApp> {}

const pods = (image: string, app: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "main", image }] },
});

export const credentials = dependentApply(WebApp, {
  name: "credentials",
  kind: Secret,
  created: false,
  objectName: (app) => app.spec.credentials,
  gives: { user: (live) => live.data?.["user"] },
  readyWhen: () => true,
});
export const store = dependentApply(WebApp, {
  name: "store",
  kind: StatefulSet,
  needs: [credentials],
  objectName: (app) => `${app.metadata.name}-store`,
  desired: (app, { vars }) => ({
    spec: {
      replicas: 1,
      serviceName: "store",
      selector: { matchLabels: { app: `${app.metadata.name}-store` } },
      template: {
        metadata: { labels: { app: `${app.metadata.name}-store` }, annotations: { user: vars.user } },
        spec: { containers: [{ name: "main", image: "store:1" }] },
      },
    },
  }),
});
const migration = dependentApply(WebApp, {
  name: "migration",
  kind: Job,
  dependsOn: [store],
  onImmutable: "recreate",
  objectName: (app) => `${app.metadata.name}-migration`,
  desired: (app) => ({
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: app.spec.image }] } } },
  }),
});
export const database = component(WebApp, {
  name: "database",
  condition: "DatabaseReady",
  graceMs: 300_000,
  suspended: (app) => app.spec.suspended,
  resources: [credentials, store, migration],
});

const redis = dependentApply(WebApp, {
  name: "redis",
  kind: Deployment,
  objectName: (app) => `${app.metadata.name}-redis`,
  desired: (app) => ({
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: `${app.metadata.name}-redis` } },
      template: pods("redis:1", `${app.metadata.name}-redis`) as {
        metadata: object;
        spec: { containers: { name: string; image: string }[] };
      },
    },
  }),
});
const redisService = dependentApply(WebApp, {
  name: "redis-service",
  kind: Service,
  objectName: (app) => `${app.metadata.name}-redis`,
  desired: (app) => ({ spec: { selector: { app: `${app.metadata.name}-redis` }, ports: [{ port: 6379 }] } }),
});
const cache = component(WebApp, {
  name: "cache",
  condition: "CacheReady",
  enabled: (app) => app.spec.cache,
  suspended: (app) => app.spec.suspended,
  resources: [redis, redisService],
});

const settings = dependentApply(WebApp, {
  name: "settings",
  kind: ConfigMap,
  desired: (app) => ({ data: { image: app.spec.image } }),
});
const web = dependentApply(WebApp, {
  name: "web",
  kind: Deployment,
  desired: (app) => ({
    spec: {
      replicas: app.spec.replicas,
      selector: { matchLabels: { app: app.metadata.name } },
      template: pods(app.spec.image, app.metadata.name) as { metadata: object; spec: { containers: { name: string; image: string }[] } },
    },
  }),
});
export const webInterface = component(WebApp, {
  name: "web-interface",
  condition: "WebReady",
  graceMs: 60_000,
  after: [database],
  suspended: (app) => app.spec.suspended,
  resources: [settings, web],
});

export const webApp = handler(WebApp)
  .step(conditions())
  .step(all("components", [database, cache, webInterface]))
  .build();
