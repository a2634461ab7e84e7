/** The theme: a ConfigMap that the administrators of a namespace may create for all its Apps. */
import { dependentApply } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { App } from "./app.ts";

/** The style of all pages. It is optional: without the ConfigMap the step continues. */
export const theme = dependentApply(App, {
  name: "theme",
  kind: ConfigMap,
  objectName: "app-theme",
  created: false, // administrators create it
  absent: "ignore",
  gives: { style: (live) => live.data?.["style.css"] },
});
