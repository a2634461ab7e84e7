/** The component of the database: its server, its address and its migration. */
import { component } from "treadle";
import { credentials } from "./credentials.ts";
import { migration } from "./migration.ts";
import { store, storeService } from "./store.ts";
import { isSuspended, WebApp } from "./web-app.ts";

/** The resources run in this order. If it does not converge within five minutes, it is Degraded or Down. */
export const database = component(WebApp, {
  name: "database",
  condition: "DatabaseReady",
  graceMs: 300_000,
  suspended: isSuspended,
  resources: [credentials, store, storeService, migration],
});
