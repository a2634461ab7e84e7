/** The Service of the metrics, which earlier versions of this operator created. */
import { dependentApply } from "treadle";
import { Service } from "treadle/kinds";
import { WebApp } from "./web-app.ts";

/** It is never desired: where it still exists, it is deleted. */
export const oldService = dependentApply(WebApp, {
  name: "old-service",
  kind: Service,
  when: () => false,
  objectName: (app) => `${app.metadata.name}-metrics`,
  desired: {},
});
