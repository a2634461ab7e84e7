/** The credentials of the database: a Secret that another operator creates. */
import { dependentApply } from "treadle";
import { Secret } from "treadle/kinds";
import { WebApp } from "./web-app.ts";

/** The Secret. It is never written. As long as it does not exist, or has no user, the database is Blocked. */
export const credentials = dependentApply(WebApp, {
  name: "credentials",
  kind: Secret,
  objectName: (app) => app.spec.credentials,
  created: false,
  gives: { user: (secret) => secret.data?.["user"] && Buffer.from(secret.data["user"], "base64").toString() },
});
