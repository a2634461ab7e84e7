/** The migration: a Job that prepares the database for a version of the web server. */
import { dependentApply } from "treadle";
import { Job } from "treadle/kinds";
import { credentials } from "./credentials.ts";
import { store, storeService } from "./store.ts";
import { WebApp } from "./web-app.ts";

/** Runs once for each version, when the database server is ready. The Job of a new version replaces the old one. */
export const migration = dependentApply(WebApp, {
  name: "migration",
  kind: Job,
  needs: [credentials, storeService],
  dependsOn: [store],
  onImmutable: "recreate",
  once: true, // a suspension deletes the Job, and it is not created again
  objectName: (app) => `${app.metadata.name}-migration`,
  desired: (app, { vars }) => {
    const command = ["psql", "--command", `COMMENT ON DATABASE "${vars.user}" IS 'version ${app.spec.version}'`];
    const env = [
      { name: "PGHOST", value: vars.host },
      { name: "PGUSER", value: vars.user },
      { name: "PGPASSWORD", valueFrom: { secretKeyRef: { name: app.spec.credentials, key: "password" } } },
    ];
    const containers = [{ name: "psql", image: "postgres:17", command, env }];
    return { spec: { template: { spec: { restartPolicy: "OnFailure", containers } } } };
  },
});
