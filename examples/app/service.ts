/** The Service of an App: how clients reach its web server. */
import { dependentApply } from "treadle";
import { Service } from "treadle/kinds";
import { App } from "./app.ts";

/** The address of the web server. It depends on no other object, so it is created in parallel with them. */
export const service = dependentApply(App, {
  name: "service",
  kind: Service,
  desired: (app) => ({ spec: { selector: { app: app.metadata.name }, ports: [{ name: "http", port: 80, targetPort: 80 }] } }),
});
