/** The ConfigMap of an App: the page that its web server shows. */
import { dependentApply } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { App } from "./app.ts";

/** The greeting. It is ready as soon as it exists. */
export const config = dependentApply(App, {
  name: "config",
  kind: ConfigMap,
  desired: (app) => ({ data: { "index.html": `<h1>${app.spec.greeting}</h1>\n` } }),
});
