/** The exporter: probes the web servers from outside of their pods. */
import { dependentApply } from "treadle";
import { Deployment } from "treadle/kinds";
import { hasMetrics } from "./web.ts";
import { WebApp } from "./web-app.ts";

/** An auxiliary resource: it has no entry, and the web interface is ready without it. */
export const exporter = dependentApply(WebApp, {
  name: "exporter",
  kind: Deployment,
  when: hasMetrics,
  checkedForReadiness: false,
  objectName: (app) => `${app.metadata.name}-exporter`,
  desired: (app) => {
    const labels = { exporter: app.metadata.name };
    const containers = [{ name: "blackbox", image: "prom/blackbox-exporter:v0.27.0", ports: [{ name: "probe", containerPort: 9115 }] }];
    return { spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } };
  },
});
