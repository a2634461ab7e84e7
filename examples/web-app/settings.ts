/** The settings of the web servers. */
import { dependentApply } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { withCache } from "./cache.ts";
import { WebApp } from "./web-app.ts";

/** A static object: it is ready when it exists, and is kept during a suspension. */
export const settings = dependentApply(WebApp, {
  name: "settings",
  kind: ConfigMap,
  objectName: (app) => `${app.metadata.name}-settings`,
  desired: (app) => {
    const { name } = app.metadata;
    const cacheUrl = withCache(app) ? `redis://${name}-redis:6379` : "";
    return { data: { GREETING: app.spec.greeting, DATABASE_HOST: `${name}-store`, CACHE_URL: cacheUrl } };
  },
});
