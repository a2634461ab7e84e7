/** The autoscaler: lets the load decide the number of web servers. */
import { dependentApply } from "treadle";
import { HorizontalPodAutoscaler } from "treadle/kinds";
import { WebApp } from "./web-app.ts";

/** While it exists, `spec.replicas` of the Deployment is not applied, except 0 during a suspension. */
export const autoscaler = dependentApply(WebApp, {
  name: "autoscaler",
  kind: HorizontalPodAutoscaler,
  when: (app) => app.spec.autoscale !== undefined,
  desired: (app) => ({
    spec: {
      ...app.spec.autoscale,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: app.metadata.name },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
    },
  }),
});
