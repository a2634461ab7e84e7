/** The credentials of the database: a Secret that another operator creates. */
import { dependentApply } from "treadle";
import { Secret } from "treadle/kinds";
import { App } from "./app.ts";

/** Whether an App has a database. */
export const hasStore = (app: App): boolean => app.spec.credentials !== undefined;

/** The Secret. Steps that need `user` wait until the other operator has created it. */
export const credentials = dependentApply(App, {
  name: "credentials",
  kind: Secret,
  when: hasStore,
  objectName: (app) => app.spec.credentials ?? "none",
  created: false, // another operator creates it
  absent: "wait", // the default: the entry is Pending until it exists
  gives: { user: (secret) => secret.data?.["user"] && Buffer.from(secret.data["user"], "base64").toString() },
});
