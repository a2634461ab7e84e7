/** The migration: a Job that prepares the database for a version of the web server. */
import { dependentApply } from "treadle";
import { Job } from "treadle/kinds";
import { App } from "./app.ts";
import { credentials, hasStore } from "./credentials.ts";
import { store, storeService } from "./store.ts";

/**
 * Runs once for each version, when the database is ready, and not before `spec.migrateAfter`. The template of a Job cannot change, so
 * the Job of a new version replaces the old one.
 */
export const migration = dependentApply(App, {
  name: "migration",
  kind: Job,
  needs: [credentials, storeService],
  dependsOn: [store],
  when: hasStore,
  until: (app, { now, revisit }) => {
    const waitMs = Date.parse(app.spec.migrateAfter ?? "1970-01-01") - now();
    revisit(waitMs > 0 ? waitMs : Infinity);
    return waitMs <= 0 || `the migration does not start before ${app.spec.migrateAfter}`;
  },
  onImmutable: "recreate",
  once: true, // the server deletes the Job an hour after its end, and it is not created again
  objectName: (app) => `${app.metadata.name}-migration`,
  desired: (app, { vars }) => {
    const command = ["psql", "--command", `COMMENT ON DATABASE "${vars.user}" IS 'version ${app.spec.version}'`];
    const env = [
      { name: "PGHOST", value: vars.host },
      { name: "PGUSER", value: vars.user },
      { name: "PGPASSWORD", valueFrom: { secretKeyRef: { name: app.spec.credentials ?? "", key: "password" } } },
    ];
    const containers = [{ name: "psql", image: "postgres:17", command, env }];
    return { spec: { ttlSecondsAfterFinished: 3600, template: { spec: { restartPolicy: "OnFailure", containers } } } };
  },
});
