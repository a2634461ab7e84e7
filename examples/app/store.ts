/** The database of an App: its server, and the Service by which others reach it. */
import { dependentApply } from "treadle";
import { Service, StatefulSet } from "treadle/kinds";
import { App } from "./app.ts";
import { credentials, hasStore } from "./credentials.ts";

const nameOf = (app: App): string => `${app.metadata.name}-store`;
const labelsOf = (app: App): { readonly store: string } => ({ store: app.metadata.name });

/** Whether the database stays when the App is deleted. It no longer belongs to the App then. */
const isReleased = [(app: App) => app.spec.keepStore, (app: App) => app.metadata.deletionTimestamp !== undefined];

/** The address of the database. */
export const storeService = dependentApply(App, {
  name: "store-service",
  kind: Service,
  when: hasStore,
  orphanWhen: isReleased,
  objectName: nameOf,
  desired: (app) => ({ spec: { selector: labelsOf(app), ports: [{ name: "postgres", port: 5432 }] } }),
  gives: { host: (service) => service.metadata.name },
});

/** The database server. It starts when another operator has created the credentials. */
export const store = dependentApply(App, {
  name: "store",
  kind: StatefulSet,
  displayName: "database",
  needs: [credentials],
  when: hasStore,
  orphanWhen: isReleased,
  objectName: nameOf,
  desired: (app, { vars }) => {
    const env = [
      { name: "POSTGRES_USER", value: vars.user },
      { name: "POSTGRES_PASSWORD", valueFrom: { secretKeyRef: { name: app.spec.credentials ?? "", key: "password" } } },
    ];
    const volumeMounts = [{ name: "data", mountPath: "/var/lib/postgresql/data" }];
    const containers = [{ name: "postgres", image: "postgres:17", env, volumeMounts }];
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    return {
      spec: {
        serviceName: nameOf(app),
        selector: { matchLabels: labelsOf(app) },
        template: { metadata: { labels: labelsOf(app) }, spec: { containers } },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
      },
    };
  },
});
