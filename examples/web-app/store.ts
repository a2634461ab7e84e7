/** The database server, and the Service by which others reach it. */
import { dependentApply } from "treadle";
import { Service, StatefulSet } from "treadle/kinds";
import { credentials } from "./credentials.ts";
import { WebApp } from "./web-app.ts";

const nameOf = (app: WebApp): string => `${app.metadata.name}-store`;
const labelsOf = (app: WebApp): { readonly store: string } => ({ store: app.metadata.name });

/** The database server. It needs a value of the Secret, so it waits for it. */
export const store = dependentApply(WebApp, {
  name: "store",
  kind: StatefulSet,
  needs: [credentials],
  objectName: nameOf,
  desired: (app, { vars }) => {
    const env = [
      { name: "POSTGRES_USER", value: vars.user },
      { name: "POSTGRES_PASSWORD", valueFrom: { secretKeyRef: { name: app.spec.credentials, key: "password" } } },
    ];
    const volumeMounts = [{ name: "data", mountPath: "/var/lib/postgresql/data" }];
    const containers = [{ name: "postgres", image: "postgres:17", env, volumeMounts }];
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    return {
      spec: {
        replicas: 1,
        serviceName: nameOf(app),
        selector: { matchLabels: labelsOf(app) },
        template: { metadata: { labels: labelsOf(app) }, spec: { containers } },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
      },
    };
  },
});

/** The address of the database. */
export const storeService = dependentApply(WebApp, {
  name: "store-service",
  kind: Service,
  objectName: nameOf,
  desired: (app) => ({ spec: { selector: labelsOf(app), ports: [{ name: "postgres", port: 5432 }] } }),
  gives: { host: (service) => service.metadata.name },
});
