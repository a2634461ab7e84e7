/** The component of the cache: a redis that a WebApp may do without. */
import { component, dependentApply } from "treadle";
import { Deployment } from "treadle/kinds";
import { isSuspended, WebApp } from "./web-app.ts";

/** Whether a WebApp has a cache. */
export const withCache = (app: WebApp): boolean => app.spec.cache;

/** The server. */
export const redis = dependentApply(WebApp, {
  name: "redis",
  kind: Deployment,
  objectName: (app) => `${app.metadata.name}-redis`,
  desired: (app) => {
    const labels = { redis: app.metadata.name };
    const containers = [{ name: "redis", image: "redis:7", ports: [{ containerPort: 6379 }] }];
    return { spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } };
  },
});

/** Without the cache in the spec the objects are deleted, also while the WebApp is suspended. */
export const cache = component(WebApp, {
  name: "cache",
  condition: "CacheReady",
  enabled: withCache,
  suspended: isSuspended,
  resources: [redis],
});
